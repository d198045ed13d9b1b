/**
 * The heartbeat of a role's main loop (docs/decisions/0034-a-heartbeat-is-a-deadline.md). Before each rest, a role stores the deadline
 * of its next heartbeat as the modification time of its record in locks/: one system call a second, no bytes. The deadline is in
 * CLOCK_MONOTONIC time, which is shared by all processes of a machine and unaffected by clock changes. A record that was just written
 * has a calendar time instead, far above any monotonic time: its loop has not started yet.
 */
import { statSync, utimesSync } from "node:fs";
import { hasCode } from "@mimikit/store/disk/error-code";
import { monotonicMs } from "../platform/monotonic.ts";
import { type ProcessRole, recordPath } from "./role-record.ts";

/** The shortest time between two heartbeats, in milliseconds. */
const BEAT_EVERY_MS = 1_000;
/** A role that is overdue for this long is reported, in milliseconds; less is a busy machine. */
export const SILENCE_REPORTED_MS = 10_000;
/** No machine runs for 30 years. */
const CALENDAR_MS_MIN = 30 * 365 * 86_400_000;

/** The heartbeat of this process. */
export class Heartbeat {
  private readonly path: string;
  private deadlineMs = Number.NEGATIVE_INFINITY;
  private wasWritten = true;

  constructor(home: string, role: ProcessRole) {
    this.path = recordPath(home, role);
  }

  /** Call it before each rest, and for each part of long work. @param restMs how long the rest may take, in milliseconds. */
  beat(restMs = 0): void {
    const deadlineMs = monotonicMs() + restMs;
    if (deadlineMs - this.deadlineMs < BEAT_EVERY_MS) return;
    this.deadlineMs = deadlineMs;
    try {
      utimesSync(this.path, deadlineMs / 1_000, deadlineMs / 1_000);
      this.wasWritten = true;
    } catch (error) {
      // While the disk takes no heartbeats, none can be judged by them.
      this.wasWritten = false;
      if (!hasCode(error, "ENOENT", "ENOTDIR", "EROFS", "EACCES", "EPERM", "EIO", "ENOSPC")) throw error;
    }
  }

  /** Was the last heartbeat written? */
  get isWritten(): boolean {
    return this.wasWritten;
  }
}

/** By when the next heartbeat of `role` was or is due, in CLOCK_MONOTONIC milliseconds: null if its loop has not started. Throws what the disk throws. */
export function deadlineOf(home: string, role: ProcessRole): number | null {
  const deadlineMs = statSync(recordPath(home, role), { throwIfNoEntry: false })?.mtimeMs ?? CALENDAR_MS_MIN;
  return deadlineMs >= CALENDAR_MS_MIN ? null : deadlineMs;
}

/** How long `role` is overdue, in milliseconds: 0 if it is on time, null if its loop has not started. Throws what the disk throws. */
export function silenceOf(home: string, role: ProcessRole): number | null {
  const deadlineMs = deadlineOf(home, role);
  return deadlineMs === null ? null : Math.max(0, monotonicMs() - deadlineMs);
}

/** The same in whole seconds; undefined below SILENCE_REPORTED_MS. */
export function silentSecOf(home: string, role: ProcessRole): number | undefined {
  const silentMs = silenceOf(home, role) ?? 0;
  return silentMs < SILENCE_REPORTED_MS ? undefined : Math.floor(silentMs / 1_000);
}
