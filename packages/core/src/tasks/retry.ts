/** When a failed attempt is tried again, and how long an attempt may take (SPEC C3, C4). */

import type { FailureReason } from "@mimikit/protocol/base/failure";
import type { FailedAttempt } from "@mimikit/protocol/records/claim";
import type { Outage } from "@mimikit/protocol/records/result";
import { isTurn, type Task } from "@mimikit/protocol/records/task";

/** One silent retry; the second failure is final. */
export const FAILURES_MAX = 2;

/**
 * The moment of the next attempt, or null when this failure is final. Turns are not retried silently: the user is
 * told (SPEC G4). An outage is never final; when it is over, the circuit of the provider says. Nor is what waits for the
 * owner's yes: the permit says when.
 * @param earlier failed attempts of the same task; crashes are not among them.
 */
export function retryAtMs(
  task: Task,
  failure: { retryable: boolean; isOutage?: boolean; failureReason?: FailureReason },
  earlier: number,
  nowMs: number,
  retryDelaySec: number,
): number | null {
  if (failure.isOutage === true || failure.failureReason === "needs_approval") return nowMs;
  if (!failure.retryable || isTurn(task) || earlier + 1 >= FAILURES_MAX) return null;
  return nowMs + retryDelaySec * 1_000;
}

/** Is it time? A clock that was set back behind the failure must not delay the retry by the difference. */
export function isRetryDue(failed: Pick<FailedAttempt, "at" | "retryAt">, nowMs: number): boolean {
  return nowMs >= Date.parse(failed.retryAt) || nowMs < Date.parse(failed.at);
}

/** The attempts that were outages, oldest first: no failures of the task, and retried until a provider answers (SPEC G4). */
export function outagesOf(attempts: readonly { failed?: FailedAttempt }[]): FailedAttempt[] {
  return attempts.flatMap(({ failed }) => (failed?.outage === true ? [failed] : []));
}

/** The outage as the user is told it: since when, and why. The first stays what it is, however long it lasts; null without any. */
export function outageOf(outages: readonly Pick<FailedAttempt, "at" | "error" | "problem">[]): Outage | null {
  const [first] = outages;
  if (first === undefined) return null;
  const { at: since, error, problem } = first;
  return { since, error, ...(problem !== undefined && { problem }) };
}

/** When the rate limit ends that the newest attempt has met, as an ISO time; undefined where it has met none. */
export function limitedUntil(attempts: readonly { failed?: FailedAttempt }[]): string | undefined {
  const failed = attempts.at(-1)?.failed;
  return failed?.outage === true ? failed.problem?.until : undefined;
}

/** The time limit of the next attempt, in seconds: twice as long after a time-out. @param defaultSec where the task says nothing. */
export function timeLimitSec(
  task: Pick<Task, "timeoutSec">,
  defaultSec: number,
  earlier: readonly { failureReason: FailureReason }[],
): number {
  const limit = task.timeoutSec ?? defaultSec;
  return earlier.some((failed) => failed.failureReason === "timeout") ? limit * 2 : limit;
}
