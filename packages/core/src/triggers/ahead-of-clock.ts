/** Schedules that wait for a time that a clock which was ahead has used up (docs/triggers.md#a-clock-that-was-ahead). Pure. */
import type { Recurring, Standing } from "@mimikit/protocol/records/trigger";

/** A last occurrence that is further ahead than this, in milliseconds, was decided by a clock that was ahead. */
const AHEAD_MS_MIN = 600_000;

/**
 * The recurring triggers whose last occurrence is in the future: they start nothing before it.
 * @param nowMs wall clock.
 */
export function aheadOfClock(standing: Iterable<Standing>, nowMs: number): Recurring[] {
  // Compared as text: there may be ten thousand of them, and this runs once a second.
  const latest = new Date(nowMs + AHEAD_MS_MIN).toISOString();
  const ahead: Recurring[] = [];
  for (const trigger of standing) if (trigger.type === "recurring" && trigger.last > latest) ahead.push(trigger);
  return ahead;
}
