/** Would a message that comes now be taken, and would a process work on it? */
import { randomBytes } from "node:crypto";
import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { silentSecOf } from "@mimikit/runtime/process/heartbeat";
import { isAlive } from "@mimikit/runtime/process/identity";
import { type ProcessRole, readRole } from "@mimikit/runtime/process/role-record";
import { hasCode } from "@mimikit/store/disk/error-code";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { INBOX } from "@mimikit/store/disk/state";

/** Bytes that are written to see whether a message could be. */
const TRIAL_BYTES = 65_536;
/** For how long one look counts, in milliseconds: whoever asks needs no token, and may ask often. */
const FRESH_MS = 1_000;
/** The processes without which a message waits. */
const WORKING = ["supervisor", "workers"] as const satisfies readonly ProcessRole[];

/** Why not, in one word. */
export type NotReady =
  | "disk_full"
  | "read_only"
  | "disk_failed"
  | "not_adopted"
  | `${(typeof WORKING)[number]}_${"down" | "hung"}`;

/** @returns tells why a message would not be answered now; null where it would be. */
export function readiness(home: string, fs: FileSystem, isAdopted: () => boolean): () => Promise<NotReady | null> {
  let last: { atMs: number; found: Promise<NotReady | null> } | undefined;
  const look = async () => (await whyNotTaken(home, fs)) ?? (isAdopted() ? whyNotWorkedOn(home) : "not_adopted");
  return () => {
    const nowMs = performance.now();
    if (last === undefined || nowMs - last.atMs >= FRESH_MS) last = { atMs: nowMs, found: look() };
    return last.found;
  };
}

/** Tries it: a quota, a lack of inodes and a broken disk show in nothing else. */
async function whyNotTaken(home: string, fs: FileSystem): Promise<NotReady | null> {
  const path = fs.temporary();
  try {
    accessSync(join(home, INBOX), constants.W_OK | constants.X_OK);
    await fs.writeUnsynced(path, randomBytes(TRIAL_BYTES / 2).toString("hex"));
    return null;
  } catch (error) {
    if (hasCode(error, "ENOSPC", "EDQUOT")) return "disk_full";
    return hasCode(error, "EROFS", "EACCES", "EPERM") ? "read_only" : "disk_failed";
  } finally {
    // Where it cannot be removed either, the next look says so, and maintenance removes it.
    await fs.unlink(path).catch(() => undefined);
  }
}

function whyNotWorkedOn(home: string): NotReady | null {
  for (const role of WORKING) {
    const record = readRole(home, role);
    if (record === null || !isAlive(record)) return `${role}_down`;
    if (silentSecOf(home, role) !== undefined) return `${role}_hung`;
  }
  return null;
}
