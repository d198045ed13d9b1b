/**
 * Some turns need nobody to run them: the mark of a new beginning (SPEC F3), and what only code has to say, because nobody
 * may be asked any more (SPEC N2).
 */
import type { Effect } from "@mimikit/protocol/effect";
import type { Task } from "@mimikit/protocol/task";
import { NO_USAGE } from "@mimikit/protocol/usage";
import type { Action } from "../action.ts";
import { openTasks, type Snapshot } from "../snapshot.ts";

export function announce(snapshot: Snapshot, nowMs: number): Action[] {
  return openTasks(snapshot).flatMap((task): Action[] => {
    const effects = effectsOf(task);
    if (effects === null) return [];
    const completedAt = new Date(nowMs).toISOString();
    const end = { status: "done", resultType: "turn", result: {}, attempts: 0 } as const;
    return [{ type: "finish", result: { id: task.id, task, ...end, effects, completedAt, usage: NO_USAGE } }];
  });
}

/** Is this a turn that nobody runs? */
export function isAnnouncement(task: Task): boolean {
  return effectsOf(task) !== null;
}

/** What such a turn comes to; null for every other task. */
function effectsOf({ turn }: Task): Effect[] | null {
  if (turn === undefined) return null;
  if (turn.clear !== undefined) return [];
  const [event] = turn.events;
  return event?.name === "budget" ? [{ type: "reply", text: event.text }] : null;
}
