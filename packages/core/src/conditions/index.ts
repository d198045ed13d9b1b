/** Every atomic condition, by its type. */
import type { Condition } from "@mimikit/protocol/condition";
import type { ConditionRule, Facts, Verdict } from "./condition.ts";
import { taskDone } from "./task-done.ts";
import { taskFailed } from "./task-failed.ts";

const CONDITIONS: { [T in Condition["type"]]: ConditionRule<T> } = {
  task_done: taskDone,
  task_failed: taskFailed,
};

function ruleOf<T extends Condition["type"]>(type: T): ConditionRule<T> {
  return CONDITIONS[type];
}

/** The tasks whose outcomes a condition asks about. */
export function tasksNeeded(condition: Condition): string[] {
  return ruleOf(condition.type).needs(condition.params).tasks;
}

/** What the facts say about a condition. */
export function judge(condition: Condition, facts: Facts): Verdict {
  return ruleOf(condition.type).judge(condition.params, facts);
}
