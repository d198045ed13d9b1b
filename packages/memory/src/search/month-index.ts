/**
 * history/YYYY-MM.index: all that a search needs to know of a month that is over before it looks at a message, so that a process
 * that starts need not read the month line by line. A view of history/YYYY-MM.jsonl (docs/files.md#layout): it counts
 * only as long as that file is what it was, and as its own bytes are whole. Without it, the month is read.
 */
import { closeSync, constants, fstatSync, openSync, read } from "node:fs";
import { type FileHandle, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { promisify } from "node:util";
import { deserialize, serialize } from "node:v8";
import { crc32 } from "node:zlib";
import type { HistoryMessage, HistoryTurn } from "@mimikit/protocol/records/history";
import { hasCode } from "@mimikit/store/disk/error-code";
import { directoryOf, type FileSystem } from "@mimikit/store/disk/file-system";
import { historyPath, monthIndexPath } from "@mimikit/store/disk/state";
import { NOT_OURS, openToRead, parseLine } from "@mimikit/store/views/history-partitions";
import { z } from "zod";
import { fold } from "../text/fold.ts";
import { PairBlock } from "../text/pair-filter.ts";
import { readBackOf } from "./said-entry.ts";

/** Of what is kept, of how a text is folded, and of how pairs become bits. */
const VERSION = 3;
/** A longer month has no index: it would be taken into memory in one go, which is 25 ms for 57,000 messages of common length. */
export const MONTH_BYTES_MAX = 16 * 1_048_576;
/** No month of MONTH_BYTES_MAX has a longer index, however short its messages are. */
const INDEX_BYTES_MAX = 128 * 1_048_576;
/** The checksum of all that comes after it, and how many bytes the bits have that come next. */
const HEADER_BYTES = 8;
const CHECKSUM_BYTES = 4;
/** Some milliseconds of work; other work goes on between two such pieces. */
const PIECE_MESSAGES = 1_024;
const WIDE = /[^\0-\xff]/;
const ROLES = ["user", "assistant", "system"] as const satisfies readonly HistoryMessage["role"][];

const readAsync = promisify(read);

/** Of each line (a turn) and of each message of the month, by the order of the turns; an id that comes again is left out. */
const Columns = z.object({
  /** Of each line: the number of its turn, its first byte, and how many it has. */
  turns: z.instanceof(Float64Array),
  starts: z.instanceof(Uint32Array),
  lengths: z.instanceof(Uint32Array),
  /** All ids, one after the other, and the numbers of their messages in the order of the ids. */
  ids: z.string(),
  byId: z.instanceof(Uint32Array),
  /** Of each message: its line, where its id ends, when it was said, by whom (a place in ROLES), and the length of its folded text. */
  lines: z.instanceof(Uint32Array),
  idEnds: z.instanceof(Uint32Array),
  atMs: z.instanceof(Float64Array),
  roles: z.instanceof(Uint8Array),
  /** 1 where the conversation starts over. */
  clears: z.instanceof(Uint8Array),
  chars: z.instanceof(Uint32Array),
  /** Of each message: how many of these a model reads back. */
  readBack: z.instanceof(Uint32Array),
  /** The folded texts, one after the other: those that have a character above U+00FF, which take two bytes each, and the others. */
  wide: z.string(),
  narrow: z.string(),
  /** Of each message: 1 where its text is among the wide ones, and where it begins there. */
  widths: z.instanceof(Uint8Array),
  places: z.instanceof(Uint32Array),
});
type Columns = z.infer<typeof Columns>;

interface Parts {
  columns: Columns;
  /** Of the folded texts. */
  pairs: PairBlock;
}

/** The lines of a month are not those that its index describes: the file was changed a moment ago. */
export class MonthChanged extends Error {}

/** A line of a month: its turn, and where it is in the file. */
export interface PlacedTurn {
  turn: HistoryTurn;
  start: number;
  bytes: number;
}

/** The index of a month that is over. The messages themselves are read from the month's file when they are shown. */
export class MonthIndex {
  /** Of the folded texts. */
  readonly pairs: PairBlock;
  private readonly home: string;
  private readonly month: string;
  private readonly columns: Columns;

  constructor(home: string, month: string, { columns, pairs }: Parts) {
    this.home = home;
    this.month = month;
    this.columns = columns;
    this.pairs = pairs;
  }

  /** The numbers of its turns in their order, also of those in which nothing was said. */
  get turns(): Iterable<number> {
    return this.columns.turns;
  }

  /** How many messages it has. */
  get size(): number {
    return this.columns.byId.length;
  }

  /** Is there a message of this id? */
  has(id: string): boolean {
    return this.numberOf(id) >= 0;
  }

  /** The number of the message of this id; -1 where there is none. */
  numberOf(id: string): number {
    const { byId } = this.columns;
    const message = byId[placeOf(byId.length, (i) => this.idOf(byId[i] ?? 0) < id)];
    return message !== undefined && this.idOf(message) === id ? message : -1;
  }

  hasTurn(turn: number): boolean {
    const { turns } = this.columns;
    return turns[placeOf(turns.length, (i) => (turns[i] ?? 0) < turn)] === turn;
  }

  /** The number of its first turn; 0 where it has none. */
  get firstTurn(): number {
    return this.columns.turns[0] ?? 0;
  }

  turnOf(message: number): number {
    return this.columns.turns[this.columns.lines[message] ?? 0] ?? 0;
  }

  idOf(message: number): string {
    const { ids, idEnds } = this.columns;
    return ids.slice(message === 0 ? 0 : idEnds[message - 1], idEnds[message]);
  }

  roleOf(message: number): HistoryMessage["role"] {
    return ROLES[this.columns.roles[message] ?? 0] ?? "system";
  }

  /** Milliseconds since 1970. */
  saidMs(message: number): number {
    return this.columns.atMs[message] ?? 0;
  }

  isClear(message: number): boolean {
    return this.columns.clears[message] === 1;
  }

  /** Characters of the folded text. */
  charsOf(message: number): number {
    return this.columns.chars[message] ?? 0;
  }

  /** Characters of the folded text that a model reads back. */
  readBackOf(message: number): number {
    return this.columns.readBack[message] ?? 0;
  }

  foldedOf(message: number): string {
    const { wide, narrow, widths, places } = this.columns;
    const place = places[message] ?? 0;
    return (widths[message] === 1 ? wide : narrow).slice(place, place + this.charsOf(message));
  }

  /**
   * Some messages as they were said.
   * @param messages their numbers.
   * @throws MonthChanged, and what the disk throws.
   */
  async read(messages: readonly number[]): Promise<HistoryMessage[]> {
    const path = historyPath(this.month);
    const file = await openToRead(join(this.home, path));
    if (file === null) throw new MonthChanged(`${path} is gone`);
    try {
      const said: HistoryMessage[] = [];
      let line: number | undefined;
      let ofLine: HistoryMessage[] = [];
      for (const message of messages) {
        // Messages of one turn follow each other, and are in one line.
        if (line !== this.columns.lines[message]) ofLine = await this.readLine(file, message);
        line = this.columns.lines[message];
        const found = ofLine.find(({ id }) => id === this.idOf(message));
        if (found === undefined) throw new MonthChanged(`${path} was changed`);
        said.push(found);
      }
      return said;
    } finally {
      await file.close();
    }
  }

  /** All that was said in the turn of a message. */
  private async readLine(file: FileHandle, message: number): Promise<HistoryMessage[]> {
    const line = this.columns.lines[message] ?? 0;
    const bytes = this.columns.lengths[line] ?? 0;
    const { buffer } = await file.read(Buffer.alloc(bytes), 0, bytes, this.columns.starts[line]);
    return parseLine(buffer.toString("utf8")).flatMap(({ messages }) => messages);
  }
}

/**
 * @param stamp of the month's file as it is now.
 * @returns null where there is no index of it as it is now, or it is damaged. Throws what the disk throws.
 */
export async function readMonthIndex(home: string, month: string, stamp: string): Promise<MonthIndex | null> {
  const file = openIndex(join(home, monthIndexPath(month)));
  if (file === null) return null;
  try {
    const info = fstatSync(file);
    if (!info.isFile() || info.size > INDEX_BYTES_MAX) return null;
    const bytes = Buffer.allocUnsafeSlow(info.size);
    const { bytesRead } = await readAsync(file, bytes, 0, info.size, 0);
    const parts = bytesRead === info.size ? unpack(bytes, stamp) : null;
    return parts === null ? null : new MonthIndex(home, month, parts);
  } finally {
    closeSync(file);
  }
}

/** null where there is none, or something else in its place. Only reading waits for the disk, and is done beside other work. */
function openIndex(path: string): number | null {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (hasCode(error, ...NOT_OURS)) return null;
    throw error;
  }
}

