/**
 * A courtesy between those who edit memory.md and backlog.md at the same time; correctness never depends on it
 * (docs/file-protocol.md R5).
 */
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { hasCode } from "@mimikit/store/disk/error-code";
import { LOCKS } from "@mimikit/store/disk/state";
import { DocumentBusy } from "@mimikit/store/documents/document";
import lockfile from "proper-lockfile";

const STALE_MS = 5_000;
/** Many editors empty a file before they write it again: one that has just changed may be saved by half. */
const QUIET_MS = 50;
/** A document that is saved again and again is not waited for any longer than this. */
const BUSY_MS_MAX = 500;
const LEFT_MAX = 64;

/** Fingerprints of this process's last writes: an unchanged one means that the document was not saved since. */
const left = new Map<string, string>();
/** Since when a document has not been quiet whenever it was looked at, on the clock that never jumps, in milliseconds. */
const busySinceMs = new Map<string, number>();

/**
 * Runs `work` while holding the lock of a document that is not being saved just now. It never waits: if the document is
 * being saved, or its lock is held, it throws `DocumentBusy`, and the caller tries again a little later. A lock that was
 * lost, and an editor that saves in spite of it, are noticed by the revision check, not here.
 */
export async function lockDocument<T>(home: string, path: string, work: () => Promise<T>): Promise<T> {
  const document = join(home, path);
  const release = await acquire(home, path);
  try {
    if (!isQuiet(document)) throw new DocumentBusy(path);
    const before = look(document);
    const done = await work();
    noteLeft(document, before.inode);
    return done;
  } finally {
    await release().catch((error: unknown) => {
      // Another process took a stale lock over: it is theirs now.
      if (!hasCode(error, "ERELEASED", "ENOTACQUIRED", "ENOENT")) throw error;
    });
  }
}

/** A file that has replaced the one before is whole; the same file may be one that is still being written. */
function noteLeft(document: string, inodeBefore: number): void {
  const { inode, stamp } = look(document);
  if (inode === inodeBefore) return;
  left.delete(document);
  left.set(document, stamp);
  const [oldest] = left.keys();
  if (left.size > LEFT_MAX && oldest !== undefined) left.delete(oldest);
}

/** Throws `DocumentBusy` if another process holds the lock; one that has died with it holds it for 5 s. */
async function acquire(home: string, path: string): Promise<() => Promise<void>> {
  try {
    return await lockfile.lock(join(home, path), {
      lockfilePath: join(home, LOCKS, `${path.replaceAll("/", "-")}.lock`),
      realpath: false,
      stale: STALE_MS,
      onCompromised: () => undefined,
    });
  } catch (error) {
    if (hasCode(error, "ELOCKED")) throw new DocumentBusy(path);
    throw error;
  }
}

function isQuiet(document: string): boolean {
  const { stamp, mtimeMs } = look(document);
  const ageMs = Date.now() - mtimeMs;
  const busyMs = performance.now() - (busySinceMs.get(document) ?? performance.now());
  // A file knows its time more finely than the clock, and may be ahead of it; far ahead is one whose clock was wrong.
  const isOld = Math.abs(ageMs) >= QUIET_MS;
  if (isOld || stamp === left.get(document) || busyMs >= BUSY_MS_MAX) {
    busySinceMs.delete(document);
    return true;
  }
  if (!busySinceMs.has(document)) busySinceMs.set(document, performance.now());
  return false;
}

function look(document: string): { inode: number; stamp: string; mtimeMs: number } {
  const info = lstatSync(document, { throwIfNoEntry: false });
  if (info === undefined) return { inode: 0, stamp: "", mtimeMs: 0 };
  return { inode: info.ino, stamp: `${info.ino} ${info.size} ${info.mtimeMs}`, mtimeMs: info.mtimeMs };
}
