/** Triggers that cannot be judged, because models give no usable answer (docs/triggers.md#what-only-a-model-can-tell). Pure. */
import type { Trigger, Unanswered } from "@mimikit/protocol/records/trigger";

/** A question that was asked in vain so often in a row is a problem of the whole; once may be bad luck. */
export const UNANSWERED_COUNT_MIN = 2;

export interface UnansweredTrigger extends Pick<Unanswered, "count" | "at"> {
  id: string;
  title: string;
}

/** Those that stand, with their question that was asked in vain most often. */
export function unansweredTriggers(triggers: Iterable<Trigger>): UnansweredTrigger[] {
  const found: UnansweredTrigger[] = [];
  for (const trigger of triggers) {
    if (trigger.type !== "conditional" || trigger.paused || trigger.over !== undefined) continue;
    const questions = Object.values(trigger.evidence.unanswered ?? {}).sort((a, b) => b.count - a.count);
    const [worst] = questions;
    if (worst !== undefined && worst.count >= UNANSWERED_COUNT_MIN)
      found.push({ id: trigger.id, title: trigger.title, count: worst.count, at: worst.at });
  }
  return found;
}
