/**
 * Free space on the disk of the state directory (docs/operations.md#a-full-disk). A ballast file is deleted when the disk is nearly full,
 * because PM2 exits when it cannot write its own small files there.
 */
import { randomBytes } from "node:crypto";
import { existsSync, renameSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { hasCode } from "@mimikit/store/disk/error-code";
import { LOCKS } from "@mimikit/store/disk/state";

const BALLAST_PATH = `${LOCKS}/ballast`;
export const BALLAST_BYTES = 2 * 1_048_576;
/** With less free space than this, in bytes, the disk counts as full and the ballast is deleted. */
export const ROOM_BYTES_MIN = 1_048_576;
/** With fewer free inodes than this, no message is sure to be saved. */
const INODES_MIN = 16;
/** With at least this much free space, in bytes, the ballast is written. */
const BALLAST_ROOM_BYTES_MIN = 16 * 1_048_576;
/** Space that a role needs to start, in bytes: its record, its log. */
const START_BYTES = 65_536;
const LOOK_EVERY_MS = 2_000;

/** Free bytes for this user on the disk of the state directory; Infinity if the file system does not report them. Throws what the disk throws. */
export function roomBytes(home: string): number {
  const { bavail, bsize, blocks } = statfsSync(home);
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
}

/** Are the inodes of this file system used up, so that no file can be made whatever space is free? Some file systems count none. */
export function lacksInodes({ files, ffree }: { files: number; ffree: number }): boolean {
  return files > 0 && ffree < INODES_MIN;
}

/** Writes or deletes the ballast, whichever the free space calls for. Throws what the disk throws. @returns what it did. */
export function tendBallast(home: string): "made" | "given back" | null {
  const room = roomBytes(home);
  if (room < ROOM_BYTES_MIN) return giveBack(home) ? "given back" : null;
  if (room < BALLAST_ROOM_BYTES_MIN || existsSync(join(home, BALLAST_PATH))) return null;
  const temporary = join(home, `${BALLAST_PATH}.${process.pid}.new`);
  try {
    // Zeros would take no space on a file system that compresses.
    writeFileSync(temporary, randomBytes(BALLAST_BYTES), { mode: 0o600 });
    renameSync(temporary, join(home, BALLAST_PATH));
    return "made";
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** @returns whether there was a ballast file. */
function giveBack(home: string): boolean {
  const path = join(home, BALLAST_PATH);
  const was = existsSync(path);
  rmSync(path, { force: true });
  return was;
}

/**
 * Runs `open` once there is enough free space for a role to start. If the role exited instead, PM2 would restart it again and again,
 * and write to the same disk each time. Throws what `open` throws, except for a full disk. @param onWait called once, if it has to wait.
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
