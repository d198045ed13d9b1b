/** `forgotten.md` as it is, and what is shown of a conversation and of memory beside it. */
import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { WithVersions } from "@mimikit/core/views/history";
import type { HistoryMessage } from "@mimikit/protocol/records/history";
import type { MemoryHit } from "@mimikit/protocol/wire/api";
import { FORGOTTEN_PATH, MEMORY } from "@mimikit/store/disk/state";
import type { MessageLog } from "../search/history-index.ts";
import { daysOf, isNoSource, stampOf } from "../sources/sources.ts";
import { Forgotten } from "./forgotten.ts";

/** More are read, so that as many as were asked for are left. */
const MORE_HITS = 10;
/** A process serves one home; tests serve several. */
const HOMES_MAX = 4;

const known = new Map<string, { stamp: string | null; forgotten: Forgotten }>();

/** The forgotten words of this home; read again whenever the file has changed. Throws what the disk throws. */
export async function readForgotten(home: string): Promise<Forgotten> {
  const path = join(home, FORGOTTEN_PATH);
  // The stamp is older than the text that is read after it: a change in between is seen the next time.
  const stamp = stampOf(path);
  const before = known.get(home);
  if (before !== undefined && before.stamp === stamp) return before.forgotten;
  const forgotten = new Forgotten(stamp === null ? "" : await readAll(path));
  if (known.size >= HOMES_MAX) known.clear();
  known.set(home, { stamp, forgotten });
  return forgotten;
}

/** All of the file, however long; empty where there is none, or it is a link, or not for us. */
async function readAll(path: string): Promise<string> {
  try {
    return (await lstat(path)).isFile() ? await readFile(path, "utf8") : "";
  } catch (error) {
    if (isNoSource(error)) return "";
    throw error;
  }
}

/** A message without forgotten sentences; null where nothing else was said: then its files are not shown either. */
export function shownMessage<M extends Pick<HistoryMessage, "role" | "at" | "text">>(
  message: M,
  forgotten: Forgotten,
): M | null {
  const said = { atMs: Date.parse(message.at), isUsers: message.role === "user" };
  const text = forgotten.without(message.text, said);
  if (text === message.text) return message;
  return text === "" ? null : { ...message, text };
}

/** The messages that a model may be shown. */
export function shownMessages<M extends Pick<HistoryMessage, "role" | "at" | "text">>(
  messages: readonly M[],
  forgotten: Forgotten,
): M[] {
  return forgotten.isEmpty ? [...messages] : messages.flatMap((message) => shownMessage(message, forgotten) ?? []);
}

/** Hits in memory without what is forgotten. Notes and summaries hold what was said; the other documents hold what is remembered. */
export function shownHits(hits: readonly MemoryHit[], forgotten: Forgotten): MemoryHit[] {
  if (forgotten.isEmpty) return [...hits];
  return hits.flatMap((hit) => {
    if (!hit.source.startsWith(`${MEMORY}/`)) return hit;
    const text = forgotten.without(hit.text, { atMs: beginningOfDays(hit.source) });
    return text === "" ? [] : { ...hit, text };
  });
}

/** When the time begins that a note or a summary is about, by its name; 0 where that has no date. */
export function beginningOfDays(name: string): number {
  const ms = Date.parse(daysOf(name, 0).first);
  return Number.isNaN(ms) ? 0 : ms;
}

/** The conversation as a model may read it. */
export function shownLog(log: MessageLog, forgotten: Forgotten): MessageLog {
  if (forgotten.isEmpty) return log;
  const withVersions = ({ versions, ...message }: WithVersions<HistoryMessage>): WithVersions<HistoryMessage>[] => {
    const shown = shownMessage(message, forgotten);
    if (shown === null) return [];
    return [versions === undefined ? shown : { ...shown, versions: shownMessages(versions, forgotten) }];
  };
  return {
    newest: shownMessages(log.newest, forgotten),
    search: async (query) =>
      shownMessages(await log.search({ ...query, limit: query.limit + MORE_HITS }), forgotten).slice(0, query.limit),
    recall: async (asked) =>
      shownMessages(await log.recall({ ...asked, limit: asked.limit + MORE_HITS }), forgotten).slice(0, asked.limit),
    begunMs: () => log.begunMs(),
    recent: async (page) => shownMessages(await log.recent(page), forgotten),
    between: async (span) => shownMessages(await log.between(span), forgotten),
    page: async (wanted) => (await log.page(wanted))?.flatMap(withVersions) ?? null,
  };
}
