/**
 * A message that the user sent is kept until the gateway has it on disk: it survives a reload and a lost connection,
 * and goes out again under the same id, so that sending twice is sending once (SPEC K2).
 */

import type { AttachedFile } from "@mimikit/protocol/base/attachment";
import type { MESSAGE_CHARS_MAX as MessageCharsMax } from "@mimikit/protocol/base/fields";
import type { AnswerBy } from "@mimikit/protocol/records/inbox";
import type { ClientFrame } from "@mimikit/protocol/wire/api";
import { signal } from "@preact/signals";
import { store } from "../storage/storage.ts";

/** One key per message: two tabs that share the storage never overwrite each other's. */
const KEY_PREFIX = "mimikit.outbox.";

/** The protocol's limit. Its type is the number itself, so that a change there stops this from compiling. */
export const TEXT_CHARS_MAX: typeof MessageCharsMax = 64_000;

export type OutboxMode = "steer" | "next";

/** Data that goes along with the words of a message. */
export interface Along {
  mode?: OutboxMode;
  files?: readonly AttachedFile[];
  /** The id of the message that it replies to. */
  quote?: string | undefined;
  /** The provider that answers it, in place of that of the settings. */
  answerBy?: AnswerBy | undefined;
}

export interface OutboxEntry {
  id: string;
  text: string;
  /** When the user sent it, ISO 8601. */
  at: string;
  timeZone: string;
  /** `steer`: said to what runs now. `next`: it wants a turn of its own. */
  mode?: OutboxMode;
  /** Its files; already stored by the gateway. */
  files?: readonly AttachedFile[];
  /** The message that it replies to. */
  quote?: string;
  answerBy?: AnswerBy;
  /** Why the gateway said no; such an entry waits for the user. */
  refusal?: string;
  /** The message that came back before its acknowledgement; shown instead of this entry. */
  shownAs?: string;
  /** Another page of this browser has sent it, since this one was opened. */
  isElsewhere?: true;
}

export const outbox = signal<readonly OutboxEntry[]>(readStored());

function readStored(): OutboxEntry[] {
  return Object.keys(localStorage)
    .filter((key) => key.startsWith(KEY_PREFIX))
    .map((key) => JSON.parse(localStorage.getItem(key) ?? "null") as OutboxEntry)
    .sort((a, b) => a.at.localeCompare(b.at));
}

/**
 * Takes over what other pages of this browser have kept or let go.
 * @returns the entries that are new here.
 */
export function readAnew(): OutboxEntry[] {
  const stored = readStored();
  const known = new Set(outbox.value.map(({ id }) => id));
  const added = stored.filter(({ id }) => !known.has(id)).map((entry) => ({ ...entry, isElsewhere: true as const }));
  const there = new Set(stored.map(({ id }) => id));
  outbox.value = [...outbox.value.filter(({ id }) => there.has(id)), ...added].sort((a, b) => a.at.localeCompare(b.at));
  return added;
}

/** Whether a key of the storage is that of an entry. */
export function isOfOutbox(key: string): boolean {
  return key.startsWith(KEY_PREFIX);
}

/** Keeps `text` for sending. @returns its entry, or undefined where the browser has no room for it. */
export function keep(
  text: string,
  nowMs: number,
  { mode, files = [], quote, answerBy }: Along = {},
): OutboxEntry | undefined {
  const entry: OutboxEntry = {
    id: newId(),
    text,
    at: new Date(nowMs).toISOString(),
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    ...(mode !== undefined && { mode }),
    ...(files.length > 0 && { files }),
    ...(quote !== undefined && { quote }),
    ...(answerBy !== undefined && { answerBy }),
  };
  if (!store(KEY_PREFIX + entry.id, JSON.stringify(entry))) return undefined;
  outbox.value = [...outbox.value, entry];
  return entry;
}

/** Forgets an entry: the gateway has it, or the user discarded it. Returns it, if it was there. */
export function release(id: string): OutboxEntry | undefined {
  const entry = outbox.value.find((one) => one.id === id);
  store(KEY_PREFIX + id, undefined);
  outbox.value = outbox.value.filter((one) => one.id !== id);
  return entry;
}

/** Changes how an entry is shown. The stored entry stays as the user sent it. */
export function mark(id: string, change: Pick<OutboxEntry, "shownAs"> | Pick<OutboxEntry, "refusal">): void {
  outbox.value = outbox.value.map((entry) => (entry.id === id ? { ...entry, ...change } : entry));
}

/** The user wants a refused entry to be tried once more. Returns it. */
export function retry(id: string): OutboxEntry | undefined {
  outbox.value = outbox.value.map(({ refusal, ...entry }) =>
    entry.id === id || refusal === undefined ? entry : { ...entry, refusal },
  );
  return outbox.value.find((entry) => entry.id === id);
}

/** The frame that sends an entry. */
export function frameOf({ id, text, at, timeZone, mode, files, quote, answerBy }: OutboxEntry): ClientFrame {
  if (mode === "steer") return { type: "steer", id, text };
  const attachments = files?.map(({ id: fileId, name }) => ({ id: fileId, ...(name !== undefined && { name }) }));
  return {
    type: "input",
    id,
    text,
    client: { timeZone, now: at },
    ...(mode === "next" && { mode }),
    ...(attachments !== undefined && { attachments }),
    ...(quote !== undefined && { quote }),
    ...(answerBy !== undefined && { answerBy }),
  };
}

/** 128 random bits. `crypto.randomUUID` is missing where the page is served over plain HTTP from another machine. */
export function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
