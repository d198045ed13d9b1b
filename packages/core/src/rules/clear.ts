/** A turn that only marks a new beginning needs nobody to run it (SPEC F3). */
import { NO_USAGE } from "@mimikit/protocol/usage";
import type { Action } from "../action.ts";
import { openTasks, type Snapshot } from "../snapshot.ts";

export function clear(snapshot: Snapshot, nowMs: number): Action[] {
  return openTasks(snapshot).flatMap((task): Action[] => {
    if (task.turn?.clear === undefined) return [];
    const completedAt = new Date(nowMs).toISOString();
    const end = { status: "done", resultType: "turn", result: {}, effects: [], attempts: 0 } as const;
    return [{ type: "finish", result: { id: task.id, task, ...end, effects: [], completedAt, usage: NO_USAGE } }];
  });
}
