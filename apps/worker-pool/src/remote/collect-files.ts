/** The files that a result names, as far as a person may read them, as they are now: they go home with the outcome (docs/pools.md). */
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { type FileHandle, mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import {
  type CarriedFile,
  FILES_BYTES_MAX,
  FILES_CARRIED_BYTES_MAX,
  FILES_MAX,
  type PoolOutcome,
} from "@mimikit/protocol/pools/messages";
import { RESULT_SCHEMAS, type ResultType } from "@mimikit/protocol/records/result";
import { openReadable, type ReadablePlace } from "@mimikit/runtime/workspace/readable-file";

const MEBIBYTE = 1_048_576;

/** The files are more than may come home; the message says what to do. */
export class TooMuch extends Error {}

/**
 * @param dir where copies go, under their hashes, of the files that are too large to be in the outcome itself. Throws `TooMuch`, and what
 * the disk throws.
 */
export async function collectFiles(
  { resultType, result }: { resultType: ResultType; result: unknown },
  taskId: string,
  place: ReadablePlace,
  dir: string,
): Promise<PoolOutcome["files"]> {
  const files: PoolOutcome["files"] = [];
  let bytes = 0;
  let carriedBytes = 0;
  for (const path of new Set(namedBy(resultType, result))) {
    const found = await openReadable(place, path, taskId);
    if (found === null) continue;
    try {
      bytes += found.bytes;
      if (bytes > FILES_BYTES_MAX || files.length >= FILES_MAX) throw tooMuch();
      if (carriedBytes + found.bytes <= FILES_CARRIED_BYTES_MAX) {
        carriedBytes += found.bytes;
        files.push({ path, ...(await read(found.handle, found.bytes)) });
        continue;
      }
      await mkdir(dir, { recursive: true, mode: 0o700 });
      files.push({ path, ...(await copy(found.handle.createReadStream({ autoClose: false }), dir, found.bytes)) });
    } finally {
      await found.handle.close();
    }
  }
  return files;
}

function tooMuch(): TooMuch {
  return new TooMuch(
    `at most ${FILES_MAX} files of together ${FILES_BYTES_MAX / MEBIBYTE} MB come home with a result, and it names more. They stay on this machine: let the task name fewer, or copy them yourself`,
  );
}

async function read(handle: FileHandle, bytes: number): Promise<CarriedFile & { data: string }> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0);
  const data = buffer.subarray(0, bytesRead);
  return { id: createHash("sha256").update(data).digest("hex"), bytes: bytesRead, data: data.toString("base64") };
}

/** A file that grows meanwhile counts as it was. */
async function copy(source: AsyncIterable<Buffer>, dir: string, bytes: number): Promise<CarriedFile> {
  const hash = createHash("sha256");
  const temporary = join(dir, "copy");
  let left = bytes;
  await pipeline(
    async function* () {
      for await (const chunk of source) {
        const part = chunk.subarray(0, left);
        left -= part.length;
        hash.update(part);
        yield part;
        if (left === 0) return;
      }
    },
    createWriteStream(temporary, { mode: 0o600 }),
  );
  const id = hash.digest("hex");
  await rename(temporary, join(dir, id));
  return { id, bytes: bytes - left };
}

function namedBy(resultType: ResultType, result: unknown): string[] {
  if (resultType === "text") {
    const artifact = RESULT_SCHEMAS.text.safeParse(result).data?.artifact;
    return artifact === undefined ? [] : [artifact];
  }
  if (resultType !== "code_change") return [];
  const { files = [] } = RESULT_SCHEMAS.code_change.safeParse(result).data ?? {};
  return files.map(({ path }) => path);
}
