/** Keeps the indexes of the months that are over level with the months (history/YYYY-MM.index, a view). */
import { join } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { HISTORY, historyPath, isMonthIndex, monthIndexPath } from "@mimikit/store/disk/state";
import { monthsOf, openToRead, PIECE_BYTES, parseLine, stampOf } from "@mimikit/store/views/history-partitions";
import { MONTH_BYTES_MAX, type PlacedTurn, readMonthIndex, writeMonthIndex } from "./month-index.ts";

/** A shorter month is read in one piece: an index would save nothing. */
export const MONTH_BYTES_MIN = PIECE_BYTES;
/** A younger file may be written to once more without another time. */
const SETTLED_MS = 1_000;
const NEWLINE = 0x0a;

/**
 * Writes the index of each month that has none as the month is now, and removes what is the index of no month. The newest month
 * has none: it grows.
 * @returns how many were written. Throws what the disk throws.
 */
export async function keepMonthIndexes(home: string, fs: FileSystem, nowMs: number): Promise<number> {
  const over = (await monthsOf(home)).slice(0, -1);
  const kept = new Set<string>();
  let written = 0;
  for (const month of over) {
    const became = await keepIndex(home, fs, month, nowMs);
    if (became !== "none") kept.add(monthIndexPath(month));
    if (became === "written") written++;
  }
  for (const name of await fs.list(HISTORY)) {
    const path = `${HISTORY}/${name}`;
    if (isMonthIndex(path) && !kept.has(path)) await fs.unlink(path);
  }
  return written;
}

async function keepIndex(
  home: string,
  fs: FileSystem,
  month: string,
  nowMs: number,
): Promise<"none" | "there" | "written"> {
  const file = await openToRead(join(home, historyPath(month)));
  if (file === null) return "none";
  try {
    const info = await file.stat();
    const isSettled = nowMs - Math.max(info.mtimeMs, info.ctimeMs) >= SETTLED_MS;
    if (!info.isFile() || info.size < MONTH_BYTES_MIN || info.size > MONTH_BYTES_MAX || !isSettled) return "none";
    const stamp = stampOf(info);
    if ((await readMonthIndex(home, month, stamp)) !== null) return "there";
    const lines = await placedTurns(await file.readFile());
    // The file is being written: the next time.
    if (stampOf(await file.stat()) !== stamp) return "none";
    await writeMonthIndex(home, fs, { month, stamp, lines });
    return "written";
  } finally {
    await file.close();
  }
}

/** The turns of a month with their places, piece by piece, with other work between the pieces. */
async function placedTurns(bytes: Buffer): Promise<PlacedTurn[]> {
  const lines: PlacedTurn[] = [];
  let pieceStart = 0;
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, start);
    // Without its end, a line is none yet.
    if (newline < 0) break;
    for (const turn of parseLine(bytes.toString("utf8", start, newline)))
      lines.push({ turn, start, bytes: newline - start });
    start = newline + 1;
    if (start - pieceStart < PIECE_BYTES) continue;
    pieceStart = start;
    await breathe();
  }
  return lines;
}
