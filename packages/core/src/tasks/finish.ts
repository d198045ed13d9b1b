/** The result of a task that the supervisor ends itself: cancelled, poisoned, interrupted, or waiting for nothing. */
import type { FailureReason } from "@mimikit/protocol/base/failure";
import { KINDS } from "@mimikit/protocol/base/kind";
import { NO_USAGE } from "@mimikit/protocol/base/usage";
import type { Outage, Result } from "@mimikit/protocol/records/result";
import { isTurn, type Task } from "@mimikit/protocol/records/task";
import { failureNotice } from "../views/notices.ts";

/** A turn that a user began still ends in a reply (SPEC G4), so a failed turn says what happened. @param outage what a turn has told of. */
export function failedResult(
  task: Task,
  failureReason: FailureReason,
  error: string,
  nowMs: number,
  attempts: number,
  outage: Outage | null = null,
): Result {
  const kind = KINDS[task.kind];
  return {
    id: task.id,
    task,
    status: "failed",
    resultType: "endedAs" in kind ? kind.endedAs : kind.results[0],
    result: null,
    error,
    failureReason,
    effects: isTurn(task) ? [{ type: "reply", text: failureNotice(task.turn, failureReason, error), spoken: 0 }] : [],
    attempts,
    completedAt: new Date(nowMs).toISOString(),
    usage: NO_USAGE,
    ...(outage !== null && isTurn(task) && { outage }),
  };
}
