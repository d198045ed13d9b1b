/** Schedules that wait for a time that a clock which was ahead has used up (docs/triggers.md#a-clock-that-was-ahead). Pure. */
import type { Recurring, Trigger } from "@mimikit/protocol/records/trigger";
import { AHEAD_MS_MIN } from "@mimikit/protocol/triggers/clock-ahead";

/**
 * The recurring triggers whose last occurrence is in the future: they start nothing before it.
 * @param nowMs wall clock.
 */
export function aheadOfClock(triggers: Iterable<Trigger>, nowMs: number): Recurring[] {
  // Compared as text: there may be ten thousand of them, and this runs once a second.
  const latest = latestAt(nowMs);
  const ahead: Recurring[] = [];
  for (const trigger of triggers) if (trigger.type === "recurring" && trigger.last > latest) ahead.push(trigger);
  return ahead;
}

/** Is the last occurrence of `trigger` in the future? @param nowMs wall clock. */
export function isAheadOfClock(trigger: Trigger, nowMs: number): trigger is Recurring {
  return trigger.type === "recurring" && trigger.last > latestAt(nowMs);
}

function latestAt(nowMs: number): string {
  return new Date(nowMs + AHEAD_MS_MIN).toISOString();
}
