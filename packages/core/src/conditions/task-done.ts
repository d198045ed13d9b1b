/** Holds when the task has ended well (SPEC D1). */
import type { ConditionRule } from "./condition.ts";

export const taskDone: ConditionRule<"task_done"> = {
  needs: ({ taskId }) => ({ tasks: [taskId] }),
  judge: ({ taskId }, facts) => {
    const outcome = facts.outcomeOf(taskId);
    if (outcome === undefined) return "waits";
    return outcome.status === "done" ? "holds" : "never";
  },
};