/**
 * Of what is in an index, for which month's file, and by which code it was written: V8 may write in another way one day. Where
 * any of it is not as it was, there is no index.
 */
function checksumOf(bytes: Buffer, stamp: string): number {
  return crc32(bytes.subarray(CHECKSUM_BYTES), crc32(`${VERSION} ${process.versions.v8} ${stamp}`));
}

/** null for what is no whole index of this file and of this version. The bits stay where they were read. */
function unpack(bytes: Buffer<ArrayBuffer>, stamp: string): Parts | null {
  if (bytes.length < HEADER_BYTES || checksumOf(bytes, stamp) !== bytes.readUInt32LE()) return null;
  const end = HEADER_BYTES + bytes.readUInt32LE(CHECKSUM_BYTES);
  const columns = columnsOf(bytes.subarray(end));
  if (columns === null) return null;
  const { buffer, byteOffset, length } = bytes.subarray(HEADER_BYTES, end);
  const bits = new Uint32Array(buffer, byteOffset, length / Uint32Array.BYTES_PER_ELEMENT);
  return { columns, pairs: new PairBlock(columns.byId.length, bits) };
}

/** null for columns of code that has other ones, and the same VERSION by mistake: a search goes on without them. */
function columnsOf(bytes: Buffer): Columns | null {
  try {
    return Columns.safeParse(deserialize(bytes)).data ?? null;
  } catch (error) {
    if (error instanceof Error) return null;
    throw error;
  }
}

