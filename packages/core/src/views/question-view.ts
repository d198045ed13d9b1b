/** An open question as people see it. */

import type { Purpose, Question } from "@mimikit/protocol/records/question";
import type { QuestionView } from "@mimikit/protocol/wire/api";

export function questionView(asked: Question): QuestionView {
  const { id, at, expiresAt, question, options, default: preset, purpose } = asked;
  const taskId = subjectOf(purpose);
  return {
    id,
    at,
    expiresAt,
    question,
    options,
    ...(preset !== undefined && { default: preset }),
    isChoice: purpose.type !== "teller",
    ...(taskId !== undefined && { taskId }),
  };
}

/** The task that a question is about. */
function subjectOf(purpose: Purpose): string | undefined {
  switch (purpose.type) {
    case "teller":
      return purpose.about?.id;
    case "go_on":
      return purpose.failedId;
    case "run_again":
    case "give_up":
    case "approve":
      return purpose.taskId;
    case "restart":
      return undefined;
  }
}
