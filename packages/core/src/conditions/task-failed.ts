/** Holds when the task has failed for good (SPEC D1). A task cancelled by the user has not failed: nothing follows it (C8). */
import { sentence } from "@mimikit/protocol/texts/coded";
import { type ConditionRule, forEver, forNow } from "./condition.ts";

export const taskFailed: ConditionRule<"task_failed"> = {
  needs: ({ taskId }) => ({ tasks: [taskId] }),
  judge: ({ taskId }, facts) => {
    const outcome = facts.outcomeOf(taskId);
    if (outcome === undefined) return forNow(false);
    return forEver(outcome.status === "failed" && outcome.failureReason !== "cancelled");
  },
  explain: ({ taskId }, facts) => {
    const outcome = facts.outcomeOf(taskId);
    if (outcome === undefined) return { text: sentence("evidence_open", { id: taskId }) };
    return {
      text: sentence(`evidence_${outcome.failureReason === "cancelled" ? "cancelled" : outcome.status}`, {
        id: taskId,
      }),
    };
  },
};
