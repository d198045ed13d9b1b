/** The outcome of a pool, as the home accepts it: bounded, checked and without effects (docs/pools.md). */
import type { Outcome } from "@mimikit/agent/run/run-task";
import { failedResult } from "@mimikit/core/tasks/finish";
import { BadJson } from "@mimikit/protocol/base/json";
import type { Signal } from "@mimikit/protocol/base/signal";
import { NO_USAGE } from "@mimikit/protocol/base/usage";
import { OUTCOME_BYTES_MAX, PoolOutcome } from "@mimikit/protocol/pools/messages";
import type { Task } from "@mimikit/protocol/records/task";
import { BadSeal, unseal } from "@mimikit/runtime/pools/seal";

export interface Accepted {
  outcome: Outcome;
  /** It may have cost something that it cannot tell. */
  isBegun: boolean;
}

/**
 * The outcome that lies in the engine. A wrong one is an outcome, too: the attempt has ended.
 * @param signals what the owner has said to the task: only those count as heard.
 */
export function acceptOutcome(
  found: { sealed: string } | { bytes: number },
  { key, job, pool, task }: { key: string; job: string; pool: string; task: Task },
  signals: readonly Signal[],
): Accepted {
  if ("bytes" in found) return invalid(task, pool, `it has ${found.bytes} bytes, more than ${OUTCOME_BYTES_MAX}`);
  try {
    const { steers, isBegun, hasLeft, ...outcome } = unseal(
      key,
      { job, pool, direction: "outcome" },
      PoolOutcome,
      found.sealed,
    );
    const heard = signals.filter(({ id }) => steers.includes(id)).map(({ taskId: _, ...steer }) => steer);
    // The home alone says that a task is cancelled.
    const failureReason = outcome.failureReason === "cancelled" ? "killed" : outcome.failureReason;
    const { error, problem, question, asks, model } = outcome;
    return {
      isBegun,
      outcome: {
        status: outcome.status,
        resultType: outcome.resultType,
        result: outcome.result ?? null,
        retryable: outcome.retryable,
        usage: outcome.usage,
        provider: outcome.provider,
        effects: [],
        steers: heard,
        ...(error !== undefined && { error: `${pool}: ${error}` }),
        ...(failureReason !== undefined && { failureReason }),
        ...(problem !== undefined && { problem }),
        ...(question !== undefined && { question }),
        ...(asks !== undefined && { asks }),
        ...(model !== undefined && { model }),
        ...(hasLeft === true && { hasLeft }),
      },
    };
  } catch (error) {
    if (error instanceof BadSeal || error instanceof BadJson) return invalid(task, pool, error.message);
    throw error;
  }
}

function invalid(task: Task, pool: string, why: string): Accepted {
  const error = `${pool} handed in no valid outcome: ${why}`;
  const { resultType } = failedResult(task, "invalid_result", error, 0, 1);
  return {
    isBegun: true,
    outcome: {
      status: "failed",
      failureReason: "invalid_result",
      error,
      retryable: false,
      resultType,
      result: null,
      effects: [],
      steers: [],
      usage: NO_USAGE,
      provider: "unknown",
    },
  };
}
