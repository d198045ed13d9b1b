/** The note of a plan, on its way to the Teller. */
import { reportOf } from "@mimikit/protocol/records/result";
import { describe, expect, test } from "vitest";
import { settlementOf } from "../../../packages/core/src/rules/settle.ts";
import { done, NOON_MS, snapshot, task } from "../facts.ts";

const note = "There is no key for the printer.";
const plan = task("t-000001.0");
const delegated = (...prompts: string[]) => prompts.map((prompt) => ({ type: "delegate" as const, prompt }));
const settled = (part: Parameters<typeof done>[1]) =>
  settlementOf(done(plan, { resultType: "plan", ...part }), snapshot({}), NOON_MS);

describe("the note of a plan", () => {
  test("comes with the report of its first task, and with no other", () => {
    const result = { tasks: ["t-000001.0.0", "t-000001.0.1"], note };
    const { tasks, events } = settled({ result, effects: delegated("a", "b") });
    expect(tasks.map((each) => reportOf(done(each)).planNote)).toEqual([note, undefined]);
    expect(events).toEqual([]);
  });

  test("comes with it also where its first task waits for another", () => {
    const condition = { type: "task_done" as const, params: { taskId: "t-000000.0.0" } };
    const effects = delegated("a").map((effect) => ({ ...effect, condition }));
    const { triggers } = settled({ result: { tasks: ["t-000001.0.0"], note }, effects });
    expect(triggers).toMatchObject([{ type: "link", task: { planNote: note } }]);
  });

  test("is told at once by a plan that has made no task", () => {
    const { events } = settled({ result: { tasks: [], note }, effects: [{ type: "cancel_task", id: "t-000000.0.0" }] });
    expect(events).toMatchObject([{ name: "task_result", text: `The plan "${plan.title}" needed no tasks. ${note}` }]);
  });
});
