/** Work that feeds itself: after so many plans in a row that came of reports alone, the owner is asked before the next begins. */
import { decide } from "@mimikit/core/decide";
import { candidateOf } from "@mimikit/core/tasks/dispatch";
import { reportOf } from "@mimikit/protocol/records/result";
import type { Task } from "@mimikit/protocol/records/task";
import { expect, test } from "vitest";
import { settlementOf } from "../../../packages/core/src/rules/settle.ts";
import { wake } from "../../../packages/core/src/rules/wake.ts";
import { done, message, NOON, NOON_MS, snapshot, task, turn } from "../facts.ts";

const MAX = 3;
const delegate = { type: "delegate" as const, prompt: "and once more" };

/** The turn that reports the work of `plan`, and the plans that it makes. */
function turnAfter(plan: Task, n: number, plans = 1): Task[] {
  const [work] = settlementOf(done(plan, { effects: [delegate] }), snapshot({ ownOrdersMax: MAX }), NOON_MS).tasks;
  if (work === undefined) throw new Error("the plan has made no task");
  const facts = snapshot({ results: [done(work)], archive: [plan.id], ownOrdersMax: MAX, settledTurn: n - 1 });
  const [woken] = wake(facts, NOON_MS);
  if (woken?.type !== "wake") throw new Error("no turn");
  const effects = Array.from({ length: plans }, () => delegate);
  return settlementOf(done(woken.turn, { effects }), facts, NOON_MS).tasks;
}

const [FIRST] = settlementOf(
  done(turn("t-000001", { messages: [message("m-1")] }), { effects: [delegate] }),
  snapshot({ ownOrdersMax: MAX }),
  NOON_MS,
).tasks;

function row(length: number): Task[] {
  const plans = [FIRST as Task];
  while (plans.length < length) plans.push(turnAfter(plans.at(-1) as Task, plans.length + 1)[0] as Task);
  return plans;
}

test("a plan that the owner's words made is no such plan; those that follow from reports are counted, and the one after the last asks", () => {
  const plans = row(6);
  expect(plans.map(({ ownOrders, asksOwner }) => [ownOrders, asksOwner])).toEqual([
    [undefined, undefined],
    [1, undefined],
    [2, undefined],
    [3, undefined],
    [4, true],
    // After the owner's yes the row begins anew.
    [1, undefined],
  ]);
});

test("plans side by side are one row", () => {
  const [, second] = row(2);
  const made = turnAfter(second as Task, 3, 4);
  expect(made.map(({ ownOrders, asksOwner }) => [ownOrders, asksOwner === true])).toEqual([
    [2, false],
    [3, false],
    [4, true],
    [5, true],
  ]);
});

test("it begins only with a yes; a no, and silence for a day, end it", () => {
  const plan = row(5).at(-1) as Task;
  const waiting = { queue: [plan] };
  const [action] = decide(snapshot(waiting), NOON_MS);
  if (action?.type !== "ask") throw new Error("nothing is asked");
  expect(action.question).toMatchObject({
    question: `I have ordered work 3 times in a row without a word from you. The next is "${plan.title}". Go on?`,
    options: ["go on", "stop"],
    default: "stop",
    expiresAt: "2026-11-23T12:00:00.000Z",
  });
  const free = { attempts: new Map(), results: new Map(), hasOutcome: () => false };
  expect(candidateOf(plan, { ...free, permits: new Set() }, NOON_MS)).toBeNull();
  const permit = `${plan.id}.a1.again`;
  expect(candidateOf(plan, { ...free, permits: new Set([permit]) }, NOON_MS)).toMatchObject({ attempt: 1 });
  const decided = (answer: string, outcome: "answered" | "expired" = "answered") => {
    const { question } = action;
    const closed = { kind: "question" as const, id: question.id, at: NOON, question, outcome, answer };
    return decide(snapshot({ ...waiting, archive: [question.id], closed: { [question.id]: closed } }), NOON_MS);
  };
  expect(decided("go on")).toContainEqual(
    expect.objectContaining({ type: "permit", permit: expect.objectContaining({ id: permit }) }),
  );
  const error = (said: string) =>
    expect.objectContaining({ result: expect.objectContaining({ failureReason: "cancelled", error: said }) });
  expect(decided("stop")).toContainEqual(error("the user chose to stop here"));
  expect(decided("stop", "expired")).toContainEqual(error("there was no answer in time on whether to go on"));
});

test("a word of the owner ends the row", () => {
  const plan = row(4).at(-1) as Task;
  const [work] = settlementOf(done(plan, { effects: [delegate] }), snapshot({}), NOON_MS).tasks;
  const result = done(work as Task);
  const facts = { results: [result], archive: [plan.id], inbox: [message("m-2")], settledTurn: 4 };
  const [woken] = wake(snapshot(facts), NOON_MS);
  expect(woken).toMatchObject({ turn: { turn: { results: [reportOf(result)] } } });
  expect(woken?.type === "wake" && woken.turn.ownOrders).toBe(undefined);
  expect(task("t-000009.0").asksOwner).toBe(undefined);
});
