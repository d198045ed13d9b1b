/** When a model is asked about semantic conditions, about which of them, and what becomes of its answers (SPEC D3). */
import { NO_SPENDING } from "@mimikit/core/base/budget";
import type { LastEvaluation } from "@mimikit/core/base/snapshot";
import { decide } from "@mimikit/core/decide";
import { failedResult } from "@mimikit/core/tasks/finish";
import { ownQuestion } from "@mimikit/core/tasks/question";
import { type Result, reportOf } from "@mimikit/protocol/records/result";
import { EVALUATION_ITEMS_MAX, type EvaluationItem, type Task } from "@mimikit/protocol/records/task";
import { type Conditional, NO_DECISION, NO_EVIDENCE } from "@mimikit/protocol/records/trigger";
import type { Condition } from "@mimikit/protocol/triggers/condition";
import { describe, expect, test } from "vitest";
import {
  EVALUATION_BACKOFF_SEC,
  EVALUATION_CHARS_MAX,
  EVALUATION_EVERY_SEC,
  evaluate,
} from "../../../packages/core/src/rules/evaluate.ts";
import { settle } from "../../../packages/core/src/rules/settle.ts";
import { dependentOn, done, failed, NOON, NOON_MS, snapshot, task } from "../facts.ts";

type Facts = Parameters<typeof snapshot>[0];

const asked = (prompt: string): Condition => ({ type: "llm_eval", params: { prompt } });
const exists = (path: string): Condition => ({ type: "file_exists", params: { path } });

/** Asked in vain, so often in a row. */
const inVain = (number: number, count: number, since = NOON, at = NOON) => ({
  ...NO_EVIDENCE,
  unanswered: { 0: { number, count, since, at } },
});

const WORDS = { question: "Go on?", options: ["yes", "no"] as [string, string] };

function trigger(id: string, condition: Condition, more: Partial<Conditional> = {}): Conditional {
  return {
    id,
    version: 1,
    type: "conditional",
    createdAt: NOON,
    title: `title of ${id}`,
    prompt: `prompt of ${id}`,
    target: "worker",
    priority: 5,
    timeoutSec: null,
    onInterrupt: "rerun",
    traceId: id,
    depth: 0,
    paused: false,
    applied: [],
    decision: NO_DECISION,
    recent: [],
    condition,
    cooldownSec: 0,
    evidence: NO_EVIDENCE,
    isArmed: true,
    fired: 0,
    ...more,
  };
}

const answered = (leaf: number, result: boolean | null, number = 1, at = NOON) => ({
  baselines: {},
  evaluations: { [leaf]: { number, result, at } },
});

test("a chain that goes on behind a failure asks what is left to ask", () => {
  const a = task("t-000001.0.0");
  const waits: Condition = {
    type: "and",
    conditions: [{ type: "task_done", params: { taskId: a.id } }, asked("Is it quiet?")],
  };
  const dependent = dependentOn(task("t-000001.0.1"), waits);
  const facts = { dependents: [dependent], outcomes: { [a.id]: reportOf(failed(a)) } };
  expect(asks(facts)).toEqual([]);
  const id = `${a.id}.go-on`;
  const question = ownQuestion(id, { type: "go_on", failedId: a.id }, WORDS, { at: NOON, traceId: "t-000001" });
  const goOn = { kind: "question", id, at: NOON, question, outcome: "answered", answer: "yes" } as const;
  expect(asks({ ...facts, closed: { [id]: goOn } })).toEqual([[dependent.id, 1]]);
});

/** The questions to a model now, by trigger and leaf. */
function asks(facts: Facts, nowMs = NOON_MS): [string, number][] {
  const [action] = evaluate(snapshot(facts), nowMs);
  return action?.type !== "evaluate"
    ? []
    : (action.task.evaluation ?? []).map(({ triggerId, leaf }) => [triggerId, leaf]);
}

function batch(number: number, items: Omit<EvaluationItem, "id">[]): Task {
  const id = `eval-${String(number).padStart(6, "0")}`;
  const evaluation = items.map((item, i) => ({ id: `c${i + 1}`, ...item }));
  return task(id, { role: "worker", prompt: "", priority: 10, consumer: "supervisor", evaluation });
}

