/**
 * Does the main loop of a role go on? Each role says on its record in locks/ until when it will have gone on, in the time of
 * CLOCK_MONOTONIC, which no change of the clock moves and which is one for all processes of a machine. It says so in the record's
 * modification time: that costs one system call a second and no byte. A record that was just written has the time of the calendar
 * there, which no machine's monotonic clock reaches: its role has not begun yet.
 */
import { statSync, utimesSync } from "node:fs";
import { hasCode } from "@mimikit/store/disk/error-code";
import { type ProcessRole, recordPath } from "./role-record.ts";

/** So often, in milliseconds, a loop that goes on says so at most. */
const BEAT_EVERY_MS = 1_000;
/** A silence that is said to people; a shorter one is a busy machine. */
export const SILENCE_SAID_MS = 10_000;
/** No machine runs for 30 years. */
const CALENDAR_MS_MIN = 30 * 365 * 86_400_000;
const NS_PER_MS = 1_000_000n;

/** The time of CLOCK_MONOTONIC in milliseconds, the same for all processes of this machine since its start. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / NS_PER_MS);
}

/** What a role says of itself. */
export class Heartbeat {
  private readonly path: string;
  private promisedMs = Number.NEGATIVE_INFINITY;
  private couldSay = true;

  constructor(home: string, role: ProcessRole) {
    this.path = recordPath(home, role);
  }

  /** It goes on. @param restMs how long it may be quiet now without standing still. */
  beat(restMs = 0): void {
    const promisedMs = monotonicMs() + restMs;
    if (promisedMs - this.promisedMs < BEAT_EVERY_MS) return;
    this.promisedMs = promisedMs;
    try {
      utimesSync(this.path, promisedMs / 1_000, promisedMs / 1_000);
      this.couldSay = true;
    } catch (error) {
      // Where a disk takes nothing, nobody can be judged by what is on it.
      this.couldSay = false;
      if (!hasCode(error, "ENOENT", "ENOTDIR", "EROFS", "EACCES", "EPERM", "EIO", "ENOSPC")) throw error;
    }
  }

  /** Did the disk take what was said last? */
  get isHeard(): boolean {
    return this.couldSay;
  }
}

/** For how many milliseconds `role` has stood still: 0 while it goes on, null where it has not begun. Throws what the disk throws. */
export function silenceOf(home: string, role: ProcessRole): number | null {
  const promisedMs = statSync(recordPath(home, role), { throwIfNoEntry: false })?.mtimeMs ?? CALENDAR_MS_MIN;
  return promisedMs >= CALENDAR_MS_MIN ? null : Math.max(0, monotonicMs() - promisedMs);
}

/** The same in whole seconds, where it is worth being said. */
export function silentSecOf(home: string, role: ProcessRole): number | undefined {
  const silentMs = silenceOf(home, role) ?? 0;
  return silentMs < SILENCE_SAID_MS ? undefined : Math.floor(silentMs / 1_000);
}
