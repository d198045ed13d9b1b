/** Turns that need no run, and their outcomes (SPEC F3, N2). */

import { KINDS } from "@mimikit/protocol/base/kind";
import type { Effect } from "@mimikit/protocol/records/effect";
import type { Task } from "@mimikit/protocol/records/task";

/** Is this a turn that needs no run? */
export function isAnnouncement({ kind }: Task): boolean {
  return KINDS[kind].runner === "nobody";
}

/** The effects of such a turn; null for every other task. */
export function effectsOf(task: Task): Effect[] | null {
  return task.kind === "announcement" ? task.turn.events.map(({ text }) => ({ type: "reply", text, spoken: 0 })) : null;
}
