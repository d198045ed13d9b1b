/**
 * Room on the disk of the state (docs/operations.md#a-full-disk). A ballast file is given back when the disk is nearly full: PM2 keeps
 * its own small files there, and ends where it cannot write them.
 */
import { randomBytes } from "node:crypto";
import { existsSync, renameSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { hasCode } from "@mimikit/store/disk/error-code";
import { LOCKS } from "@mimikit/store/disk/state";

const BALLAST_PATH = `${LOCKS}/ballast`;
export const BALLAST_BYTES = 2 * 1_048_576;
/** With less room than this, in bytes, the disk counts as full, and the ballast is given back. */
export const ROOM_BYTES_MIN = 1_048_576;
/** With more room than this, in bytes, there is ballast. */
const BALLAST_ROOM_BYTES_MIN = 16 * 1_048_576;
/** What a role needs to start: its note, its log. */
const START_BYTES = 65_536;
const LOOK_EVERY_MS = 2_000;

/** How many bytes the disk of the state has left for this user; Infinity where it does not tell. Throws what the disk throws. */
export function roomBytes(home: string): number {
  const { bavail, bsize, blocks } = statfsSync(home);
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
}

/** Makes the ballast where there is room for it, and gives it back where there is none. Throws what the disk throws. @returns what it did. */
export function tendBallast(home: string): "made" | "given back" | null {
  const room = roomBytes(home);
  if (room < ROOM_BYTES_MIN) return giveBack(home) ? "given back" : null;
  if (room < BALLAST_ROOM_BYTES_MIN || existsSync(join(home, BALLAST_PATH))) return null;
  const temporary = join(home, `${BALLAST_PATH}.${process.pid}.new`);
  try {
    // A file system that compresses would keep nothing for zeros.
    writeFileSync(temporary, randomBytes(BALLAST_BYTES), { mode: 0o600 });
    renameSync(temporary, join(home, BALLAST_PATH));
    return "made";
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** @returns whether there was any. */
function giveBack(home: string): boolean {
  const path = join(home, BALLAST_PATH);
  const was = existsSync(path);
  rmSync(path, { force: true });
  return was;
}

/**
 * Does `open` as soon as there is room for what a role writes at its start. A role that ended instead would be started again and again by
 * PM2, which writes to the same disk. Throws what `open` throws beside that. @param onWait is called once, when it has to wait.
 */
export async function whenThereIsRoom<T>(home: string, open: () => T, onWait: () => void): Promise<T> {
  for (let hasWaited = false; ; hasWaited = true) {
    try {
      if (existsSync(join(home, LOCKS))) tryToWrite(home);
      return open();
    } catch (error) {
      if (!hasCode(error, "ENOSPC", "EDQUOT")) throw error;
      if (giveBack(home)) continue;
      if (!hasWaited) onWait();
      await wait(LOOK_EVERY_MS);
    }
  }
}

function tryToWrite(home: string): void {
  const path = join(home, `${LOCKS}/room.${process.pid}.new`);
  try {
    writeFileSync(path, randomBytes(START_BYTES), { mode: 0o600 });
  } finally {
    rmSync(path, { force: true });
  }
}
