/**
 * A crash in mid-run is not a failure of the task: the pool claims it again. Only a task that alone took the pool down is
 * given up; one that must not run twice ends as interrupted, or waits for the user's decision (SPEC C5).
 */
import { runAgainPermit } from "@mimikit/protocol/base/id";
import { APPROVAL_TIMEOUT_SEC } from "@mimikit/protocol/records/question";
import type { Task } from "@mimikit/protocol/records/task";
import type { Action } from "../base/action.ts";
import { countAttempts, isCancelled, openTasks, type Snapshot, wasCutOff } from "../base/snapshot.ts";
import { failedResult } from "../tasks/finish.ts";
import { countDeaths, isPoison } from "../tasks/poison.ts";
import { attemptToAskAbout, isAgreed, ownQuestion, runAgainId } from "../tasks/question.ts";
import { outageOf, outagesOf } from "../tasks/retry.ts";
import { goOnAloneWords, runAgainWords } from "../views/notices.ts";

export function rescue(snapshot: Snapshot, nowMs: number): Action[] {
  const actions: Action[] = [];
  for (const task of openTasks(snapshot, snapshot.attention.tasks.values())) {
    const attempts = snapshot.attempts.get(task.id) ?? [];
    if (isPoison(attempts)) {
      const deaths = countDeaths(attempts);
      const error = `the worker pool died or hung ${deaths} times while it ran, the last time with nothing else running`;
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
    } else {
      const attempt = attemptToAskAbout(task, attempts);
      if (attempt !== undefined) actions.push(...askAgain(task, attempt, snapshot, nowMs));
    }
  }
  return actions;
}

/** Until the user has said yes, the pool leaves it alone; the permit that it then looks for is made from the answer, once. */
function askAgain(task: Task, attempt: number, snapshot: Snapshot, nowMs: number): Action[] {
  const permit = runAgainPermit(task.id, attempt);
  if (snapshot.isArchived(permit) || isCancelled(snapshot, task.id)) return [];
  const id = runAgainId(task.id, attempt);
  const closed = snapshot.closedQuestion(id);
  const at = new Date(nowMs).toISOString();
  if (closed === undefined && !snapshot.isArchived(id)) {
    if (snapshot.questions.has(id)) return [];
    const purpose = { type: "run_again", taskId: task.id, attempt } as const;
    const { traceId, title, ownOrders = 0 } = task;
    const question =
      task.asksOwner === true
        ? ownQuestion(id, purpose, goOnAloneWords(title, ownOrders - 1), { at, traceId }, APPROVAL_TIMEOUT_SEC)
        : ownQuestion(id, purpose, runAgainWords(title), { at, traceId });
    return [{ type: "ask", question }];
  }
  if (isAgreed(closed))
    return [{ type: "permit", permit: { kind: "permit", id: permit, at, taskId: task.id, attempt } }];
  const attempts = countAttempts(snapshot.attempts.get(task.id));
  const isRefused = closed?.outcome === "answered";
  if (task.asksOwner === true) {
    const error = isRefused ? "the user chose to stop here" : "there was no answer in time on whether to go on";
    return [{ type: "finish", result: failedResult(task, "cancelled", error, nowMs, attempts) }];
  }
  const why = isRefused
    ? "the user chose not to run it again"
    : "there was no answer in time on whether to run it again";
  const error = `its process ended while it ran, and ${why}`;
  return [{ type: "finish", result: failedResult(task, "interrupted", error, nowMs, attempts) }];
}