function pack({ columns, pairs }: Parts, stamp: string): Buffer {
  const { buffer, byteOffset, byteLength } = pairs.bits;
  const bits = Buffer.from(buffer, byteOffset, byteLength);
  const bytes = Buffer.concat([Buffer.alloc(HEADER_BYTES), bits, serialize(columns)]);
  bytes.writeUInt32LE(byteLength, CHECKSUM_BYTES);
  bytes.writeUInt32LE(checksumOf(bytes, stamp));
  return bytes;
}

/**
 * Writes the index of a month. It need not be durable: a power loss leaves none, or one that is not whole.
 * @param stamp of the month's file when its lines were read.
 * Throws what the disk throws.
 */
export async function writeMonthIndex(
  home: string,
  fs: FileSystem,
  { month, stamp, lines }: { month: string; stamp: string; lines: readonly PlacedTurn[] },
): Promise<void> {
  const temporary = fs.temporary();
  await fs.makeDir(directoryOf(temporary));
  try {
    await writeFile(join(home, temporary), pack(await describe(lines), stamp), { flag: "wx", mode: 0o600 });
    await rename(join(home, temporary), join(home, monthIndexPath(month)));
  } finally {
    await rm(join(home, temporary), { force: true });
  }
}

/** A turn that has two lines counts by its first, and so does a message that is in two turns. */
async function describe(lines: readonly PlacedTurn[]): Promise<Parts> {
  const byTurn = new Map<number, PlacedTurn>();
  for (const line of lines) if (!byTurn.has(line.turn.turn)) byTurn.set(line.turn.turn, line);
  const known = new Set<string>();
  const ofFile = [...byTurn.values()].map((line) => ({ line, messages: newIn(line.turn, known) }));
  const ordered = ofFile.toSorted((a, b) => a.line.turn.turn - b.line.turn.turn);
  const said = ordered.flatMap(({ messages }, line) => messages.map((message) => ({ line, message })));
  const folded: string[] = [];
  const pairs = new PairBlock(said.length);
  for (const { message } of said) {
    const text = fold(message.text);
    pairs.add(text);
    if (folded.push(text) % PIECE_MESSAGES === 0) await breathe();
  }
  const ids = said.map(({ message }) => message.id);
  const idOf = (number: number) => ids[number] ?? "";
  let idEnd = 0;
  const columns = {
    turns: Float64Array.from(ordered, ({ line }) => line.turn.turn),
    starts: Uint32Array.from(ordered, ({ line }) => line.start),
    lengths: Uint32Array.from(ordered, ({ line }) => line.bytes),
    ids: ids.join(""),
    byId: Uint32Array.from(ids.keys()).sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1)),
    lines: Uint32Array.from(said, ({ line }) => line),
    idEnds: Uint32Array.from(ids, (id) => (idEnd += id.length)),
    atMs: Float64Array.from(said, ({ message }) => Date.parse(message.at)),
    roles: Uint8Array.from(said, ({ message }) => ROLES.indexOf(message.role)),
    clears: Uint8Array.from(said, ({ message }) => (message.marker === "clear" ? 1 : 0)),
    chars: Uint32Array.from(folded, ({ length }) => length),
    readBack: Uint32Array.from(said, ({ message }, i) => readBackOf(message, folded[i] ?? "")),
    ...layOut(folded),
  } as const;
  return { columns, pairs };
}

/** Puts texts one after the other. */
function layOut(texts: readonly string[]): Pick<Columns, "wide" | "narrow" | "widths" | "places"> {
  const ends = [0, 0];
  const widths = Uint8Array.from(texts, (text) => (WIDE.test(text) ? 1 : 0));
  const places = Uint32Array.from(texts, ({ length }, i) => {
    const width = widths[i] ?? 0;
    const place = ends[width] ?? 0;
    ends[width] = place + length;
    return place;
  });
  const textsOf = (width: number) => texts.filter((_, i) => widths[i] === width).join("");
  // It takes one byte a character in memory, whatever it was cut out of.
  const narrow = Buffer.from(textsOf(0), "latin1").toString("latin1");
  return { wide: textsOf(1), narrow, widths, places };
}

/** The first of so many places that is not below what is looked for. */
function placeOf(count: number, isBelow: (place: number) => boolean): number {
  let low = 0;
  for (let high = count; low < high; ) {
    const middle = (low + high) >>> 1;
    if (isBelow(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function newIn({ messages }: HistoryTurn, known: Set<string>): HistoryMessage[] {
  return messages.filter(({ id }) => {
    const isNew = !known.has(id);
    known.add(id);
    return isNew;
  });
}
