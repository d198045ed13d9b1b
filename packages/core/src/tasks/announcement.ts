/** Turns that need nobody to run them, and what they come to (SPEC F3, N2). */

import type { Effect } from "@mimikit/protocol/records/effect";
import type { Task } from "@mimikit/protocol/records/task";
/** Is this a turn that nobody runs? */
export function isAnnouncement(task: Task): boolean {
  return effectsOf(task) !== null;
}

/** What such a turn comes to; null for every other task. */
export function effectsOf({ turn }: Task): Effect[] | null {
  if (turn === undefined) return null;
  if (turn.clear !== undefined) return [];
  const [event] = turn.events;
  return event?.name === "budget" ? [{ type: "reply", text: event.text }] : null;
}
