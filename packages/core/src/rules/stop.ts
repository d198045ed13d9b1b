/**
 * A stop ends what runs: a turn with an honest last word, work as cancelled. Which it is, is archived with the wish
 * before it is done, so that a stop that is cut off does not go on to end the next thing too (SPEC I5).
 */
import type { StopWish } from "@mimikit/protocol/inbox";
import type { Action } from "../action.ts";
import { failedResult } from "../finish.ts";
import { outageOf, outagesOf } from "../retry.ts";
import { openTasks, type Snapshot } from "../snapshot.ts";
import { targetOf } from "../target.ts";

export function stop(snapshot: Snapshot, nowMs: number): Action[] {
  return [...snapshot.inbox.values()].flatMap((wish) => (wish.kind === "stop" ? end(wish, snapshot, nowMs) : []));
}

function end(wish: StopWish, snapshot: Snapshot, nowMs: number): Action[] {
  const decided = snapshot.isArchived(wish.id);
  const decision = decided ? snapshot.decisionOf(wish.id) : { taskId: targetOf(wish.taskId, snapshot)?.id ?? null };
  if (decision === undefined) return [];
  const { taskId } = decision;
  const turn = openTasks(snapshot).find((task) => task.id === taskId && task.turn !== undefined);
  const attempts = snapshot.attempts.get(taskId ?? "") ?? [];
  const outage = outageOf(outagesOf(attempts));
  const result =
    turn === undefined ? null : failedResult(turn, "cancelled", "stopped by the user", nowMs, attempts.length, outage);
  return [{ type: "stop", wish, taskId, result, outcome: taskId === null ? "nothing runs" : `stopped ${taskId}` }];
}
