/**
 * A crash in mid-run is not a failure of the task: the pool claims it again. Only a task that took the pool down again
 * and again is given up, and one that must not run twice ends as interrupted (SPEC C5).
 */
import type { Action } from "../action.ts";
import { failedResult } from "../finish.ts";
import { outageOf, outagesOf } from "../retry.ts";
import { type Attempt, countAttempts, openTasks, type Snapshot, wasCutOff } from "../snapshot.ts";

/** This many dead owners, and the task is poison. */
export const POISON_DEATHS = 3;

/** Did this task take its process down too often? A pool that was told to stop does not count. */
export function isPoison(attempts: readonly Attempt[]): boolean {
  return attempts.filter((each) => !each.ownerAlive && each.failed === undefined).length >= POISON_DEATHS;
}

export function rescue(snapshot: Snapshot, nowMs: number): Action[] {
  const actions: Action[] = [];
  for (const task of openTasks(snapshot)) {
    const attempts = snapshot.attempts.get(task.id) ?? [];
    if (isPoison(attempts)) {
      const error = `its process died ${POISON_DEATHS} times while it ran`;
      actions.push({
        type: "finish",
        result: failedResult(task, "poison", error, nowMs, countAttempts(attempts), outageOf(outagesOf(attempts))),
      });
    } else if (task.onInterrupt === "fail" && attempts.some(wasCutOff)) {
      const error = "its process ended while it ran, and it must not run twice";
      actions.push({
        type: "finish",
        result: failedResult(task, "interrupted", error, nowMs, countAttempts(attempts)),
      });
    }
  }
  return actions;
}
