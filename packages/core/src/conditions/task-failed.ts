/** Holds when the task has failed for good (SPEC D1). What the user cancelled has not failed: nothing follows it (C8). */
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
    if (outcome === undefined) return { text: `${taskId} has not ended` };
    return { text: `${taskId} ${outcome.failureReason === "cancelled" ? "was cancelled" : outcome.status}` };
  },
};
