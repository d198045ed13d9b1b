/**
 * history/YYYY-MM.jsonl: everything that was ever said, by the month in which its turn was applied. A view of archive/:
 * one line a turn, so that a line is written as a whole or not at all, and a reader that finds a turn without a line
 * writes it. A line that a crash tore off is none (docs/file-protocol.md R9); a turn that has two counts once.
 */
import { lstatSync, type Stats, statSync } from "node:fs";
import { constants, type FileHandle, mkdir, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { BadJson, parseRecord, RECORD_BYTES_MAX, RECORD_DEPTH_MAX } from "@mimikit/protocol/base/json";
import { HistoryTurn } from "@mimikit/protocol/records/history";
import { hasCode } from "../disk/error-code.ts";
import { HISTORY, historyPath } from "../disk/state.ts";

const NEWLINE = 0x0a;
/** Some milliseconds of parsing; other work goes on between two such pieces. */
export const PIECE_BYTES = 262_144;
/** A turn's words are in its record, which is at most this long; a view repeats them with little more. */
const LINE_BYTES_MAX = 2 * RECORD_BYTES_MAX;
const LINE_LIMITS = { bytes: LINE_BYTES_MAX, depth: RECORD_DEPTH_MAX };
const PARTITION = /^(\d{4}-\d{2})\.jsonl$/;
/** Errors of a path that is not a file of ours, but a link, a socket or a directory. */
export const NOT_OURS = ["ENOENT", "ELOOP", "ENXIO", "EISDIR"];

/** How far a file has been read. */
interface Place {
  offset: number;
  inode: number;
  /** The beginning of a line whose end is not there yet. */
  torn: Buffer;
  /** The stamp of the whole file when its lines were known without being read. */
  known?: string;
}

/**
 * Is asked before the first line of a month is read.
 * @param stamp of the file as it is now.
 * @returns whether all its lines are known already: then none of them is read.
 */
export type KnowsMonth = (month: string, stamp: string) => Promise<boolean>;

/** A text that is another one whenever a file may have changed, also if its time was set back. */
export function stampOf({ ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
}

/** Reads the months as they grow; each byte is read once. */
export class HistoryPartitions {
  private readonly home: string;
  private readonly knows: KnowsMonth;
  private readonly places = new Map<string, Place>();

  constructor(home: string, knows: KnowsMonth = async () => false) {
    this.home = home;
    this.knows = knows;
  }

  /** Is everything that was read still there? If it is not, files were removed: start over with another reader. */
  isAsRead(): boolean {
    return [...this.places].every(([month, { offset, inode, known }]) => {
      const info = statSync(this.pathOf(month), { throwIfNoEntry: false });
      if (info === undefined) return false;
      return known === undefined ? info.ino === inode && info.size >= offset : stampOf(info) === known;
    });
  }

  /** The turns whose lines came since the last call, the older months first. Throws what the disk throws. */
  async *follow(): AsyncGenerator<HistoryTurn[]> {
    for (const month of await monthsOf(this.home)) yield* this.followMonth(month);
  }

  private pathOf(month: string): string {
    return join(this.home, historyPath(month));
  }

  private async *followMonth(month: string): AsyncGenerator<HistoryTurn[]> {
    // Most months do not grow any more, and need not be opened.
    const seen = lstatSync(this.pathOf(month), { throwIfNoEntry: false });
    if (seen === undefined || seen.size === this.places.get(month)?.offset) return;
    if (!this.places.has(month) && seen.isFile() && (await this.isKnown(month, seen))) return;
    const file = await openToRead(this.pathOf(month));
    if (file === null) return;
    try {
      const info = await file.stat();
      if (!info.isFile()) return;
      const place = this.places.get(month) ?? { offset: 0, inode: info.ino, torn: Buffer.alloc(0) };
      this.places.set(month, place);
      for (;;) {
        const { bytesRead, buffer } = await file.read(Buffer.alloc(PIECE_BYTES), 0, PIECE_BYTES, place.offset);
        if (bytesRead === 0) return;
        place.offset += bytesRead;
        yield takeLines(place, buffer.subarray(0, bytesRead));
      }
    } finally {
      await file.close();
    }
  }

  private async isKnown(month: string, info: Stats): Promise<boolean> {
    const known = stampOf(info);
    if (!(await this.knows(month, known))) return false;
    this.places.set(month, { offset: info.size, inode: info.ino, torn: Buffer.alloc(0), known });
    return true;
  }
}

/** The months that have a file, the oldest first. Throws what the disk throws. */
export async function monthsOf(home: string): Promise<string[]> {
  try {
    return (await readdir(join(home, HISTORY))).flatMap((name) => PARTITION.exec(name)?.[1] ?? []).sort();
  } catch (error) {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  }
}

/** Opens a plain file; null where there is none, or something else in its place. Throws what the disk throws. */
export async function openToRead(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (hasCode(error, ...NOT_OURS)) return null;
    throw error;
  }
}

/** The whole lines of what was read before and of `bytes`; the rest waits for its end. */
function takeLines(place: Place, bytes: Buffer): HistoryTurn[] {
  const all = Buffer.concat([place.torn, bytes]);
  const end = all.lastIndexOf(NEWLINE);
  const rest = all.subarray(end + 1);
  // A line that is too long becomes one that cannot be read.
  place.torn = rest.length > LINE_BYTES_MAX ? Buffer.alloc(0) : Buffer.from(rest);
  return all.toString("utf8", 0, Math.max(0, end)).split("\n").flatMap(parseLine);
}

/** The turn of a line without its end; none where it is no such line. */
export function parseLine(text: string): HistoryTurn[] {
  if (text === "") return [];
  try {
    return [parseRecord(HistoryTurn, text, LINE_LIMITS)];
  } catch (error) {
    if (error instanceof BadJson) return [];
    throw error;
  }
}

/**
 * Appends a line for each of the turns. They are durable when it resolves, unless a process was killed between making the file and the
 * sync of its name: a power loss may take the whole file then, and its lines are made again from the archive (docs/file-protocol.md R9).
 * Throws what the disk throws.
 * @returns whether the directory was missing, and was made.
 */
export async function appendHistory(home: string, month: string, turns: readonly HistoryTurn[]): Promise<boolean> {
  const directory = join(home, HISTORY);
  const isMade = (await mkdir(directory, { recursive: true, mode: 0o700 })) !== undefined;
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(join(home, historyPath(month)), flags, 0o600);
  try {
    const { size } = await file.stat();
    const lines = turns.map((turn) => `${JSON.stringify(turn)}\n`).join("");
    await file.appendFile(`${(await endsInNewline(file, size)) ? "" : "\n"}${lines}`);
    await file.sync();
    if (size === 0) await syncDirectory(directory);
  } finally {
    await file.close();
  }
  return isMade;
}

async function endsInNewline(file: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return true;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] === NEWLINE;
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
