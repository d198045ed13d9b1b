/**
 * Some turns end without a run: the mark of a new conversation (SPEC F3), and notices of the code, because no model
 * may be asked any more (SPEC N2).
 */

import { NO_USAGE } from "@mimikit/protocol/base/usage";
import type { Action } from "../base/action.ts";
import { openTasks, type Snapshot } from "../base/snapshot.ts";
import { effectsOf } from "../tasks/announcement.ts";

export function announce(snapshot: Snapshot, nowMs: number): Action[] {
  return openTasks(snapshot, snapshot.attention.tasks.values()).flatMap((task): Action[] => {
    const effects = effectsOf(task);
    if (effects === null) return [];
    const completedAt = new Date(nowMs).toISOString();
    const end = { status: "done", resultType: "turn", result: {}, attempts: 0 } as const;
    return [{ type: "finish", result: { id: task.id, task, ...end, effects, completedAt, usage: NO_USAGE } }];
  });
}
