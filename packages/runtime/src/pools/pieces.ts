/**
 * A file that comes in pieces: they are kept over a kill of the process, and the file counts when its hash is right (docs/pools.md). Nothing
 * is synced, as no output of a local run is: a power loss may take the file.
 */
import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { type CarriedFile, PIECE_BYTES } from "@mimikit/protocol/pools/messages";
import { hasCode } from "@mimikit/store/disk/error-code";

/** The bytes are not those of the hash; nothing of them is kept. */
export class BadFile extends Error {}

const partOf = (path: string) => `${path}.part`;

/** The piece that comes next; null where the whole file is at `path`. Throws what the disk throws. */
export async function missingPiece(path: string): Promise<number | null> {
  if (existsSync(path)) return null;
  try {
    return Math.floor((await stat(partOf(path))).size / PIECE_BYTES);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return 0;
    throw error;
  }
}

/** Adds a piece; with the last one the file is at `path`. Throws `BadFile`, and what the disk throws. */
export async function addPiece(path: string, { id, bytes }: CarriedFile, piece: number, data: Buffer): Promise<void> {
  const part = partOf(path);
  const end = Math.min((piece + 1) * PIECE_BYTES, bytes);
  const isWhole = end === bytes && piece === 0;
  if (piece * PIECE_BYTES + data.length !== end) return refuse(part);
  if (isWhole && hash(data) !== id) return refuse(part);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(part, piece === 0 ? "w" : "r+", 0o600);
  try {
    await file.write(data, 0, data.length, piece * PIECE_BYTES);
  } finally {
    await file.close();
  }
  if (end < bytes) return;
  if (!isWhole && (await hashOf(part)) !== id) return refuse(part);
  await rename(part, path);
}

async function refuse(part: string): Promise<never> {
  await rm(part, { force: true });
  throw new BadFile("the bytes of a file are not those of its hash");
}

const hash = (data: Buffer) => createHash("sha256").update(data).digest("hex");

async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

/** A piece of the file at `path`; null where there is no such file. Throws what the disk throws. */
export async function readPiece(path: string, piece: number): Promise<Buffer | null> {
  try {
    const file = await open(path);
    try {
      const bytes = Buffer.allocUnsafe(PIECE_BYTES);
      const { bytesRead } = await file.read(bytes, 0, PIECE_BYTES, piece * PIECE_BYTES);
      return bytes.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}
