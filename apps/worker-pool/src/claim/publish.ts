/** How a run ended becomes one durable record: the final result, where the first wins, or a failed attempt that may be retried. */

import type { RunOutcome } from "@mimikit/agent/run/run-task";
import { failedResult } from "@mimikit/core/tasks/finish";
import { outageOf, retryAtMs } from "@mimikit/core/tasks/retry";
import { type Claim, FailedAttempt } from "@mimikit/protocol/records/claim";
import { Result } from "@mimikit/protocol/records/result";
import { isTurn, type Task } from "@mimikit/protocol/records/task";
import { describeIssues } from "@mimikit/protocol/texts/issues";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { createAgainUnsynced, createRecord, createShown, RecordTooLarge } from "@mimikit/store/disk/record";
import { failedAttemptPath, resultPath } from "@mimikit/store/disk/state";
import { z } from "zod";
import type { Allotted } from "./allot.ts";
import { isFleeting } from "./claim.ts";

export interface Publishing {
  fs: FileSystem;
  nowMs(): number;
  retryDelaySec: number;
}

/**
 * The result of a run that may start over is not synced: a power loss that takes or tears it takes the run back, and the supervisor makes it
 * durable before it acts on it (docs/durability.md#what-need-not-be-durable).
 * @returns what was written, or null when an outcome was there before (a cancel, another attempt).
 */
export async function publish(
  candidate: Allotted,
  claim: Claim,
  outcome: RunOutcome,
  { fs, nowMs, retryDelaySec }: Publishing,
): Promise<Result | FailedAttempt | null> {
  const { task, attempt, earlier, outages } = candidate;
  // A run is cancelled when its outcome is there already: nothing is left to be said, or to be tried again.
  if (outcome.failureReason === "cancelled") return null;
  const now = nowMs();
  const retryMs = outcome.status === "failed" ? retryAtMs(task, outcome, earlier.length, now, retryDelaySec) : null;
  const outage = outageOf(outages);
  if (retryMs !== null) {
    const failed = failedAttempt(claim, outcome, now, retryMs);
    return (await createRecord(fs, FailedAttempt, failedAttemptPath(task.role, task.id, attempt), failed))
      ? failed
      : null;
  }
  const {
    status,
    resultType,
    result,
    error,
    failureReason,
    problem,
    question,
    effects,
    shown,
    steers,
    usage,
    provider,
    model,
    hasLeft = false,
  } = outcome;
  const record: Result = {
    id: task.id,
    task,
    status,
    resultType,
    result,
    effects,
    attempts: attempt,
    startedAt: claim.at,
    completedAt: new Date(now).toISOString(),
    usage,
    provider,
    ...(model !== undefined && { model }),
    ...(error !== undefined && { error }),
    ...(failureReason !== undefined && { failureReason }),
    ...(problem !== undefined && { problem }),
    ...(question !== undefined && { question }),
    ...(steers.length > 0 && { steers: [...steers] }),
    ...(outage !== null && isTurn(task) && { outage }),
    ...(shown !== undefined && { shown: [...shown] }),
    ...(hasLeft && { left: true as const }),
  };
  const path = resultPath(task.role, task.id);
  const create = isFleeting(candidate) ? createAgainUnsynced : createShown;
  try {
    return (await create(fs, Result, path, record)) ? record : null;
  } catch (error) {
    // The provider's result cannot be written, now or later.
    if (!(error instanceof RecordTooLarge || error instanceof z.ZodError)) throw error;
    const reason = error instanceof z.ZodError ? describeIssues(error) : error.message;
    const short = failedResult(task, "invalid_result", reason, now, attempt, outage);
    return (await create(fs, Result, path, short)) ? short : null;
  }
}

/** The attempt was not run to its end and is handed back, which is neither a failure nor a crash of the task. */
export async function release(
  { id, role }: Pick<Task, "id" | "role">,
  attempt: number,
  { fs, nowMs }: Omit<Publishing, "retryDelaySec">,
): Promise<void> {
  const now = nowMs();
  const end = { failureReason: "interrupted", error: "the worker pool did not run it to its end" } as const;
  const failed = failedAttempt({ id, attempt }, end, now, now);
  await createRecord(fs, FailedAttempt, failedAttemptPath(role, id, attempt), failed);
}

function failedAttempt(
  { id, attempt }: Pick<Claim, "id" | "attempt">,
  {
    failureReason,
    error,
    problem,
    isOutage = false,
    asks,
    hasLeft = false,
  }: Pick<RunOutcome, "failureReason" | "error" | "problem" | "isOutage" | "asks" | "hasLeft">,
  nowMs: number,
  retryMs: number,
): FailedAttempt {
  return {
    id,
    attempt,
    failureReason: failureReason ?? "error",
    error: error ?? "",
    at: new Date(nowMs).toISOString(),
    retryAt: new Date(retryMs).toISOString(),
    ...(problem !== undefined && { problem }),
    ...(isOutage && { outage: true as const }),
    ...(asks !== undefined && { asks }),
    ...(hasLeft && { left: true as const }),
  };
}