const verdicts = (of: Task, result: { id: string; result: boolean }[]): Result =>
  done(of, { resultType: "verdicts", result });

describe("a batch", () => {
  test("is one task with every condition that waits, of chains and of triggers that stand", () => {
    const dependent = dependentOn(task("t-000001.0.1"), asked("Has the build ended?"));
    const triggers = [
      trigger("b", asked("Is it late?")),
      trigger("c", { type: "not", condition: asked("Is it calm?") }),
    ];
    expect(evaluate(snapshot({ dependents: [dependent], triggers }), NOON_MS)).toEqual([
      {
        type: "evaluate",
        task: expect.objectContaining({
          id: "eval-000001",
          role: "worker",
          consumer: "supervisor",
          onInterrupt: "rerun",
          evaluation: [
            { id: "c1", triggerId: "t-000001.0.1", leaf: 0, prompt: "Has the build ended?" },
            { id: "c2", triggerId: "b", leaf: 0, prompt: "Is it late?" },
            { id: "c3", triggerId: "c", leaf: 0, prompt: "Is it calm?" },
          ],
        }),
      },
    ]);
  });

  test("is not made where nothing waits", () => {
    expect(decide(snapshot({ triggers: [trigger("a", exists("x"))], stamps: { x: "" } }), NOON_MS)).toEqual([]);
  });

  test("leaves out what the rest of its condition decides, and asks the rest of it", () => {
    const all = trigger("all", { type: "and", conditions: [exists("x"), asked("?")] });
    const any = trigger("any", { type: "or", conditions: [asked("?"), exists("x")] });
    const triggers = [all, any];
    expect(asks({ triggers, stamps: { x: "" } })).toEqual([["any", 0]]);
    expect(asks({ triggers, stamps: { x: "1" } })).toEqual([["all", 1]]);
  });

  test("asks each leaf by its number, also in a tree", () => {
    const tree: Condition = {
      type: "or",
      conditions: [
        { type: "and", conditions: [exists("x"), asked("one")] },
        { type: "and", conditions: [{ type: "not", condition: exists("x") }, asked("two")] },
        asked("three"),
      ],
    };
    expect(asks({ triggers: [trigger("a", tree)], stamps: { x: "1" } })).toEqual([
      ["a", 1],
      ["a", 4],
    ]);
  });

  test("leaves out what is paused, over, cancelled, archived, or rests after it fired", () => {
    const condition = asked("?");
    const triggers = [
      trigger("paused", condition, { paused: true }),
      trigger("over", condition, { over: "deleted" }),
      trigger("cancelled", condition),
      trigger("archived", condition),
      trigger("resting", condition, { firedAt: NOON, cooldownSec: 600 }),
    ];
    const facts = { triggers, archive: ["cancelled.cancelled", "archived"] };
    expect(asks(facts)).toEqual([]);
    expect(asks(facts, NOON_MS + 600_000)).toEqual([["resting", 0]]);
  });

  test("asks again what was answered before, whatever the answer was: only a firing needs none", () => {
    const triggers = [true, false, null].map((result) =>
      trigger(`was-${result}`, asked("?"), { evidence: answered(0, result), isArmed: false }),
    );
    expect(asks({ triggers })).toHaveLength(3);
  });

  test("holds so many conditions, and so many characters, those first that have waited longest", () => {
    const many = Array.from({ length: EVALUATION_ITEMS_MAX + 1 }, (_, i) => trigger(`t-${i}`, asked("?")));
    const old = trigger("old", asked("?"), { evidence: answered(0, false, 1, "2026-11-22T11:00:00.000Z") });
    const older = trigger("older", asked("?"), { evidence: answered(0, false, 1, "2026-11-22T10:00:00.000Z") });
    expect(asks({ triggers: many })).toHaveLength(EVALUATION_ITEMS_MAX);
    expect(asks({ triggers: [old, older, ...many.slice(0, 1)] })).toEqual([
      ["t-0", 0],
      ["older", 0],
      ["old", 0],
    ]);
    const long = ["a", "b", "c", "d"].map((id) => trigger(id, asked("x".repeat(EVALUATION_CHARS_MAX / 3))));
    expect(asks({ triggers: long })).toHaveLength(3);
    const dense = ["a", "b"].map((id) => trigger(id, asked("ไทย".repeat(EVALUATION_CHARS_MAX / 3))));
    expect(asks({ triggers: dense })).toHaveLength(1);
  });

  test("is not made where all spending has reached its ceiling", () => {
    const ceiling = {
      scope: "day" as const,
      period: "2026-11-22",
      limit: { tokens: 1 },
      spent: { tokens: 1, costUsd: 0 },
      reserved: NO_SPENDING,
      resumesAt: "2026-11-23T00:00:00.000Z",
    };
    expect(asks({ triggers: [trigger("a", asked("?"))], ceiling })).toEqual([]);
  });
});

