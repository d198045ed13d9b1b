/**
 * The few things of the tar format that a backup needs: plain files with short or long names, written and read as
 * streams. What else an archive may hold (links, devices, names that lead out of it) is refused when it is read.
 */
import { Header, Parser, Pax, type ReadEntry } from "tar";

const BLOCK_BYTES = 512;
const FILE_MODE = 0o600;

/** The archive is damaged, or holds what a backup does not hold; the message says what, in one line. */
export class BadTar extends Error {}

/** What stands before the bytes of a file. @param path with slashes, relative. @param size bytes that follow. */
export function fileHeader(path: string, size: number, mtimeSec: number): Buffer {
  const entry = { path, size, mode: FILE_MODE, mtime: new Date(mtimeSec * 1_000) };
  const block = Buffer.alloc(BLOCK_BYTES);
  const isShortened = new Header({ ...entry, type: "File", uid: 0, gid: 0 }).encode(block);
  return isShortened ? Buffer.concat([new Pax(entry).encode(), block]) : block;
}

/** What fills the last block of a file of this size. */
export function padding(size: number): Buffer {
  return Buffer.alloc((BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES);
}

/** What stands at the end of an archive. */
export const endOfArchive = () => Buffer.alloc(2 * BLOCK_BYTES);

/** A file of the archive; its bytes follow it. */
export interface TarFile {
  path: string;
  size: number;
}

/** The files of an archive in order, each followed by its bytes in pieces. Throws `BadTar`, and what the stream throws. */
export async function* readTar(stream: AsyncIterable<Buffer>): AsyncGenerator<TarFile | Buffer> {
  const parser = new Parser({ strict: true });
  /** What the last chunk has brought: the parser is done with a chunk when it has been written. */
  let found: (TarFile | Buffer)[] = [];
  let problem: string | undefined;
  let hasEnd = false;
  parser.on("entry", (entry: ReadEntry) => {
    problem ??= problemOf(entry);
    found.push({ path: entry.path, size: entry.size });
    entry.on("data", (piece) => found.push(piece));
  });
  parser.on("ignoredEntry", (entry: ReadEntry) => {
    problem ??= problemOf(entry);
  });
  parser.on("error", (error) => {
    problem ??= `this is no tar archive, or it is damaged: ${error.message}`;
  });
  parser.on("eof", () => {
    hasEnd = true;
  });
  for await (const chunk of stream) {
    parser.write(chunk);
    if (problem !== undefined) throw new BadTar(problem);
    yield* found;
    found = [];
  }
  if (!hasEnd) throw new BadTar("the archive ends in the middle");
}

/** What is wrong with an entry: a backup holds plain files inside of itself, and nothing else. */
function problemOf({ path, type }: ReadEntry): string | undefined {
  if (type !== "File" && type !== "OldFile") return `${path} is no plain file`;
  const parts = path.split("/");
  const leadsOut = path.includes("\0") || path.includes("\\") || parts.some((part) => ["", ".", ".."].includes(part));
  return leadsOut ? `${JSON.stringify(path)} is no name of a file inside of the archive` : undefined;
}
