/** Holds when the task has ended well (SPEC D1). */
import { type ConditionRule, forEver, forNow } from "./condition.ts";

export const taskDone: ConditionRule<"task_done"> = {
  needs: ({ taskId }) => ({ tasks: [taskId] }),
  judge: ({ taskId }, facts) => {
    const outcome = facts.outcomeOf(taskId);
    return outcome === undefined ? forNow(false) : forEver(outcome.status === "done");
  },
  explain: ({ taskId }, facts) => ({ text: `${taskId} ${facts.outcomeOf(taskId)?.status ?? "has not ended"}` }),
};
