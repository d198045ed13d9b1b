/** The archive of a backup: plain files only. Other entries (links, devices, names that lead out) are refused. */

import { sep } from "node:path";
import { pipeline, Readable } from "node:stream";
import { pipeline as pipe } from "node:stream/promises";
import { extract, type Pack } from "tar-stream";
import { t } from "../i18n/language.ts";

const FILE_MODE = 0o600;

/** The archive holds what a backup does not hold; the message says what, in one line. */
export class BadTar extends Error {}

/** A file as an archive has it. */
export interface TarFile {
  /** With slashes, relative. */
  path: string;
  /** How many bytes it has. */
  size: number;
  mtimeMs: number;
}

/** Puts a file into an archive; it is the last one until the promise is kept. @param chunks exactly as many bytes as it has. */
export async function addFile(archive: Pack, file: TarFile, chunks: Iterable<Buffer>): Promise<void> {
  const { path, size, mtimeMs } = file;
  await pipe(
    Readable.from(chunks),
    archive.entry({ name: path, size, mode: FILE_MODE, type: "file", mtime: new Date(mtimeMs) }),
  );
}

export interface TarEntry {
  path: string;
  /** The bytes, which must be read before the next entry is asked for. */
  chunks: AsyncIterable<Buffer>;
}

/** The files of an archive, in order. Throws `BadTar`, what the stream throws, and what says that it is damaged. */
export async function* readTar(stream: Readable): AsyncGenerator<TarEntry> {
  const archive = extract();
  // Errors of the stream are thrown to the code that iterates over the archive.
  pipeline(stream, archive, () => undefined);
  for await (const entry of archive) {
    const { name, type } = entry.header;
    if (type !== "file") throw new BadTar(t("{name} is no plain file", { name }));
    assertInside(name);
    yield { path: name, chunks: entry };
  }
}

function assertInside(path: string): void {
  const parts = path.split("/");
  // Where it separates nothing, a backslash is a letter like any other.
  const leadsOut =
    path.includes("\0") || (sep === "\\" && path.includes(sep)) || parts.some((part) => ["", ".", ".."].includes(part));
  if (leadsOut)
    throw new BadTar(t("{path} is no name of a file inside of the archive", { path: JSON.stringify(path) }));
}
