/** Everything about one task: what it was asked, what came of it, and when what happened to it. */
import { summaryOf } from "@mimikit/core/views/board";
import type { FailedAttempt } from "@mimikit/protocol/records/claim";
import type { Result } from "@mimikit/protocol/records/result";
import type { Task } from "@mimikit/protocol/records/task";
import type { TaskDetail, TaskSummary } from "@mimikit/protocol/wire/api";
import type { AttemptRecord } from "../state-cache/state-cache.ts";

/** A task that has ended. Its attempts may have been cleaned up: then only the last one is known. */
export function endedDetail(result: Result, attempts: readonly AttemptRecord[]): TaskDetail {
  const summary = summaryOf(result);
  const timeline = timelineOf(result.task, attempts);
  if (attempts.length === 0 && result.startedAt !== undefined) {
    timeline.push({ at: result.startedAt, event: `attempt ${result.attempts} started` });
  }
  timeline.push({ at: result.completedAt, event: summary.state });
  if (result.left === true) timeline.push(leftBehind(result.attempts, result.completedAt));
  return {
    ...summary,
    prompt: result.task.prompt,
    resultType: result.resultType,
    result: result.result,
    upstream: result.task.upstream,
    timeline,
  };
}

/** A task that is still open. */
export function openDetail(summary: TaskSummary, task: Task, attempts: readonly AttemptRecord[]): TaskDetail {
  const timeline = timelineOf(task, attempts);
  return { ...summary, prompt: task.prompt, result: null, upstream: task.upstream, timeline };
}

function timelineOf(task: Task, attempts: readonly AttemptRecord[]): TaskDetail["timeline"] {
  const timeline = [{ at: task.createdAt, event: "created" }];
  for (const { attempt, claim, failed } of attempts) {
    if (claim !== undefined) timeline.push({ at: claim.at, event: `attempt ${attempt} started` });
    if (failed !== undefined) {
      timeline.push({ at: failed.at, event: `attempt ${attempt} ${endOf(failed)}` });
      if (failed.left === true) timeline.push(leftBehind(attempt, failed.at));
    }
  }
  return timeline;
}

function endOf({ failureReason, error, outage, death, problem }: FailedAttempt): string {
  if (outage === true && problem?.until !== undefined)
    return `waits for the rate limit until ${problem.until}: ${error}`;
  if (outage === true) return `reached no provider: ${error}`;
  if (death === undefined) return `failed: ${failureReason}`;
  return `was cut off: ${error}${death === "alone" ? " while nothing else ran" : ""}`;
}

function leftBehind(attempt: number, at: string): TaskDetail["timeline"][number] {
  return { at, event: `attempt ${attempt} left something running that could not be found to be ended` };
}
