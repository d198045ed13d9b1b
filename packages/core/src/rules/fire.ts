/** A chain's link starts the moment the task before it has ended as needed; if it never can, it ends too (SPEC C8, D2). */

import type { Trigger } from "@mimikit/protocol/trigger";
import type { Action } from "../action.ts";
import { judge, tasksNeeded } from "../conditions/index.ts";
import { failedResult } from "../finish.ts";
import { isCancelled, openTriggers, type Snapshot } from "../snapshot.ts";

export function fire(snapshot: Snapshot, nowMs: number): Action[] {
  return openTriggers(snapshot)
    .filter((trigger) => !isCancelled(snapshot, trigger.id))
    .flatMap((trigger) => fireOne(trigger, snapshot, nowMs));
}

function fireOne(trigger: Trigger, snapshot: Snapshot, nowMs: number): Action[] {
  const { id, condition, task } = trigger;
  const needed = tasksNeeded(condition);
  const verdict = judge(condition, snapshot);
  if (verdict === "holds") {
    const upstream = needed.flatMap((taskId) => snapshot.outcomeOf(taskId) ?? []);
    return [{ type: "fire", task: { ...task, triggerId: id, upstream } }];
  }
  if (verdict === "never") {
    const ended = needed.map((taskId) => `"${snapshot.outcomeOf(taskId)?.title}"`).join(", ");
    return [
      {
        type: "finish",
        result: failedResult(task, "cancelled", `not run: ${ended} did not end as it needed`, nowMs, 0),
      },
    ];
  }
  const missing = needed.find((taskId) => !exists(taskId, snapshot));
  if (missing === undefined || !isComplete(trigger, snapshot)) return [];
  return [
    {
      type: "finish",
      result: failedResult(task, "error", `it waits for a task that does not exist: ${missing}`, nowMs, 0),
    },
  ];
}

function exists(taskId: string, snapshot: Snapshot): boolean {
  return snapshot.triggers.has(taskId) || snapshot.queue.has(taskId) || snapshot.outcomeOf(taskId) !== undefined;
}

/** Have all records of the plan that made this trigger been written? */
function isComplete(trigger: Trigger, snapshot: Snapshot): boolean {
  return trigger.task.parentId === undefined || snapshot.isArchived(trigger.task.parentId);
}
