/**
 * The conversations of other assistants: `imported/<source>/history/YYYY-MM.jsonl`, in the lines of the history, one
 * message each. It is no view: it came from a file that may be gone. It is never answered, and no context reads it; a
 * search finds it, with where it is from.
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { BadJson, parseRecord, RECORD_BYTES_MAX, RECORD_DEPTH_MAX } from "@mimikit/protocol/base/json";
import { HistoryTurn } from "@mimikit/protocol/records/history";
import { z } from "zod";
import { hasCode } from "../disk/error-code.ts";
import type { FileSystem } from "../disk/file-system.ts";
import { makeDurableDir, replaceView } from "../disk/record.ts";
import { HISTORY, historyPath, IMPORTED } from "../disk/state.ts";
import { monthsOf } from "./history-partitions.ts";

/** Of one month; it is read and written as a whole. */
export const IMPORTED_MONTH_BYTES_MAX = 256 * 1_048_576;
const SOURCE = /^[a-z0-9][a-z0-9-]{0,63}$/;
const MONTH_CHARS = "2026-11".length;

/** `turn` is only the order of the messages: it follows from the time. */
export const ImportedLine = HistoryTurn.extend({
  /** The import that brought it, which can be undone. */
  importId: z.string(),
  conversation: z.string(),
  title: z.string(),
});
export type ImportedLine = z.infer<typeof ImportedLine>;

/** Where something came along from. Throws what the disk throws. */
export async function importedSources(home: string): Promise<string[]> {
  try {
    return (await readdir(join(home, IMPORTED))).filter((name) => SOURCE.test(name)).sort();
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return [];
    throw error;
  }
}

/** All messages of a source: by the id of each, the import that brought it. Throws what the disk throws. */
export async function importedIds(fs: FileSystem, home: string, source: string): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const month of await monthsIn(home, source))
    for (const { messages, importId } of await linesOf(fs, source, month))
      for (const { id } of messages) ids.set(id, importId);
  return ids;
}

/**
 * Adds those of the lines whose message is not there yet, month by month: a month is as before or whole, and durable when this
 * resolves. Lines have one message each. @throws what the disk throws.
 */
export async function addImported(fs: FileSystem, source: string, lines: readonly ImportedLine[]): Promise<void> {
  for (const [month, added] of Map.groupBy(lines, ({ messages }) => (messages[0]?.at ?? "").slice(0, MONTH_CHARS))) {
    const there = await linesOf(fs, source, month);
    const known = new Set(there.map(({ messages }) => messages[0]?.id));
    const fresh = added.filter(({ messages }) => !known.has(messages[0]?.id));
    if (fresh.length > 0) await write(fs, source, month, [...there, ...fresh]);
  }
}

/** Takes out what an import has brought. Throws what the disk throws. @returns how many messages went. */
export async function removeImported(fs: FileSystem, home: string, source: string, importId: string): Promise<number> {
  let gone = 0;
  for (const month of await monthsIn(home, source)) {
    const there = await linesOf(fs, source, month);
    const left = there.filter((line) => line.importId !== importId);
    if (left.length === there.length) continue;
    if (left.length === 0) await fs.unlink(pathOf(source, month));
    else await write(fs, source, month, left);
    gone += there.length - left.length;
  }
  return gone;
}

const homeOf = (source: string) => `${IMPORTED}/${source}`;
const pathOf = (source: string, month: string) => `${homeOf(source)}/${historyPath(month)}`;

function monthsIn(home: string, source: string): Promise<string[]> {
  return monthsOf(join(home, homeOf(source)));
}

/** The oldest first; each has a number of its own, because a search takes a number once. */
async function write(fs: FileSystem, source: string, month: string, lines: readonly ImportedLine[]): Promise<void> {
  const sorted = lines.toSorted((a, b) => a.turn - b.turn);
  let last = 0;
  const numbered = sorted.map((line) => {
    last = Math.max(line.turn, last + 1);
    return { ...line, turn: last };
  });
  await makeDurableDir(fs, `${homeOf(source)}/${HISTORY}`);
  await replaceView(fs, pathOf(source, month), numbered.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

async function linesOf(fs: FileSystem, source: string, month: string): Promise<ImportedLine[]> {
  const text = await fs.read(pathOf(source, month), IMPORTED_MONTH_BYTES_MAX);
  return (text ?? "").split("\n").flatMap((line) => {
    if (line === "") return [];
    try {
      return [parseRecord(ImportedLine, line, { bytes: 2 * RECORD_BYTES_MAX, depth: RECORD_DEPTH_MAX })];
    } catch (error) {
      if (error instanceof BadJson) return [];
      throw error;
    }
  });
}
