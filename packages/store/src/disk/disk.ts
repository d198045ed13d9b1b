/**
 * The state directory on a real disk. Small metadata calls are synchronous (some 10 µs each). Calls that wait for the
 * disk run in the thread pool, in one step each: syncs, which can take milliseconds and are shared by all callers that
 * wait for the same directory (group commit), and removals, which free blocks.
 */

import { isUtf8 } from "node:buffer";
import * as sync from "node:fs";
import { constants } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { BadJson, RECORD_BYTES_MAX } from "@mimikit/protocol/base/json";
import { hasCode } from "./error-code.ts";
import { directoryOf, type FileInfo, type FileSystem } from "./file-system.ts";
import { makeDirectory } from "./restore-directories.ts";
import { shareRuns } from "./share-runs.ts";
import { DIRECTORIES, TEMPORARY } from "./state.ts";

/** A directory's mtime has the granularity of the kernel's tick, so a younger one may hide a later change. */
const MTIME_SETTLED_MS = 50;

const fsync = promisify(sync.fsync);
const unlink = promisify(sync.unlink);

const openDirectory = (path: string) => sync.openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);

/** Makes the names in the directory at `path` durable, and those alone that are in what has this name when it returns. */
class DirectorySync {
  private readonly path: string;
  private held: { file: number; dev: number; ino: number } | undefined;

  constructor(path: string) {
    this.path = path;
  }

  /** One run at a time. Throws what the disk throws: ENOENT where the directory is gone. */
  async run(): Promise<void> {
    try {
      do {
        this.held ??= this.open();
        await fsync(this.held.file);
      } while (!this.isInPlace(this.held));
    } catch (error) {
      // A file that a sync has failed for says so once: the next one is to be asked of another.
      this.close();
      throw error;
    }
  }

  private open() {
    const file = openDirectory(this.path);
    const { dev, ino } = sync.fstatSync(file);
    return { file, dev, ino };
  }

  /** Another directory may have taken its place; the one that is held keeps its number to itself. */
  private isInPlace({ dev, ino }: { dev: number; ino: number }): boolean {
    const now = sync.statSync(this.path);
    if (now.dev === dev && now.ino === ino) return true;
    this.close();
    return false;
  }

  private close(): void {
    if (this.held !== undefined) sync.closeSync(this.held.file);
    this.held = undefined;
  }
}

/** The bytes of a plain file; null only when it does not exist. */
function readPlain(path: string, bytesMax: number): Buffer | null {
  let file: number;
  try {
    file = sync.openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    if (hasCode(error, "ELOOP", "ENXIO")) throw new BadJson("not a regular file");
    if (hasCode(error, "EACCES", "EPERM")) throw new BadJson("no permission to read it");
    throw error;
  }
  try {
    const info = sync.fstatSync(file);
    if (!info.isFile()) throw new BadJson("not a regular file");
    if (info.size > bytesMax) throw new BadJson(`longer than ${bytesMax} bytes`);
    return sync.readFileSync(file);
  } finally {
    sync.closeSync(file);
  }
}

/** The first bytes of a plain file; null where it is gone, or was exchanged for something else. */
function beginningOf(path: string, bytes: number): Buffer | null {
  let file: number;
  try {
    file = sync.openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ELOOP", "ENXIO", "EACCES", "EPERM")) return null;
    throw error;
  }
  try {
    const beginning = Buffer.alloc(bytes);
    return beginning.subarray(0, sync.readSync(file, beginning, 0, bytes, 0));
  } finally {
    sync.closeSync(file);
  }
}

/**
 * Opens the state directory `home`, which must exist with all its directories. Nothing is written by opening it.
 * @param incarnation names this process's own part of `tmp/`; unique per process start. It is made when it is needed.
 * @param restore makes directories of the state that were removed. It is called where one is missed, and what has missed
 * it is done once more; never for a sync, because what was to be durable is gone with its directory.
 */
