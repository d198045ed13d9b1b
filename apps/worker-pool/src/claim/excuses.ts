/**
 * Why the death of the pool before this one is no fault of the tasks that it ran (SPEC C5). The evidence is in records that this pool
 * replaces with its own: it is read before, and judged once, because other processes come and go (decision 0036).
 */
import { isDeepStrictEqual } from "node:util";
import type { Excuse, Identity } from "@mimikit/protocol/records/claim";
import { deadlineOf } from "@mimikit/runtime/process/heartbeat";
import { isAlive, ownIdentity } from "@mimikit/runtime/process/identity";
import { ACTORS, readRole } from "@mimikit/runtime/process/role-record";
import { killedByWatchdog } from "@mimikit/runtime/process/watchdog";

/** Two processes whose last heartbeats are at most this far apart died in the same moment, in milliseconds: both beat once a second. */
const SAME_MOMENT_MS = 2_000;

/** Another role, as its record and its heartbeat tell of it. All times in CLOCK_MONOTONIC milliseconds. */
export interface OtherRole {
  isAlive: boolean;
  /** When its process started; not known of a record of 0.2. */
  startedMs: number | undefined;
  /** By when its next heartbeat was due; null if its loop has not started. */
  deadlineMs: number | null;
}

/** The facts about the last pool. */
export interface DeathEvidence {
  isOfThisBoot: boolean;
  /** Did the watchdog kill it: because it hung by itself, or because something held it up? */
  watchdog: "hung" | "held up" | null;
  /** Did the process that started it end as well? */
  isParentGone: boolean;
  startedMs: number | undefined;
  deadlineMs: number | null;
  others: readonly OtherRole[];
}

/**
 * The excuse that the evidence gives; null for none. Another role died in the same moment if its present process started after the last sign
 * of life of the pool or, where it is not back yet, if it was last heard of then.
 * @param restMs how long the pool rests between two looks, in milliseconds: its last heartbeat was this long before the deadline.
 */
export function excuseIn(evidence: DeathEvidence, restMs: number): Excuse | null {
  const { isOfThisBoot, watchdog, isParentGone, startedMs, deadlineMs, others } = evidence;
  if (!isOfThisBoot) return "reboot";
  if (watchdog === "held up") return "watchdog";
  // It lived until then, whatever else has ended or begun meanwhile.
  if (watchdog === "hung") return null;
  if (isParentGone) return "pm2";
  const seenMs = deadlineMs === null ? startedMs : deadlineMs - restMs;
  if (seenMs === undefined) return "unknown";
  const diedToo = (other: OtherRole) => {
    if (other.startedMs !== undefined && other.startedMs >= seenMs) return true;
    const lastMs = other.deadlineMs ?? other.startedMs;
    return !other.isAlive && lastMs !== undefined && lastMs >= (deadlineMs ?? seenMs) - SAME_MOMENT_MS;
  };
  return others.some(diedToo) ? "role" : null;
}

/**
 * Reads the evidence. Call it before this pool says who it is. @param restMs see `excuseIn`.
 * @returns the excuse for the death of the owner of a claim; null for none. Throws what the disk throws.
 */
export function readExcuses(home: string, restMs: number): (owner: Identity) => Excuse | null {
  const { bootId } = ownIdentity();
  const last = readRole(home, "workers");
  if (last === null) return (owner) => (owner.bootId === bootId ? "unknown" : "reboot");
  const identity: Identity = { pid: last.pid, startTime: last.startTime, bootId: last.bootId };
  const others = ACTORS.filter((role) => role !== "workers").flatMap((role): OtherRole[] => {
    const record = readRole(home, role);
    if (record === null || record.bootId !== bootId) return [];
    return [{ isAlive: isAlive(record), startedMs: record.startedMs, deadlineMs: deadlineOf(home, role) }];
  });
  const killed = killedByWatchdog(home);
  const isKilled = isDeepStrictEqual(killed?.process, identity);
  const excuse = excuseIn(
    {
      isOfThisBoot: last.bootId === bootId,
      watchdog: !isKilled ? null : killed?.isHung === true ? "hung" : "held up",
      isParentGone: last.parent !== undefined && !isAlive(last.parent),
      startedMs: last.startedMs,
      deadlineMs: deadlineOf(home, "workers"),
      others,
    },
    restMs,
  );
  return (owner) => {
    if (owner.bootId !== bootId) return "reboot";
    return isDeepStrictEqual(owner, identity) ? excuse : "unknown";
  };
}
