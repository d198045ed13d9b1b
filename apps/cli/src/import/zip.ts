/**
 * Reads a zip file: its central directory, and the files that are asked for, one at a time. Nothing is written to the disk, so no
 * name in it leads anywhere. No zip library is among the dependencies (docs/decisions/0032).
 */
import { constants, type FileHandle, open } from "node:fs/promises";
import { promisify } from "node:util";
import { crc32, inflateRaw } from "node:zlib";
import { t } from "../i18n/language.ts";
import { Failure } from "../io/failure.ts";

/** Names in a zip that are looked at. */
export const ZIP_ENTRIES_MAX = 100_000;
const DIRECTORY_BYTES_MAX = 64 * 1_048_576;
const END_BYTES = 22;
const COMMENT_BYTES_MAX = 0xffff;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
const END_MARK = 0x06054b50;
const ENTRY_MARK = 0x02014b50;
const LOCAL_MARK = 0x04034b50;
/** A number that is too large for its field is in a zip64 record. */
const FULL_16 = 0xffff;
const FULL_32 = 0xffffffff;
const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED = 1;

const inflate = promisify(inflateRaw);

interface Entry {
  name: string;
  flags: number;
  method: number;
  crc: number;
  packedBytes: number;
  bytes: number;
  offset: number;
}

export interface Zip {
  /** Of its files, as they stand in it. */
  names: readonly string[];
  /** @returns the content of a file. @throws Failure where it is damaged, or has more than `bytesMax` bytes. */
  read(name: string, bytesMax: number): Promise<Buffer>;
  close(): Promise<void>;
}

/** @throws Failure where the file is no zip that can be read. */
export async function openZip(path: string): Promise<Zip> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const entries = await entriesOf(file, path);
    return {
      names: [...entries.keys()],
      read: (name, bytesMax) => readEntry(file, path, entries.get(name), bytesMax),
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function entriesOf(file: FileHandle, path: string): Promise<Map<string, Entry>> {
  const { size } = await file.stat();
  const tail = await bytesAt(file, Math.max(0, size - END_BYTES - COMMENT_BYTES_MAX), END_BYTES + COMMENT_BYTES_MAX);
  let end = tail.length - END_BYTES;
  while (end >= 0 && tail.readUInt32LE(end) !== END_MARK) end--;
  if (end < 0)
    throw new Failure("failed", t("{path} is no zip file, or its end is missing: download it once more", { path }));
  const count = tail.readUInt16LE(end + 10);
  const bytes = tail.readUInt32LE(end + 12);
  const offset = tail.readUInt32LE(end + 16);
  if (count === FULL_16 || bytes === FULL_32 || offset === FULL_32)
    throw new Failure("failed", t("{path} is larger than can be read here: unpack it, and name the folder", { path }));
  if (count > ZIP_ENTRIES_MAX || bytes > DIRECTORY_BYTES_MAX || offset + bytes > size) throw damaged(path);
  return parseDirectory(await bytesAt(file, offset, bytes), count, path);
}

function parseDirectory(directory: Buffer, count: number, path: string): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  let at = 0;
  for (let i = 0; i < count; i++) {
    if (at + ENTRY_BYTES > directory.length || directory.readUInt32LE(at) !== ENTRY_MARK) throw damaged(path);
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((field) => directory.readUInt16LE(at + field));
    const name = directory.toString("utf8", at + ENTRY_BYTES, at + ENTRY_BYTES + (nameBytes ?? 0));
    if (!name.endsWith("/"))
      entries.set(name, {
        name,
        flags: directory.readUInt16LE(at + 8),
        method: directory.readUInt16LE(at + 10),
        crc: directory.readUInt32LE(at + 16),
        packedBytes: directory.readUInt32LE(at + 20),
        bytes: directory.readUInt32LE(at + 24),
        offset: directory.readUInt32LE(at + 42),
      });
    at += ENTRY_BYTES + (nameBytes ?? 0) + (extraBytes ?? 0) + (commentBytes ?? 0);
  }
  return entries;
}

async function readEntry(file: FileHandle, path: string, entry: Entry | undefined, bytesMax: number): Promise<Buffer> {
  if (entry === undefined) throw damaged(path);
  const { name, flags, method, crc, packedBytes, bytes, offset } = entry;
  if (bytes > bytesMax || packedBytes > bytesMax)
    throw new Failure(
      "failed",
      t("{name} in {path} has {bytes} bytes, more than {bytesMax} that are read at once", {
        name,
        path,
        bytes,
        bytesMax,
      }),
    );
  if ((flags & ENCRYPTED) !== 0)
    throw new Failure("failed", t("{name} in {path} is encrypted: unpack it, and name the folder", { name, path }));
  const head = await bytesAt(file, offset, LOCAL_BYTES);
  if (head.length < LOCAL_BYTES || head.readUInt32LE(0) !== LOCAL_MARK) throw damaged(path);
  const packed = await bytesAt(file, offset + LOCAL_BYTES + head.readUInt16LE(26) + head.readUInt16LE(28), packedBytes);
  const content = await unpacked(packed, method, bytes).catch(() => null);
  if (content === null || content.length !== bytes || crc32(content) !== crc)
    throw new Failure("failed", t("{name} in {path} is damaged: download the export once more", { name, path }));
  return content;
}

/** A packed file may be larger than it says: no more is unpacked than that. */
async function unpacked(packed: Buffer, method: number, bytes: number): Promise<Buffer | null> {
  if (method === STORED) return packed;
  if (method !== DEFLATED) return null;
  return bytes === 0 ? Buffer.alloc(0) : inflate(packed, { maxOutputLength: bytes });
}

async function bytesAt(file: FileHandle, offset: number, bytes: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(bytes), 0, bytes, offset);
  return buffer.subarray(0, bytesRead);
}

function damaged(path: string): Failure {
  return new Failure("failed", t("{path} is a damaged zip file: download it once more", { path }));
}
