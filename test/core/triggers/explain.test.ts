/** Why a trigger fires or does not, in one line (SPEC D7). */

import { factsAt } from "@mimikit/core/base/snapshot";
import { explainTrigger } from "@mimikit/core/triggers/explain";
import type { Condition } from "@mimikit/protocol/triggers/condition";
import { describe, expect, test } from "vitest";
import { conditional, NOON, NOON_MS, recurring, scheduled, snapshot } from "../facts.ts";

const at = (seconds: number) => new Date(NOON_MS + seconds * 1_000).toISOString();
const facts = factsAt(snapshot({ stamps: { "src/a.ts": "1", gone: "" } }), NOON_MS);
const asked: Condition = { type: "llm_eval", params: { prompt: "is it calm?" } };
const there: Condition = { type: "file_exists", params: { path: "src/a.ts" } };
const gone: Condition = { type: "file_exists", params: { path: "gone" } };

describe("a schedule", () => {
  test("says when it fires next", () => {
    expect(explainTrigger(recurring("a", { schedule: { interval: 60 }, last: NOON }), facts)).toEqual({
      id: "a",
      state: "scheduled",
      text: `fires next at ${at(60)}`,
      next: at(60),
    });
    expect(explainTrigger(scheduled("a", { runAt: at(5) }), facts).text).toBe(`fires next at ${at(5)}`);
  });

  test("says since when it is due", () => {
    const late = recurring("a", { schedule: { interval: 60 }, last: at(-90) });
    expect(explainTrigger(late, facts)).toMatchObject({ state: "due", text: `has been due since ${at(-30)}` });
  });

  test("says that it is paused, over, or has no further occurrence", () => {
    expect(explainTrigger(recurring("a", { paused: true }), facts)).toMatchObject({
      state: "paused",
      text: expect.stringContaining("paused"),
      next: null,
    });
    expect(explainTrigger(scheduled("a", { over: "spent" }), facts)).toMatchObject({
      state: "over",
      text: expect.stringContaining("over"),
    });
    const never = recurring("a", { schedule: { cron: "0 0 9 30 2 *", timezone: "UTC" } });
    expect(explainTrigger(never, facts)).toMatchObject({
      state: "exhausted",
      text: expect.stringContaining("never"),
      next: null,
    });
  });
});

describe("a condition", () => {
  const explained = (condition: Condition, more = {}) =>
    explainTrigger(conditional("a", { condition, ...more }), facts);
  const textOf = (condition: Condition, more = {}) => explained(condition, more).text;

  test("names what keeps it from firing, and nothing else", () => {
    expect(textOf(gone)).toBe("waits: gone does not exist");
    expect(textOf({ type: "and", conditions: [there, gone, asked] })).toBe("waits: gone does not exist");
    expect(textOf({ type: "not", condition: there })).toBe("waits: src/a.ts exists");
    const neither: Condition = { type: "not", condition: { type: "or", conditions: [gone, there] } };
    expect(textOf(neither)).toBe("waits: src/a.ts exists");
  });

  test("says that a model has to tell, how long it rests, and that it must turn false first", () => {
    expect(textOf({ type: "or", conditions: [gone, asked] })).toBe("waits for a model to answer a question");
    expect(textOf(there, { firedAt: at(-1), cooldownSec: 60, isArmed: false })).toBe(`is cooling down until ${at(59)}`);
    expect(textOf(there, { firedAt: at(-100), cooldownSec: 60, isArmed: false })).toContain("must become false");
    expect(textOf({ type: "file_exists", params: { path: "unseen" } })).toContain("cannot be read");
    expect(textOf(there)).toContain("its condition is true");
  });

  test("says the same by a word that other languages can be made of, and until when it rests by the moment", () => {
    expect(explained(gone).state).toBe("unmet");
    expect(explained(asked).state).toBe("asking");
    expect(explained({ type: "file_exists", params: { path: "unseen" } }).state).toBe("unseen");
    expect(explained(there).state).toBe("firing");
    const fired = { cooldownSec: 60, isArmed: false };
    expect(explained(there, { ...fired, firedAt: at(-1) })).toMatchObject({ state: "resting", until: at(59) });
    expect(explained(there, { ...fired, firedAt: at(-100) }).state).toBe("disarmed");
    expect(explained(there, { paused: true }).state).toBe("paused");
  });

  test("that must hold for a while says until when, and on a changed file, for how long that must stay the same", () => {
    expect(explained(there, { stableSec: 300, heldSince: at(-100) })).toMatchObject({
      state: "holding",
      text: `its condition is true: fires at ${at(200)} if it stays true until then`,
      until: at(200),
    });
    expect(explained(there, { stableSec: 300 })).toMatchObject({ state: "holding", until: at(300) });
    const evidence = { baselines: { 0: "old", 1: "old" }, evaluations: {} };
    const changed: Condition = { type: "file_changed", params: { path: "src/a.ts", settleSec: 600 } };
    expect(explained(changed, { evidence })).toMatchObject({
      state: "firing",
      text: "fires as soon as src/a.ts has not changed for 600 s",
    });
    expect(textOf({ type: "or", conditions: [changed, there] }, { evidence })).toBe("fires: its condition is true");
  });

  test("that models were asked about in vain says how often, since when, and when last", () => {
    const since = at(-1_200);
    const once = { unanswered: { 0: { number: 3, count: 1, since, at: since } } };
    const twice = { unanswered: { 0: { number: 4, count: 2, since, at: at(-600) } } };
    const evidence = { baselines: {}, evaluations: { 0: { number: 2, result: null, at: at(-9_000) } } };
    expect(explained(asked, { evidence: { ...evidence, ...once } })).toMatchObject({
      state: "asking",
      condition: {
        holds: null,
        text: '"is it calm?": a model was asked, and gave no usable answer',
        at: since,
        unanswered: { count: 1, since },
      },
    });
    expect(explained(asked, { evidence: { ...evidence, ...twice } }).condition).toMatchObject({
      text: '"is it calm?": models gave no usable answer, 2 times in a row',
      at: at(-600),
      unanswered: { count: 2, since },
    });
  });

  test("comes with its tree, the answers of a model with their time", () => {
    const evidence = { baselines: {}, evaluations: { 1: { number: 3, result: false, at: at(-300) } } };
    const condition: Condition = { type: "and", conditions: [there, { type: "not", condition: asked }] };
    expect(explainTrigger(conditional("a", { condition, evidence }), facts)).toMatchObject({
      next: null,
      condition: {
        type: "and",
        holds: true,
        parts: [
          { type: "file_exists", holds: true, text: "src/a.ts exists", atom: there },
          {
            type: "not",
            holds: true,
            parts: [{ holds: false, text: '"is it calm?": a model said no', at: at(-300), atom: asked }],
          },
        ],
      },
    });
  });
});
