/** Holds when the task has ended well, or its failure is forgiven (SPEC D1, C8). */
import { sentence } from "@mimikit/protocol/texts/coded";
import { type ConditionRule, forEver, forNow } from "./condition.ts";

export const taskDone: ConditionRule<"task_done"> = {
  needs: ({ taskId }) => ({ tasks: [taskId] }),
  judge: ({ taskId }, facts) => {
    const outcome = facts.outcomeOf(taskId);
    if (outcome === undefined) return forNow(false);
    return forEver(outcome.status === "done" || facts.isForgiven(taskId));
  },
  explain: ({ taskId }, facts) => {
    const status = facts.outcomeOf(taskId)?.status;
    return { text: sentence(status === undefined ? "evidence_open" : `evidence_${status}`, { id: taskId }) };
  },
};