describe("the next batch", () => {
  const triggers = [trigger("a", asked("?"))];
  const last = (more: Partial<LastEvaluation>): LastEvaluation => ({
    number: 7,
    at: NOON,
    isOpen: false,
    failures: 0,
    ...more,
  });

  test("is numbered after the last, comes five minutes after it, and not while it is open", () => {
    const facts = { triggers, evaluation: last({}) };
    expect(asks(facts, NOON_MS + EVALUATION_EVERY_SEC * 1_000 - 1)).toEqual([]);
    expect(evaluate(snapshot(facts), NOON_MS + EVALUATION_EVERY_SEC * 1_000)).toMatchObject([
      { task: { id: "eval-000008" } },
    ]);
    expect(asks({ triggers, evaluation: last({ isOpen: true }) }, NOON_MS + 86_400_000)).toEqual([]);
  });

  test.each([
    [1, 600],
    [2, 1_800],
    [3, 3_600],
    [9, 3_600],
  ])("after %d failures in a row waits %d s", (failures, waitSec) => {
    const facts = { triggers, evaluation: last({ failures }) };
    expect(asks(facts, NOON_MS + waitSec * 1_000 - 1)).toEqual([]);
    expect(asks(facts, NOON_MS + waitSec * 1_000)).toHaveLength(1);
    expect(EVALUATION_BACKOFF_SEC).toContain(waitSec);
  });

  test("is not put off by a clock that was set back", () => {
    const facts = { triggers, evaluation: last({}) };
    expect(asks(facts, NOON_MS - 86_400_000)).toHaveLength(1);
  });

  test("has the same number for whoever decides it at the same time, so that only one of them is made", () => {
    const facts = { triggers, evaluation: last({}) };
    const made = [0, 3_000].map((ms) => evaluate(snapshot(facts), NOON_MS + 600_000 + ms)[0]);
    expect(made.map((action) => action?.type === "evaluate" && action.task.id)).toEqual(["eval-000008", "eval-000008"]);
  });
});

