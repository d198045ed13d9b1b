/** The shape of a condition: which facts it needs, and a pure verdict over them (ARCHITECTURE, Adding things). */
import type { Condition } from "@mimikit/protocol/condition";
import type { Report } from "@mimikit/protocol/task";

/** `never`: the facts are final and the condition can no longer become true. */
export type Verdict = "holds" | "waits" | "never";

export interface Facts {
  outcomeOf(taskId: string): Report | undefined;
}

export type ParamsOf<T extends Condition["type"]> = Extract<Condition, { type: T }>["params"];

export interface ConditionRule<T extends Condition["type"]> {
  /** The tasks whose outcomes must be known before `judge` is asked. */
  needs(params: ParamsOf<T>): { tasks: string[] };
  judge(params: ParamsOf<T>, facts: Facts): Verdict;
}
