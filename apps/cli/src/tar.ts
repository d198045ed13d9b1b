/**
 * The few things of the tar format that a backup needs: plain files with short or long names, written and read as
 * streams. What else an archive may hold (links, devices, names that lead out of it) is refused when it is read.
 */
import { sep } from "node:path";
import type { Readable } from "node:stream";

const BLOCK_BYTES = 512;
const NAME_BYTES_MAX = 100;
/** What ten octal digits and a bit can say. */
const SIZE_MAX = 8 * 1_073_741_824 - 1;
/** A record of a long name; more is none of ours. */
const EXTENDED_BYTES_MAX = 65_536;
const FILE = "0";
const EXTENDED = "x";

/** The archive is damaged, or holds what a backup does not hold; the message says what, in one line. */
export class BadTar extends Error {}

/** What stands before the bytes of a file. @param path with slashes, relative. @param size bytes that follow, below 8 GB. */
export function fileHeader(path: string, size: number, mtimeSec: number): Buffer {
  if (Buffer.byteLength(path) <= NAME_BYTES_MAX) return header(path, size, mtimeSec, FILE);
  // The length at the front of the record counts itself.
  const rest = ` path=${path}\n`;
  let length = Buffer.byteLength(rest);
  while (length !== Buffer.byteLength(`${length}${rest}`)) length = Buffer.byteLength(`${length}${rest}`);
  const record = Buffer.from(`${length}${rest}`);
  return Buffer.concat([
    header("path", record.length, mtimeSec, EXTENDED),
    record,
    padding(record.length),
    header(path.slice(-NAME_BYTES_MAX / 4), size, mtimeSec, FILE),
  ]);
}

/** What fills the last block of a file of this size. */
export function padding(size: number): Buffer {
  return Buffer.alloc((BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES);
}

/** What stands at the end of an archive. */
export const endOfArchive = () => Buffer.alloc(2 * BLOCK_BYTES);

function header(name: string, size: number, mtimeSec: number, type: string): Buffer {
  if (size > SIZE_MAX) throw new BadTar(`${name} is larger than ${SIZE_MAX} bytes`);
  const block = Buffer.alloc(BLOCK_BYTES);
  const octal = (value: number, digits: number) => Math.floor(value).toString(8).padStart(digits, "0");
  block.write(name, 0);
  block.write(`${octal(0o600, 7)}\0`, 100);
  block.write(`${octal(0, 7)}\0${octal(0, 7)}\0`, 108);
  block.write(`${octal(size, 11)}\0${octal(mtimeSec, 11)}\0`, 124);
  block.write("        ", 148);
  block.write(type, 156);
  block.write("ustar\u000000", 257);
  block.write(`${octal(checksumOf(block), 6)}\0 `, 148);
  return block;
}

function checksumOf(block: Buffer): number {
  let sum = 0;
  for (const byte of block) sum += byte;
  return sum;
}

export interface TarEntry {
  path: string;
  size: number;
  /** The bytes, which must be read before the next entry is asked for. */
  chunks: AsyncIterable<Buffer>;
}

/** The files of an archive, in order. Throws `BadTar`, and what the stream throws. */
export async function* readTar(stream: Readable): AsyncGenerator<TarEntry> {
  const source = new Source(stream);
  let longName: string | undefined;
  for (;;) {
    const block = await source.take(BLOCK_BYTES);
    if (block.every((byte) => byte === 0)) return;
    const { name, size, type } = parseHeader(block);
    if (type === EXTENDED) {
      if (size > EXTENDED_BYTES_MAX) throw new BadTar("a name in the archive is too long");
      longName = nameIn(await source.take(size));
      await source.take(padding(size).length);
      continue;
    }
    const path = longName ?? name;
    longName = undefined;
    if (type !== FILE && type !== "\0") throw new BadTar(`${path} is no plain file`);
    assertInside(path);
    yield { path, size, chunks: source.pieces(size) };
    await source.take(padding(size).length);
  }
}

function parseHeader(block: Buffer): { name: string; size: number; type: string } {
  const text = (from: number, length: number) =>
    block
      .toString("utf8", from, from + length)
      .split("\0", 1)
      .join();
  const octal = (from: number, length: number) => {
    const digits = text(from, length).trim();
    if (!/^[0-7]+$/.test(digits)) throw new BadTar("this is no tar archive, or it is damaged");
    return Number.parseInt(digits, 8);
  };
  const said = octal(148, 8);
  const blank = Buffer.from(block);
  blank.fill(" ", 148, 156);
  if (checksumOf(blank) !== said) throw new BadTar("this is no tar archive, or it is damaged");
  return { name: text(0, NAME_BYTES_MAX), size: octal(124, 12), type: block.toString("latin1", 156, 157) };
}

/** The name in records that say their own length: it may hold line breaks. */
function nameIn(records: Buffer): string | undefined {
  for (let rest = records; rest.length > 0; ) {
    const length = Number.parseInt(rest.toString("latin1", 0, 8), 10);
    if (!(length > 0)) return undefined;
    const record = rest.toString("utf8", 0, length - 1);
    const [start] = /^\d+ path=/.exec(record) ?? [];
    if (start !== undefined) return record.slice(start.length);
    rest = rest.subarray(length);
  }
  return undefined;
}

function assertInside(path: string): void {
  const parts = path.split("/");
  // Where it separates nothing, a backslash is a letter like any other.
  const leadsOut =
    path.includes("\0") || (sep === "\\" && path.includes(sep)) || parts.some((part) => ["", ".", ".."].includes(part));
  if (leadsOut) throw new BadTar(`${JSON.stringify(path)} is no name of a file inside of the archive`);
}

/** Bytes of a stream, as many as are asked for. */
class Source {
  private readonly chunks: AsyncIterator<Buffer>;
  private held: Buffer = Buffer.alloc(0);

  constructor(stream: Readable) {
    this.chunks = stream[Symbol.asyncIterator]();
  }

  async take(count: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of this.pieces(count)) parts.push(part);
    return Buffer.concat(parts);
  }

  async *pieces(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0; ) {
      if (this.held.length === 0) {
        const { value, done } = await this.chunks.next();
        if (done === true) throw new BadTar("the archive ends in the middle");
        this.held = value;
        continue;
      }
      const piece = this.held.subarray(0, left);
      this.held = this.held.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }
}
