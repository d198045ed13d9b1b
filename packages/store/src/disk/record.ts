/** A record is created once: the second writer finds the first's (docs/file-protocol.md R1). */
import { parseRecord, RECORD_BYTES_MAX } from "@mimikit/protocol/base/json";
import type { z } from "zod";
import { directoryOf, type FileSystem } from "./file-system.ts";

/**
 * Creates `path` with `text`; both are durable when it resolves.
 * @returns false when the name existed already: it happened before, and what is there stays.
 */
export async function createOnce(fs: FileSystem, path: string, text: string): Promise<boolean> {
  const temporary = fs.temporary();
  const created = await cleanly(fs, temporary, async () => {
    await fs.write(temporary, text);
    return fs.link(temporary, path);
  });
  await fs.unlink(temporary);
  await fs.syncDir(directoryOf(path));
  if (created === "missing") throw new Error(`${directoryOf(path)} or the temporary file of ${path} is gone`);
  return created === "linked";
}

/** A disk that is full must not fill up with what could not be finished. */
async function cleanly<T>(fs: FileSystem, temporary: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await fs.unlink(temporary);
    throw error;
  }
}

/** The record is so large that nobody would read it again; the caller must say something shorter. */
export class RecordTooLarge extends Error {}

/**
 * Creates a checked record durably. Throws `RecordTooLarge`, and a ZodError for a record that is not of `schema`, which
 * is a bug of the caller.
 */
export async function createRecord<T>(fs: FileSystem, schema: z.ZodType<T>, path: string, record: T): Promise<boolean> {
  const text = `${JSON.stringify(schema.parse(record))}\n`;
  const bytes = Buffer.byteLength(text);
  if (bytes > RECORD_BYTES_MAX)
    throw new RecordTooLarge(`${path} would have ${bytes} bytes, more than ${RECORD_BYTES_MAX}`);
  return createOnce(fs, path, text);
}

/** Reads a record; null only when there is none. Throws `BadJson` for anything that is not one. */
export async function readRecord<T>(fs: FileSystem, schema: z.ZodType<T>, path: string): Promise<T | null> {
  const text = await fs.read(path);
  return text === null ? null : parseRecord(schema, text);
}

/**
 * Replaces a view (history.json): complete at any instant, old or new. Never for records.
 * @param mayReplace is asked last, when only the rename is left to do; where it says no, everything stays as it is.
 */
export async function replaceView(
  fs: FileSystem,
  path: string,
  text: string,
  mayReplace: () => Promise<boolean> = async () => true,
): Promise<boolean> {
  const temporary = fs.temporary();
  let isReplaced = true;
  await cleanly(fs, temporary, async () => {
    await fs.write(temporary, text);
    if (!(await mayReplace())) {
      isReplaced = false;
      return fs.unlink(temporary);
    }
    if (await fs.rename(temporary, path)) return;
    // Somebody removed the directory: people tidy up among their notes.
    await fs.makeDir(directoryOf(path));
    if (!(await fs.rename(temporary, path))) throw new Error(`the temporary file of ${path} is gone`);
  });
  await fs.syncDir(directoryOf(path));
  return isReplaced;
}
