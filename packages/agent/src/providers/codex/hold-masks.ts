/**
 * codex hides some places from a Worker's commands by mounting over them, and makes an empty directory where there is none:
 * in the workspace, and wherever else the commands may write. When it ends it removes what it made, and so breaks another codex that
 * is about to mount there ("bwrap: Can't mount tmpfs … No such file or directory", measured on 0.169.0). It leaves alone
 * what was there before: so we make these directories first, in a workspace for as long as a Worker of ours is at work
 * there, and elsewhere for good.
 */
import { mkdir, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "@mimikit/store/disk/error-code";

/** A Worker may write there beside its own TMPDIR. */
const SLASH_TMP = "/tmp";
const NAMES = [".git", ".agents", ".codex", ".aws"];

/** The tasks at work in a workspace, and the age of the oldest. */
interface Holders {
  count: number;
  sinceMs: number;
}

const holdersOf = new Map<string, Holders>();
/** One makes or removes at a time: who comes while another removes finds the directories gone, and makes them again. */
let last: Promise<void> = Promise.resolve();

/**
 * Keeps the directories there until all that hold them have let go; then those in the workspace that are empty, and not
 * older than the oldest task, are removed.
 * @param sinceMs when the task was created: an attempt of it that was killed may have left some behind.
 * @returns lets go. Both throw what the disk throws.
 */
export async function holdMasks(workDir: string, sinceMs: number): Promise<() => Promise<void>> {
  const holders = holdersOf.get(workDir) ?? { count: 0, sinceMs };
  holdersOf.set(workDir, holders);
  holders.count++;
  holders.sinceMs = Math.min(holders.sinceMs, sinceMs);
  const letGo = () => {
    holders.count--;
    return inTurn(async () => {
      if (holders.count > 0 || holdersOf.get(workDir) !== holders) return;
      holdersOf.delete(workDir);
      await remove(workDir, holders.sinceMs);
    });
  };
  try {
    await inTurn(() => makeMasks([SLASH_TMP, workDir]));
  } catch (error) {
    await letGo();
    throw error;
  }
  return letGo;
}

function inTurn(step: () => Promise<void>): Promise<void> {
  const turn = last.then(step);
  last = turn.catch(() => undefined);
  return turn;
}

/** Makes the directories where they are missing in `dirs`. Throws what the disk throws. */
export async function makeMasks(dirs: readonly string[]): Promise<void> {
  for (const path of pathsIn(dirs)) {
    try {
      await mkdir(path, { mode: 0o700 });
    } catch (error) {
      // It is there, or may not be made: then codex cannot make it either.
      if (!hasCode(error, "EEXIST", "EACCES", "EPERM", "EROFS")) throw error;
    }
  }
}

async function remove(workDir: string, sinceMs: number): Promise<void> {
  for (const path of pathsIn([workDir])) {
    try {
      if ((await stat(path)).mtimeMs >= sinceMs) await rmdir(path);
    } catch (error) {
      // Not there, a file, a user's real one, a foreign one, or in use by a codex that is not ours.
      if (!hasCode(error, "ENOENT", "ENOTDIR", "ENOTEMPTY", "EEXIST", "EACCES", "EPERM", "EROFS", "EBUSY")) throw error;
    }
  }
}

function pathsIn(dirs: readonly string[]): string[] {
  return dirs.flatMap((dir) => NAMES.map((name) => join(dir, name)));
}
