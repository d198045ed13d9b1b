/** A courtesy between those who edit memory.md and backlog.md at the same time; correctness never depends on it (PROTOCOL R5). */
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { hasCode } from "@mimikit/store/error-code";
import { LOCKS } from "@mimikit/store/state";
import lockfile from "proper-lockfile";

const STALE_MS = 5_000;
const RETRIES = { retries: 40, minTimeout: 20, maxTimeout: 200, factor: 1.5 };
/** Many editors empty a file before they write it anew: one that has just changed may be saved by half. */
const QUIET_MS = 50;
const QUIET_WAITS_MAX = 10;
const LEFT_MAX = 64;

/** How this process left the documents that it changed last: nobody has saved one since as long as it looks like this. */
const left = new Map<string, string>();

/**
 * Runs `work` while holding the lock of a document that nobody is saving just now. A lock that was lost, and an editor
 * that saves in spite of it, are noticed by the revision check, not here.
 */
export async function lockDocument<T>(home: string, path: string, work: () => Promise<T>): Promise<T> {
  const document = join(home, path);
  const release = await lockfile.lock(document, {
    lockfilePath: join(home, LOCKS, `${path.replaceAll("/", "-")}.lock`),
    realpath: false,
    stale: STALE_MS,
    retries: RETRIES,
    onCompromised: () => undefined,
  });
  try {
    await untilQuiet(document);
    const before = look(document);
    const done = await work();
    noteLeft(document, before.inode);
    return done;
  } finally {
    await release().catch((error: unknown) => {
      // Somebody took a stale lock over: it is theirs now.
      if (!hasCode(error, "ERELEASED", "ENOTACQUIRED", "ENOENT")) throw error;
    });
  }
}

/** What stands in the place of the file that was there is whole; the same file may be one that somebody is writing. */
function noteLeft(document: string, inodeBefore: number): void {
  const { inode, stamp } = look(document);
  if (inode === inodeBefore) return;
  left.delete(document);
  left.set(document, stamp);
  const [oldest] = left.keys();
  if (left.size > LEFT_MAX && oldest !== undefined) left.delete(oldest);
}

async function untilQuiet(document: string): Promise<void> {
  for (let waits = 0; waits < QUIET_WAITS_MAX; waits++) {
    const { stamp, mtimeMs } = look(document);
    const ageMs = Date.now() - mtimeMs;
    if (stamp === left.get(document) || ageMs < 0 || ageMs >= QUIET_MS) return;
    await wait(QUIET_MS - ageMs);
  }
}

function look(document: string): { inode: number; stamp: string; mtimeMs: number } {
  const info = lstatSync(document, { throwIfNoEntry: false });
  if (info === undefined) return { inode: 0, stamp: "", mtimeMs: 0 };
  return { inode: info.ino, stamp: `${info.ino} ${info.size} ${info.mtimeMs}`, mtimeMs: info.mtimeMs };
}
