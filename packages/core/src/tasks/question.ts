/** The questions that the supervisor itself asks: their ids, and what an answer means. The first option is always the yes, the last the no. */

import type { ApprovalVerdict, AskedCall } from "@mimikit/protocol/approvals/approval";
import { approvalPermit, runAgainPermit } from "@mimikit/protocol/base/id";
import type { Report } from "@mimikit/protocol/base/report";
import type { ClosedQuestion, Purpose, Question } from "@mimikit/protocol/records/question";
import { QUESTION_TIMEOUT_SEC } from "@mimikit/protocol/records/question";
import type { Task } from "@mimikit/protocol/records/task";
import { type AttemptFacts, wasCutOff } from "../base/snapshot.ts";

/** The question whether a chain goes on behind a failed task: one for each failure (SPEC C8). */
export function goOnId(failedId: string): string {
  return `${failedId}.go-on`;
}

/** The question whether a task runs again whose attempt was cut off: one for each such attempt (SPEC C5). */
export function runAgainId(taskId: string, attempt: number): string {
  return `${taskId}.a${attempt}.run-again`;
}

/** The question whether a task is given up whose machine is silent: one for each attempt. */
export function giveUpId(taskId: string, attempt: number): string {
  return `${taskId}.a${attempt}.give-up`;
}

/** The question whether a call is made that an attempt wanted to make: one for each such attempt (SPEC I10). */
export function approveId(taskId: string, attempt: number): string {
  return `${taskId}.a${attempt}.approve`;
}

/** The command that an agreed restart becomes. */
export function restartCommandId(questionId: string): string {
  return `r-${questionId}`;
}

/** Has it failed, and was not cancelled? The user is not asked about tasks that the user has cancelled (SPEC C8). */
export function isFailure(outcome: Report | undefined): outcome is Report {
  return outcome?.status === "failed" && outcome.failureReason !== "cancelled";
}

/**
 * The last attempt of a task that was cut off and that runs again only if the user wants it; the first, of a plan that begins only then;
 * undefined without one. A plan is never one that was cut off.
 */
export function attemptToAskAbout(
  { onInterrupt, asksOwner }: Pick<Task, "onInterrupt" | "asksOwner">,
  attempts: readonly AttemptFacts[],
): number | undefined {
  if (asksOwner === true) return 1;
  return onInterrupt === "ask" ? attempts.findLast(wasCutOff)?.attempt : undefined;
}

/** The call that the last attempt of a task has asked about, where it ended with that. */
export function callToAskAbout(attempts: readonly AttemptFacts[]): { attempt: number; asks: AskedCall } | undefined {
  const last = attempts.at(-1);
  return last?.failed?.asks === undefined ? undefined : { attempt: last.attempt, asks: last.failed.asks };
}

/** The permits without which a task is not run again. */
export function permitsNeeded(
  task: Pick<Task, "id" | "onInterrupt" | "asksOwner">,
  attempts: readonly AttemptFacts[],
): string[] {
  const cutOff = attemptToAskAbout(task, attempts);
  const asked = callToAskAbout(attempts);
  return [
    ...(cutOff === undefined ? [] : [runAgainPermit(task.id, cutOff)]),
    ...(asked === undefined ? [] : [approvalPermit(task.id, asked.attempt)]),
  ];
}

/** The owner's verdict on a call; any answer that is not one of the ways to say yes is a no. */
export function verdictOf(closed: ClosedQuestion | undefined): ApprovalVerdict {
  if (closed?.outcome === "expired") return "expired";
  if (closed?.outcome !== "answered") return "no";
  const { options } = closed.question;
  const chosen = closed.answer === null ? -1 : options.indexOf(closed.answer);
  const YES: readonly ApprovalVerdict[] = ["once", "task", "always"];
  // The last option is the no, however many there are.
  return (chosen < options.length - 1 ? YES[chosen] : undefined) ?? "no";
}

/**
 * The decision of an answer: one of the options, in any case, if the supervisor itself asks, else the answer as it is.
 * Null where it is none of the options: it decides nothing, and the question stays open.
 */
export function optionOf({ purpose, options }: Pick<Question, "purpose" | "options">, answer: string): string | null {
  if (purpose.type === "teller") return answer;
  return options.find((option) => isSame(option, answer)) ?? null;
}

/** Is this the option, in whatever case it is said? */
export function isSame(option: string, said: string): boolean {
  return option.trim().toLowerCase() === said.trim().toLowerCase();
}

/** Is the outcome of a question of the supervisor's own a yes? Any other outcome is a no. */
export function isAgreed(closed: ClosedQuestion | undefined): boolean {
  if (closed === undefined || closed.outcome === "cancelled") return false;
  return closed.answer !== null && closed.answer === closed.question.options[0];
}

/** A question of the supervisor's own; no answer in time is the last option, which is the no. */
export function ownQuestion(
  id: string,
  purpose: Purpose,
  words: { question: string; options: readonly [yes: string, ...string[]] },
  { at, traceId }: { at: string; traceId: string },
  timeoutSec = QUESTION_TIMEOUT_SEC,
): Question {
  const expiresAt = new Date(Date.parse(at) + timeoutSec * 1_000).toISOString();
  const options = [...words.options];
  return { id, at, expiresAt, question: words.question, options, default: options.at(-1), purpose, traceId };
}