describe("the answers", () => {
  const versions = (facts: Facts) =>
    settle(snapshot(facts), NOON_MS).flatMap((action) => (action.type === "settle" ? action.settlement.versions : []));

  test("make new versions with what was said, fire what holds, and wake nobody", () => {
    const of = batch(2, [
      { triggerId: "a", leaf: 0, prompt: "?" },
      { triggerId: "b", leaf: 0, prompt: "?" },
    ]);
    const triggers = [trigger("a", asked("?")), trigger("b", asked("?"))];
    const result = verdicts(of, [
      { id: "c1", result: true },
      { id: "c2", result: false },
    ]);
    const facts = {
      queue: [of],
      results: [result],
      triggers,
      evaluation: { number: 2, at: NOON, isOpen: true, failures: 0 },
    };
    const actions = decide(snapshot(facts), NOON_MS);
    expect(actions.map(({ type }) => type)).toEqual(["settle"]);
    const made = versions(facts) as Conditional[];
    expect(made).toMatchObject([
      { id: "a", version: 2, evidence: answered(0, true, 2) },
      { id: "b", version: 2, evidence: answered(0, false, 2) },
    ]);
    const settled = snapshot({ triggers: made, archive: [of.id] });
    expect(decide(settled, NOON_MS)).toMatchObject([
      { type: "advance", trigger: { id: "a", version: 3, fired: 1, decision: { fire: [{ id: "a--1" }] } } },
      { type: "evaluate" },
    ]);
  });

  test("several to one trigger are one new version", () => {
    const condition: Condition = { type: "and", conditions: [asked("one"), asked("two")] };
    const of = batch(2, [
      { triggerId: "a", leaf: 0, prompt: "one" },
      { triggerId: "a", leaf: 1, prompt: "two" },
    ]);
    const result = verdicts(of, [
      { id: "c1", result: true },
      { id: "c2", result: true },
    ]);
    expect(versions({ queue: [of], results: [result], triggers: [trigger("a", condition)] })).toMatchObject([
      { version: 2, evidence: { evaluations: { 0: { result: true }, 1: { result: true } } } },
    ]);
  });

  test("that are missing, old, or about another condition than there is now change nothing", () => {
    const items = ["missing", "newer", "changed", "gone"].map((triggerId) => ({ triggerId, leaf: 0, prompt: "?" }));
    const of = batch(2, items);
    const result = verdicts(
      of,
      [2, 3, 4].map((i) => ({ id: `c${i}`, result: true })),
    );
    const triggers = [
      trigger("missing", asked("?"), { evidence: inVain(2, 1) }),
      trigger("newer", asked("?"), { evidence: answered(0, false, 3) }),
      trigger("changed", asked("something else?")),
    ];
    expect(versions({ queue: [of], results: [result], triggers })).toEqual([]);
  });

  test("of a batch that is ended before it could answer are verdicts that are not there", () => {
    const of = batch(2, [{ triggerId: "a", leaf: 0, prompt: "?" }]);
    const result = failedResult(of, "poison", "it took the pool down", NOON_MS, 3);
    expect(result).toMatchObject({ status: "failed", resultType: "verdicts", result: null });
  });

  test("of a batch that failed are none: that is noted, once, and nobody is bothered with it", () => {
    const of = batch(2, [{ triggerId: "a", leaf: 0, prompt: "?" }]);
    const facts = { queue: [of], results: [failed(of)], triggers: [trigger("a", asked("?"))] };
    const evaluation = { number: 2, at: NOON, isOpen: true, failures: 0 };
    expect(decide(snapshot({ ...facts, evaluation }), NOON_MS)).toMatchObject([
      {
        type: "settle",
        settlement: { versions: [{ id: "a", version: 2, evidence: inVain(2, 1) }], events: [], tasks: [] },
      },
    ]);
    const noted = trigger("a", asked("?"), { evidence: inVain(2, 1) });
    expect(versions({ ...facts, triggers: [noted] })).toEqual([]);
  });

  test("that do not come are counted from the first of them, until an answer comes", () => {
    const first = trigger("a", asked("?"), { evidence: inVain(1, 1, "2026-11-22T11:00:00.000Z") });
    const of = batch(2, [{ triggerId: "a", leaf: 0, prompt: "?" }]);
    const [second] = versions({ queue: [of], results: [failed(of)], triggers: [first] }) as Conditional[];
    expect(second?.evidence).toEqual(inVain(2, 2, "2026-11-22T11:00:00.000Z"));
    const after = batch(3, [{ triggerId: "a", leaf: 0, prompt: "?" }]);
    const result = verdicts(after, [{ id: "c1", result: false }]);
    const [third] = versions({ queue: [after], results: [result], triggers: second ? [second] : [] }) as Conditional[];
    expect(third?.evidence).toEqual(answered(0, false, 3));
  });

  test("of one of the questions alone leave the others as they are", () => {
    const condition: Condition = { type: "and", conditions: [asked("one"), asked("two")] };
    const of = batch(2, [
      { triggerId: "a", leaf: 0, prompt: "one" },
      { triggerId: "a", leaf: 1, prompt: "two" },
    ]);
    const result = verdicts(of, [{ id: "c2", result: true }]);
    const [made] = versions({ queue: [of], results: [result], triggers: [trigger("a", condition)] }) as Conditional[];
    expect(made?.evidence).toEqual({ ...answered(1, true, 2), unanswered: inVain(2, 1).unanswered });
  });

  test("that never come do not keep the others from being asked", () => {
    const triggers = Array.from({ length: EVALUATION_ITEMS_MAX }, (_, i) =>
      trigger(`a${i}`, asked("?"), { evidence: inVain(1, 1) }),
    );
    const made = evaluate(snapshot({ triggers: [...triggers, trigger("z", asked("new?"))] }), NOON_MS + 86_400_000);
    expect(made).toMatchObject([{ type: "evaluate", task: { evaluation: { 0: { triggerId: "z" } } } }]);
  });
});
