/** The one way in which a command becomes a record: its id, its time and its signature are made here (docs/file-protocol.md#commands). */
import { createHash } from "node:crypto";
import { COMMANDS, type Event, InboxCommand, needsSignature } from "@mimikit/protocol/records/inbox";
import type { FileSystem } from "./file-system.ts";
import { createRecord } from "./record.ts";
import { sign } from "./sign.ts";
import { inboxPath } from "./state.ts";

type Without<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
/** A record of inbox/ before it is signed. */
export type Unsigned = Without<InboxCommand, "mac">;
/** A command as it is said. */
export type CommandInput = Without<Exclude<InboxCommand, Event>, "id" | "at" | "mac">;

/** The id of a command that a client sent with an idempotency key, or a fresh one (docs/file-protocol.md R2). */
export function commandId(kind: CommandInput["kind"], key?: string): string {
  const seed =
    key === undefined ? crypto.getRandomValues(new Uint8Array(16)) : createHash("sha256").update(key).digest();
  return `${COMMANDS[kind].prefix}-${Buffer.from(seed).toString("hex").slice(0, 32)}`;
}

/**
 * Makes a command durable. The same id is the same command.
 * @param nowMs the time that it is of.
 * @returns false where it was there already. @throws RecordTooLarge, and a ZodError for what is no command.
 */
export function createCommand(
  fs: FileSystem,
  token: string,
  said: CommandInput,
  id: string,
  nowMs = Date.now(),
): Promise<boolean> {
  return createSigned(fs, token, { ...said, id, at: new Date(nowMs).toISOString() });
}

/** The same for a record that has its id and its time. */
export function createSigned(fs: FileSystem, token: string, unsigned: Unsigned): Promise<boolean> {
  // The signature covers the text that will be read: the schema may trim it.
  const command = InboxCommand.parse(needsSignature(unsigned) ? { ...unsigned, mac: "" } : unsigned);
  const signed = needsSignature(command) ? { ...command, mac: sign(token, command) } : command;
  return createRecord(fs, InboxCommand, inboxPath(command.id), signed);
}
