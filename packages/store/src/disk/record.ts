/** A record is created once: the second writer finds the first's (docs/file-protocol.md R1). */
import { BadJson, parseRecord, RECORD_BYTES_MAX } from "@mimikit/protocol/base/json";
import type { z } from "zod";
import { directoryOf, type FileSystem } from "./file-system.ts";
import { noteOwnName } from "./own-names.ts";

/** Creations that share one sync of their directory; each holds a file open until its content is durable. */
export const CREATIONS_PER_BATCH_MAX = 64;

/**
 * Creates `path` with `text`; both are durable when it resolves. Creations that begin in one turn of the event loop get their
 * names together, when the content of each is durable, then their directory is synced once. Throws what the disk throws: where
 * that sync fails, none of them counts.
 * @returns false when the name existed already: it happened before, and what is there stays.
 */
export async function createOnce(fs: FileSystem, path: string, text: string): Promise<boolean> {
  const temporary = fs.temporary();
  const batch = batchFor(fs, directoryOf(path));
  const created = await cleanly(fs, temporary, () =>
    batch.take({
      write: () => fs.write(temporary, text, batch.begun.done),
      async link() {
        const linked = await fs.link(temporary, path);
        if (linked === "linked") noteOwnName(fs, path, batch.durable);
        return linked;
      },
    }),
  );
  await Promise.all([fs.unlink(temporary), batch.durable]);
  if (created === "missing") throw new Error(`${directoryOf(path)} or the temporary file of ${path} is gone`);
  return created === "linked";
}

/** Resolves when everything that was taken is done, or has failed, and nothing more is taken. */
class Countdown {
  readonly done: Promise<void>;
  private left = 1;
  private finish: () => void = () => undefined;

  constructor() {
    this.done = new Promise((resolve) => {
      this.finish = resolve;
    });
  }

  async take<T>(work: () => Promise<T>): Promise<T> {
    this.left++;
    try {
      return await work();
    } finally {
      this.close();
    }
  }

  /** Ends one of them; called once more by its owner, who takes nothing after that. */
  close(): void {
    if (--this.left === 0) this.finish();
  }
}

/**
 * Creations in one directory that wait for each other: what presupposes one of them begins when that is durable, and so never
 * comes into its batch.
 */
class Batch {
  isOpen = true;
  /** Contents are synced when it is done: on some disks the sync of a new file writes its directory, too, as often as that has changed. */
  readonly begun = new Countdown();
  /** Ends with the sync of the directory, which begins when all of them have a name, or have failed. */
  readonly durable: Promise<void>;
  private taken = 0;
  private readonly contents = new Countdown();
  private readonly names = new Countdown();

  constructor(fs: FileSystem, dir: string) {
    this.durable = this.names.done.then(() => fs.syncDir(dir));
    // Its waiters get the error; if all writes before have failed, there are none.
    this.durable.catch(() => undefined);
    setImmediate(() => this.close());
  }

  /** Writes one record, and links it when the contents of all are durable: no other process starts on one while the rest wait for the disk. */
  take<T>({ write, link }: { write(): Promise<void>; link(): Promise<T> }): Promise<T> {
    const linked = this.names.take(async () => {
      await this.contents.take(write);
      await this.contents.done;
      return link();
    });
    if (++this.taken === CREATIONS_PER_BATCH_MAX) this.close();
    return linked;
  }

  private close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    for (const countdown of [this.begun, this.contents, this.names]) countdown.close();
  }
}

const batches = new WeakMap<FileSystem, Map<string, Batch>>();

