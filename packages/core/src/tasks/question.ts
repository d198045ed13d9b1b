/** The questions that the supervisor itself asks: their ids, and what an answer means. Its first option is always the yes. */

import type { Report } from "@mimikit/protocol/base/report";
import type { ClosedQuestion, Purpose, Question } from "@mimikit/protocol/records/question";
import { QUESTION_TIMEOUT_SEC } from "@mimikit/protocol/records/question";
import type { Task } from "@mimikit/protocol/records/task";
import { type Attempt, wasCutOff } from "../base/snapshot.ts";

/** The question whether a chain goes on behind a failed task: one for each failure (SPEC C8). */
export function goOnId(failedId: string): string {
  return `${failedId}.go-on`;
}

/** The question whether a task runs again whose attempt was cut off: one for each such attempt (SPEC C5). */
export function runAgainId(taskId: string, attempt: number): string {
  return `${taskId}.a${attempt}.run-again`;
}

/** The wish that an agreed restart becomes. */
export function restartWishId(questionId: string): string {
  return `r-${questionId}`;
}

/** Has it failed, and was not cancelled? Nobody is asked about what the user has ended (SPEC C8). */
export function isFailure(outcome: Report | undefined): outcome is Report {
  return outcome?.status === "failed" && outcome.failureReason !== "cancelled";
}

/** The last attempt of a task that was cut off and that runs again only if the user wants it; undefined without one. */
export function attemptToAskAbout(
  { onInterrupt }: Pick<Task, "onInterrupt">,
  attempts: readonly Attempt[],
): number | undefined {
  return onInterrupt === "ask" ? attempts.findLast(wasCutOff)?.attempt : undefined;
}

/**
 * What an answer is taken for: one of the options where the supervisor itself asks, in whatever case it was said, and
 * else what it says. Null where it is none of the options: it decides nothing, and the question stays open.
 */
export function optionOf({ purpose, options }: Pick<Question, "purpose" | "options">, answer: string): string | null {
  if (purpose.type === "teller") return answer;
  return options.find((option) => isSame(option, answer)) ?? null;
}

/** Is this the option, in whatever case it is said? */
export function isSame(option: string, said: string): boolean {
  return option.trim().toLowerCase() === said.trim().toLowerCase();
}

/** Is the outcome of a question of the supervisor's own a yes? Whatever is not, is a no. */
export function isAgreed(closed: ClosedQuestion | undefined): boolean {
  if (closed === undefined || closed.outcome === "cancelled") return false;
  return closed.answer !== null && closed.answer === closed.question.options[0];
}

/** A question of the supervisor's own: whoever does not answer in time has said no. */
export function ownQuestion(
  id: string,
  purpose: Purpose,
  words: { question: string; options: [yes: string, no: string] },
  { at, traceId }: { at: string; traceId: string },
): Question {
  const expiresAt = new Date(Date.parse(at) + QUESTION_TIMEOUT_SEC * 1_000).toISOString();
  return { id, at, expiresAt, ...words, default: words.options[1], purpose, traceId };
}
