/** The one way in which a command becomes a record: its id, its time and its signature are made here (docs/file-protocol.md#commands). */
import { createHash } from "node:crypto";
import { COMMANDS, type Event, needsSeal, Wish } from "@mimikit/protocol/records/inbox";
import type { FileSystem } from "./file-system.ts";
import { createRecord } from "./record.ts";
import { seal } from "./seal.ts";
import { inboxPath } from "./state.ts";

type Without<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
/** A record of inbox/ before it is signed. */
export type Unsealed = Without<Wish, "mac">;
/** A command as it is said. */
export type Said = Without<Exclude<Wish, Event>, "id" | "at" | "mac">;

/** The id of a command that a client sent with an idempotency key, or a fresh one (docs/file-protocol.md R2). */
export function wishId(kind: Said["kind"], key?: string): string {
  const seed =
    key === undefined ? crypto.getRandomValues(new Uint8Array(16)) : createHash("sha256").update(key).digest();
  return `${COMMANDS[kind].prefix}-${Buffer.from(seed).toString("hex").slice(0, 32)}`;
}

/**
 * Makes a command durable. The same id is the same command.
 * @param nowMs the time that it is of.
 * @returns false where it was there already. @throws RecordTooLarge, and a ZodError for what is no command.
 */
export function createWish(
  fs: FileSystem,
  token: string,
  said: Said,
  id: string,
  nowMs = Date.now(),
): Promise<boolean> {
  return createSealed(fs, token, { ...said, id, at: new Date(nowMs).toISOString() });
}

/** The same for a record that has its id and its time. */
export function createSealed(fs: FileSystem, token: string, unsealed: Unsealed): Promise<boolean> {
  // The signature covers the text that will be read: the schema may trim it.
  const wish = Wish.parse(needsSeal(unsealed) ? { ...unsealed, mac: "" } : unsealed);
  const sealed = needsSeal(wish) ? { ...wish, mac: seal(token, wish) } : wish;
  return createRecord(fs, Wish, inboxPath(wish.id), sealed);
}