/** The batch that takes what is created in `dir` in this turn of the event loop. */
function batchFor(fs: FileSystem, dir: string): Batch {
  const byDir = batches.get(fs) ?? new Map<string, Batch>();
  batches.set(fs, byDir);
  const open = byDir.get(dir);
  if (open?.isOpen === true) return open;
  const batch = new Batch(fs, dir);
  byDir.set(dir, batch);
  return batch;
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

/** The record is too large to be read again; the caller must say something shorter. */
export class RecordTooLarge extends Error {}

/**
 * Creates a checked record durably. Throws `RecordTooLarge`, and a ZodError for a record that is not of `schema`, which
 * is a bug of the caller.
 */
export async function createRecord<T>(fs: FileSystem, schema: z.ZodType<T>, path: string, record: T): Promise<boolean> {
  return createOnce(fs, path, textOf(schema, path, record));
}

function textOf<T>(schema: z.ZodType<T>, path: string, record: T): string {
  const text = `${JSON.stringify(schema.parse(record))}\n`;
  const bytes = Buffer.byteLength(text);
  if (bytes > RECORD_BYTES_MAX)
    throw new RecordTooLarge(`${path} would have ${bytes} bytes, more than ${RECORD_BYTES_MAX}`);
  return text;
}

/**
 * Creates a checked record that others see at once. A power loss may take its name or tear its content until `makeDurable` has
 * resolved for it: only for what can be made again from what is durable, or may be lost (docs/file-protocol.md R4).
 * @returns false when the name existed already. Throws what `createRecord` throws.
 */
export async function createUnsynced<T>(
  fs: FileSystem,
  schema: z.ZodType<T>,
  path: string,
  record: T,
): Promise<boolean> {
  const temporary = fs.temporary();
  const text = textOf(schema, path, record);
  const linked = await cleanly(fs, temporary, async () => {
    await fs.writeUnsynced(temporary, text);
    return fs.link(temporary, path);
  });
  await fs.unlink(temporary);
  if (linked === "missing") throw new Error(`${directoryOf(path)} or the temporary file of ${path} is gone`);
  return linked === "linked";
}

/**
 * The same for a record that can be made again: where a power loss has torn the one that was there, it is put in its place, whole and
 * durable. @returns false when there was one.
 */
export async function createAgainUnsynced<T>(
  fs: FileSystem,
  schema: z.ZodType<T>,
  path: string,
  record: T,
): Promise<boolean> {
  for (;;) {
    if (await createUnsynced(fs, schema, path, record)) return true;
    const there = await isWhole(fs, schema, path);
    if (there === "torn") return replaceView(fs, path, textOf(schema, path, record));
    if (there === "whole") return false;
  }
}

/**
 * Creates a checked record that others see at once, and that is durable when this resolves: its content and its name wait for the disk
 * together. A process that acts on it earlier makes it durable first (docs/file-protocol.md R4). A torn record of that name is
 * replaced. Throws what `createRecord` throws.
 * @returns false when there was one, which is durable then, too.
 */
export async function createShown<T>(fs: FileSystem, schema: z.ZodType<T>, path: string, record: T): Promise<boolean> {
  const text = textOf(schema, path, record);
  for (;;) {
    if (await showOnce(fs, path, text)) return true;
    const there = await isWhole(fs, schema, path);
    if (there === "torn") return replaceView(fs, path, text);
    if (there === "gone") continue;
    await makeDurable(fs, [path]);
    return false;
  }
}

/** Is there a record? One that was there a moment ago may have been moved to quarantine. */
async function isWhole<T>(fs: FileSystem, schema: z.ZodType<T>, path: string): Promise<"whole" | "torn" | "gone"> {
  try {
    return (await readRecord(fs, schema, path)) === null ? "gone" : "whole";
  } catch (error) {
    if (error instanceof BadJson) return "torn";
    throw error;
  }
}

/** Names the text, then makes both durable. @returns false when the name existed already. */
async function showOnce(fs: FileSystem, path: string, text: string): Promise<boolean> {
  const temporary = fs.temporary();
  const batch = batchFor(fs, directoryOf(path));
  let content: Promise<void> | undefined;
  const linked = await cleanly(fs, temporary, () =>
    batch.take({
      write: () => fs.writeUnsynced(temporary, text),
      async link() {
        const created = await fs.link(temporary, path);
        if (created !== "linked") return created;
        content = syncContent(fs, temporary, path);
        const durable = Promise.all([content, batch.durable]).then(() => undefined);
        noteOwnName(fs, path, durable);
        return created;
      },
    }),
  );
  try {
    await Promise.all([content, linked === "linked" ? batch.durable : undefined]);
  } finally {
    await fs.unlink(temporary);
  }
  if (linked === "missing") throw new Error(`${directoryOf(path)} or the temporary file of ${path} is gone`);
  return linked === "linked";
}

/** Records whose content could not be synced here, and has not been written again since. */
const unsyncable = new WeakMap<FileSystem, Set<string>>();

function unsyncableOf(fs: FileSystem): Set<string> {
  const paths = unsyncable.get(fs) ?? new Set();
  unsyncable.set(fs, paths);
  return paths;
}

/** @param name one that the record at `path` has. */
function syncContent(fs: FileSystem, name: string, path: string): Promise<void> {
  const failed = unsyncableOf(fs);
  failed.delete(path);
  const synced = fs.syncContent(name);
  synced.catch(() => failed.add(path));
  return synced;
}

/**
 * Makes the content of a record durable. Of a file whose sync has failed no later sync is believed: Linux then takes for written what it
 * could not write. So the record is written again when it is wanted again. One that is gone is fine.
 */
function syncRecord(fs: FileSystem, path: string): Promise<void> {
  return unsyncableOf(fs).has(path) ? writeAnew(fs, path) : syncContent(fs, path, path);
}

async function writeAnew(fs: FileSystem, path: string): Promise<void> {
  const text = await fs.read(path);
  if (text !== null) await replaceView(fs, path, text);
  unsyncableOf(fs).delete(path);
}

/**
 * Makes records durable that were created unsynced: their content, then their names. One that is gone is fine.
 * @param foreign those of them that are foreign files, which are never written again.
 */
export async function makeDurable(
  fs: FileSystem,
  paths: readonly string[],
  foreign: ReadonlySet<string> = new Set(),
): Promise<void> {
  const contents = paths.map((path) => (foreign.has(path) ? fs.syncContent(path) : syncRecord(fs, path)));
  const names = [...new Set(paths.map(directoryOf))].map((dir) => fs.syncDir(dir));
  const durable = Promise.all([...contents, ...names]).then(() => undefined);
  for (const path of paths) noteOwnName(fs, path, durable);
  await durable;
}

/** Reads a record; null only when there is none. Throws `BadJson` for anything that is not one. */
export async function readRecord<T>(fs: FileSystem, schema: z.ZodType<T>, path: string): Promise<T | null> {
  const text = await fs.read(path);
  return text === null ? null : parseRecord(schema, text);
}

/** As `readRecord`, for a record that was created unsynced: one that a power loss has torn is as good as none. */
export async function readUnlessTorn<T>(fs: FileSystem, schema: z.ZodType<T>, path: string): Promise<T | null> {
  try {
    return await readRecord(fs, schema, path);
  } catch (error) {
    if (error instanceof BadJson) return null;
    throw error;
  }
}

/**
 * Makes a directory, and those above it, where they are missing; its name is durable when this resolves. The process that made it may have
 * been killed before it was, so it is synced in any case. Throws what the disk throws.
 */
export async function makeDurableDir(fs: FileSystem, dir: string): Promise<void> {
  await fs.makeDir(dir);
  for (let each = dir; each !== "."; each = directoryOf(each)) await fs.syncDir(directoryOf(each));
}

/**
 * Replaces a view (history.json): complete at any instant, old or new. Never for records that can be read.
 * @param mayReplace is asked last, when only the rename is left to do; where it says no, everything stays as it is. So it does where
 * the new file, whose name it is told, was removed since.
 */
export async function replaceView(
  fs: FileSystem,
  path: string,
  text: string,
  mayReplace?: (temporary: string) => Promise<boolean>,
): Promise<boolean> {
  const temporary = fs.temporary();
  let isReplaced = true;
  await cleanly(fs, temporary, async () => {
    await fs.write(temporary, text);
    if (mayReplace !== undefined && !(await mayReplace(temporary))) {
      isReplaced = false;
      return fs.unlink(temporary);
    }
    if (await fs.rename(temporary, path)) return;
    // The directory was removed: people tidy up among their notes.
    await makeDurableDir(fs, directoryOf(path));
    if (await fs.rename(temporary, path)) return;
    if (mayReplace === undefined) throw new Error(`the temporary file of ${path} is gone`);
    isReplaced = false;
  });
  await fs.syncDir(directoryOf(path));
  return isReplaced;
}