export function openDisk(home: string, incarnation: string, restore: () => void = () => undefined): FileSystem {
  const at = (path: string) => join(home, path);
  const syncs = new Map<string, () => Promise<void>>();
  const temporaryDir = `${TEMPORARY}/${incarnation}`;
  const ours = new Set([...DIRECTORIES, temporaryDir]);
  let temporaries = 0;

  /** Does `work` in `dir`; once more where it has failed for want of `dir`, which is made again. */
  async function within<T>(dir: string, work: () => T | Promise<T>, isToBlame = () => true): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!hasCode(error, "ENOENT") || !ours.has(dir) || !isToBlame()) throw error;
      restore();
      if (dir === temporaryDir) makeDirectory(at(dir));
      return work();
    }
  }

  const create = (path: string) => within(directoryOf(path), () => sync.openSync(at(path), "wx", 0o600));

  /** Gives what is at `from` another name. Without it, no directory is to blame. */
  const into = (from: string, to: string, work: () => void) =>
    within(directoryOf(to), work, () => sync.existsSync(at(from)));

  return {
    async list(dir) {
      return within(dir, () => sync.readdirSync(at(dir)));
    },

    async version(dir) {
      const { mtimeNs, mtimeMs } = await within(dir, () => sync.statSync(at(dir), { bigint: true }));
      const ageMs = Date.now() - Number(mtimeMs);
      return ageMs > MTIME_SETTLED_MS ? String(mtimeNs) : null;
    },

    async read(path, bytesMax = RECORD_BYTES_MAX) {
      return readPlain(at(path), bytesMax)?.toString("utf8") ?? null;
    },

    async readText(path, bytesMax = RECORD_BYTES_MAX) {
      const bytes = readPlain(at(path), bytesMax);
      if (bytes !== null && !isUtf8(bytes)) throw new BadJson("no text in UTF-8");
      return bytes?.toString("utf8") ?? null;
    },

    async exists(path) {
      return sync.lstatSync(at(path), { throwIfNoEntry: false }) !== undefined;
    },

    async info(path): Promise<FileInfo | null> {
      const info = sync.lstatSync(at(path), { throwIfNoEntry: false });
      return info === undefined ? null : { mtimeMs: info.mtimeMs, size: info.size, inode: info.ino, links: info.nlink };
    },

    async write(path, text, mayBegin) {
      const file = await create(path);
      try {
        sync.writeFileSync(file, text);
        await mayBegin;
        await fsync(file);
      } finally {
        sync.closeSync(file);
      }
    },

    async writeUnsynced(path, text) {
      const file = await create(path);
      try {
        sync.writeFileSync(file, text);
      } finally {
        sync.closeSync(file);
      }
    },

    async syncContent(path) {
      let file: number;
      try {
        file = sync.openSync(at(path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      } catch (error) {
        if (hasCode(error, "ENOENT")) return;
        throw error;
      }
      try {
        await fsync(file);
      } finally {
        sync.closeSync(file);
      }
    },

    async link(from, to) {
      try {
        await into(from, to, () => sync.linkSync(at(from), at(to)));
        return "linked";
      } catch (error) {
        if (hasCode(error, "EEXIST")) return "exists";
        if (hasCode(error, "ENOENT")) return "missing";
        throw error;
      }
    },

    async rename(from, to) {
      try {
        await into(from, to, () => sync.renameSync(at(from), at(to)));
        return true;
      } catch (error) {
        if (hasCode(error, "ENOENT")) return false;
        throw error;
      }
    },

    async shorten(path, bytesMax) {
      const info = sync.lstatSync(at(path), { throwIfNoEntry: false });
      if (info?.isFile() !== true || info.size <= bytesMax) return;
      const beginning = beginningOf(at(path), bytesMax);
      if (beginning === null) return;
      const temporary = `${temporaryDir}/${++temporaries}`;
      const file = await create(temporary);
      try {
        sync.writeFileSync(file, beginning);
      } finally {
        sync.closeSync(file);
      }
      sync.renameSync(at(temporary), at(path));
    },

    async makeDir(dir) {
      sync.mkdirSync(at(dir), { recursive: true, mode: 0o700 });
    },

    async unlink(path) {
      try {
        // Its inode has another name, so no blocks are freed: that is no work for the thread pool.
        if (directoryOf(path) === temporaryDir) sync.unlinkSync(at(path));
        else await unlink(at(path));
      } catch (error) {
        if (!hasCode(error, "ENOENT")) throw error;
      }
    },

    syncDir(dir) {
      let syncShared = syncs.get(dir);
      if (syncShared === undefined) {
        const directory = new DirectorySync(at(dir));
        syncShared = shareRuns(() => directory.run());
        syncs.set(dir, syncShared);
      }
      return syncShared();
    },

    temporary() {
      return `${temporaryDir}/${++temporaries}`;
    },
  };
}
