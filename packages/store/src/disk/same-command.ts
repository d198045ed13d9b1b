/** Compares a command with the first one under its key (docs/decisions/0059-a-key-is-its-content.md). */
import { BadJson } from "@mimikit/protocol/base/json";
import type { Archived } from "@mimikit/protocol/records/archive";
import { type Event, InboxCommand, type Message } from "@mimikit/protocol/records/inbox";
import type { CommandInput } from "./create-command.ts";
import type { FileSystem } from "./file-system.ts";
import { readRecord } from "./record.ts";
import { canonicalJson } from "./sign.ts";
import { inboxPath } from "./state.ts";

export type Command = Exclude<InboxCommand, Event>;

/**
 * The command of this id, as it was made, wherever it has come to; null where there is none, or its record is damaged.
 * @param archive reads compacted records, too.
 */
export async function readCommand(
  id: string,
  fs: FileSystem,
  archive: { read(id: string): Promise<Archived | null> },
): Promise<Command | null> {
  // A command is in archive/ before it leaves inbox/.
  const waiting = await readWaiting(id, fs);
  if (waiting !== null) return waiting;
  const record = await archive.read(id);
  if (record === null) return null;
  if ("wish" in record) return record.wish;
  return "kind" in record && record.kind === "message" ? record : null;
}

/** The command in inbox/; null where there is none, or its record is damaged. */
export async function readWaiting(id: string, fs: FileSystem): Promise<Command | null> {
  try {
    const record = await readRecord(fs, InboxCommand, inboxPath(id));
    return record?.kind === "event" ? null : record;
  } catch (error) {
    if (error instanceof BadJson) return null;
    throw error;
  }
}

/** Does `said` ask for the same as the command that was made first? */
export function isSameCommand(first: Command, said: CommandInput): boolean {
  const { id, at } = first;
  const again = InboxCommand.parse({ ...said, id, at, mac: "" });
  return canonicalJson(contentOf(first)) === canonicalJson(contentOf(again));
}

/** The order without its time and its way: a client may send the same again a minute later, or by a terminal. */
function contentOf(command: InboxCommand): object {
  const { id: _id, at: _at, mac: _mac, ...content } = { mac: undefined, ...command };
  if (content.kind === "message") return messageContent(content);
  // The turn is the last one at the time of the command; the words are what its sender chose.
  if (content.kind === "retry") return { kind: content.kind, text: content.edit?.text, answerBy: content.answerBy };
  return content;
}

function messageContent(message: Omit<Message, "id" | "at" | "mac">): object {
  const { client: _client, via: _via, mode, attachments = [], ...content } = message;
  const ownTurn = content.answerBy !== undefined || content.pool !== undefined;
  return {
    ...content,
    mode: ownTurn ? "next" : mode,
    attachments: attachments.map(({ id, name }) => ({ id, name })),
  };
}
