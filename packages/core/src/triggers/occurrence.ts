/** When a trigger is due next, and how long a condition rests after it fired. */

import type { Conditional, Recurring, Trigger } from "@mimikit/protocol/records/trigger";
import { COOLDOWN_SEC_MIN } from "@mimikit/protocol/triggers/trigger-order";
import { nextOf } from "../schedule/schedule.ts";

/** When a version is due next: a version never changes, so this is found out once for each. */
const nextMs = new WeakMap<Recurring, number | null>();

/** The next occurrence of a recurring trigger; null when there is none. */
export function nextOccurrence(trigger: Recurring): number | null {
  let next = nextMs.get(trigger);
  if (next === undefined) {
    next = nextOf(trigger.schedule, Date.parse(trigger.last));
    nextMs.set(trigger, next);
  }
  return next;
}

/** Has it fired so lately that it does not fire again yet? A clock that was set back behind that must not prolong the rest. */
export function isResting(trigger: Conditional, nowMs: number): boolean {
  const { firedAt } = trigger;
  return firedAt !== undefined && nowMs >= Date.parse(firedAt) && nowMs < restEndsMs(firedAt, trigger);
}

/** When a condition that fired then may fire again. */
export function restEndsMs(firedAt: string, { cooldownSec }: Conditional): number {
  return Date.parse(firedAt) + Math.max(cooldownSec, COOLDOWN_SEC_MIN) * 1_000;
}

/**
 * Since when a condition holds that must do so for a while, ISO 8601; undefined where it does not, or fires at once.
 * @param isHeld whether it holds now, and would fire. A clock that was set back begins the count again.
 */
export function heldSinceOf({ stableSec, heldSince }: Conditional, isHeld: boolean, nowMs: number): string | undefined {
  if (stableSec === undefined || !isHeld) return undefined;
  return heldSince !== undefined && Date.parse(heldSince) <= nowMs ? heldSince : new Date(nowMs).toISOString();
}

/** Has it held for as long as it must? @param heldSince as `heldSinceOf` says it. */
export function hasHeld({ stableSec }: Conditional, heldSince: string | undefined, nowMs: number): boolean {
  return stableSec === undefined || (heldSince !== undefined && nowMs - Date.parse(heldSince) >= stableSec * 1_000);
}

/** When a trigger fires next, or since when it is due; null where that depends on a condition, or while it is paused. */
export function nextFiring(trigger: Trigger): number | null {
  if (trigger.paused || trigger.over !== undefined) return null;
  if (trigger.type === "scheduled") return Date.parse(trigger.runAt);
  return trigger.type === "recurring" ? nextOccurrence(trigger) : null;
}
