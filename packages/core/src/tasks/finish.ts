/** The result of a task that the supervisor ends itself: cancelled, poisoned, interrupted, or waiting for nothing. */
import type { FailureReason } from "@mimikit/protocol/base/failure";
import type { Role } from "@mimikit/protocol/base/role";
import { NO_USAGE } from "@mimikit/protocol/base/usage";
import type { Outage, Result, ResultType } from "@mimikit/protocol/records/result";
import type { Task } from "@mimikit/protocol/records/task";
import { failureNotice } from "../views/notices.ts";

/** What tasks of a role hand in, unless they say otherwise. */
const RESULT_TYPE_OF: Record<Role, ResultType> = {
  teller: "turn",
  planner: "plan",
  worker: "text",
  reviewer: "review",
};

/** A turn that a user began still ends in a reply (SPEC G4), so a failed turn says what happened. @param outage what a turn has told of. */
export function failedResult(
  task: Task,
  failureReason: FailureReason,
  error: string,
  nowMs: number,
  attempts: number,
  outage: Outage | null = null,
): Result {
  return {
    id: task.id,
    task,
    status: "failed",
    resultType: task.evaluation === undefined ? RESULT_TYPE_OF[task.role] : "verdicts",
    result: null,
    error,
    failureReason,
    effects: task.turn === undefined ? [] : [{ type: "reply", text: failureNotice(task.turn, failureReason, error) }],
    attempts,
    completedAt: new Date(nowMs).toISOString(),
    usage: NO_USAGE,
    ...(outage !== null && task.turn !== undefined && { outage }),
  };
}
