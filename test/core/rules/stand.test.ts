/** Triggers decide, carry out, and only then decide again (SPEC D4, D5, D6, N2). */

import { occurrenceEvent, occurrenceTask } from "@mimikit/core/triggers/triggers";
import { cancelMark } from "@mimikit/protocol/base/id";
import type { Conditional, Trigger, TriggerDecision } from "@mimikit/protocol/records/trigger";
import { COOLDOWN_SEC_MIN, MISSED_MAX } from "@mimikit/protocol/triggers/trigger-order";
import { describe, expect, test } from "vitest";
import { OPEN_OCCURRENCES_MAX, stand } from "../../../packages/core/src/rules/stand.ts";
import { conditional, NOON_MS, recurring, scheduled, snapshot, task } from "../facts.ts";

const at = (seconds: number) => new Date(NOON_MS + seconds * 1_000).toISOString();
const idAt = (seconds: number) =>
  `a--${at(seconds)
    .slice(0, 19)
    .replace(/\D/g, "")
    .replace(/^(.{8})/, "$1t")}z`;

type Facts = Omit<Parameters<typeof snapshot>[0], "triggers">;
const actions = (trigger: Trigger, seconds: number, facts: Facts = {}) =>
  stand(snapshot({ ...facts, triggers: [trigger] }), NOON_MS + seconds * 1_000);

/** The version that it becomes; undefined where nothing is decided. */
function next(trigger: Trigger, seconds: number, facts: Facts = {}): Trigger | undefined {
  const [action] = actions(trigger, seconds, facts);
  if (action === undefined) return undefined;
  if (action.type !== "advance" || action.trigger.type === "link") throw new Error(`it does ${action.type}`);
  return action.trigger;
}

const firesOf = ({ fire }: TriggerDecision) => fire.map(({ id }) => id);
const skipsOf = ({ skip }: TriggerDecision) => skip.map(({ from, to, count }) => [from, to, count]);

describe("a schedule", () => {
  test("decides nothing before its time, and its occurrence from that very moment on", () => {
    expect(next(recurring("a"), 59.999)).toBeUndefined();
    expect(next(recurring("a"), 60)).toMatchObject({
      version: 2,
      last: at(60),
      decision: { fire: [{ id: idAt(60) }] },
    });
  });

  test("counts from the last occurrence, however late it is decided", () => {
    expect(next(recurring("a"), 95)).toMatchObject({ last: at(60), decision: { fire: [{ at: at(60) }], skip: [] } });
  });

  test("decides nothing when the clock is set back", () => {
    for (const back of [1, 3_600, 366 * 86_400])
      expect(next(recurring("a", { last: at(60) }), 60 - back)).toBeUndefined();
  });

  test("makes up for what was missed as its policy says, and skips the rest in one range", () => {
    const missed = (policy: "latest" | "all" | "none", seconds: number) => {
      const version = next(recurring("a", { missed: policy, schedule: { interval: 600 } }), seconds);
      if (version === undefined) throw new Error("nothing was decided");
      return { fired: firesOf(version.decision), skipped: skipsOf(version.decision) };
    };
    expect(missed("latest", 2_000)).toEqual({ fired: [idAt(1_800)], skipped: [[at(600), at(1_200), 2]] });
    expect(missed("none", 2_000)).toEqual({ fired: [], skipped: [[at(600), at(1_800), 3]] });
    expect(missed("all", 2_000)).toEqual({ fired: [idAt(600), idAt(1_200), idAt(1_800)], skipped: [] });
    // An occurrence that is at most a minute late was not missed.
    expect(missed("none", 1_860)).toEqual({ fired: [idAt(1_800)], skipped: [[at(600), at(1_200), 2]] });
    expect(missed("none", 1_860.001)).toEqual({ fired: [], skipped: [[at(600), at(1_800), 3]] });
  });

  test("makes up for a hundred at most", () => {
    const version = next(recurring("a", { missed: "all" }), 60 * (MISSED_MAX + 7));
    expect(version?.decision.fire).toHaveLength(MISSED_MAX);
    expect(version && skipsOf(version.decision)).toEqual([[at(60), at(60 * 7), 7]]);
  });

  test("decides nothing while it is paused", () => {
    expect(actions(recurring("a", { paused: true }), 600)).toEqual([]);
  });
});

describe("a decision", () => {
  const fire = [{ id: idAt(60), at: at(60) }];
  const skip = [{ id: `${idAt(0)}-skipped`, from: at(0), to: at(0), count: 1, reason: "missed" }];
  const decided = recurring("a", { version: 2, last: at(60), decision: { fire, skip } });

  test("is carried out before anything else is decided, as often as something of it is missing", () => {
    const [all] = actions(decided, 600);
    expect(all).toMatchObject({
      type: "carry-out",
      tasks: [
        { id: idAt(60), role: "worker", triggerId: "a", occurrence: at(60), triggerDepth: 1, consumer: "teller" },
      ],
      skips: [{ kind: "skipped", triggerId: "a", id: skip[0]?.id }],
    });
    const [rest] = actions(decided, 600, { queue: [task(idAt(60))] });
    expect(rest).toMatchObject({ type: "carry-out", tasks: [], skips: [{ id: skip[0]?.id }] });
    const [anew] = actions(decided, 600, { archive: [idAt(60), `${idAt(0)}-skipped`] });
    expect(anew).toMatchObject({ type: "advance", trigger: { version: 3 } });
  });

  test("is carried out also when it is over or paused since", () => {
    for (const more of [{ paused: true }, { over: "deleted" as const }])
      expect(actions({ ...decided, ...more }, 60)).toMatchObject([{ type: "carry-out" }]);
  });

  test("of a firing that was cancelled is done", () => {
    const archive = [cancelMark(idAt(60)), `${idAt(0)}-skipped`];
    expect(actions(decided, 61, { archive })).toEqual([]);
  });

  test("for the Teller is an event, for the Planner a plan", () => {
    const [event] = actions({ ...decided, target: "teller" }, 600);
    expect(event).toMatchObject({
      type: "carry-out",
      tasks: [],
      events: [{ id: idAt(60), name: "cron_trigger", data: { triggerId: "a", occurrence: at(60), triggerDepth: 1 } }],
    });
    const [plan] = actions({ ...decided, target: "planner" }, 600);
    expect(plan).toMatchObject({ tasks: [{ role: "planner", consumer: "supervisor" }], events: [] });
  });
});

describe("a moment", () => {
  test("fires once, and is over when that is done", () => {
    const spent = next(scheduled("a", { runAt: at(30) }), 30);
    expect(spent).toMatchObject({ over: "spent", decision: { fire: [{ id: idAt(30) }] } });
    if (spent === undefined) throw new Error("nothing was decided");
    expect(actions(spent, 60)).toMatchObject([{ type: "carry-out" }]);
    expect(actions(spent, 60, { archive: [idAt(30)] })).toMatchObject([{ type: "end-trigger", outcome: "spent" }]);
  });

  test("that was missed is made up for, unless it is not wanted", () => {
    expect(next(scheduled("a"), 86_400)).toMatchObject({ decision: { fire: [{ id: idAt(0) }], skip: [] } });
    expect(next(scheduled("a", { missed: "none" }), 61)).toMatchObject({
      over: "spent",
      decision: { fire: [], skip: [{ count: 1 }] },
    });
  });
});

describe("a condition", () => {
  const there = { stamps: { flag: "1" } };
  const absent = { stamps: { flag: "" } };

  test("fires when it turns true, rests, and fires again only after it was false", () => {
    const fired = next(conditional("a"), 0, there);
    expect(fired).toMatchObject({ fired: 1, isArmed: false, firedAt: at(0), decision: { fire: [{ id: "a--1" }] } });
    if (fired === undefined) throw new Error("nothing was decided");
    const done = { archive: ["a--1"] };
    expect(next(fired, 1_000, { ...there, ...done })).toBeUndefined();
    const armed = next(fired, 1_000, { ...absent, ...done });
    expect(armed).toMatchObject({ isArmed: true, fired: 1, decision: { fire: [] } });
    expect(armed && next(armed, 2_000, { ...there, ...done })).toMatchObject({
      fired: 2,
      decision: { fire: [{ id: "a--2" }] },
    });
  });

  test("that fires rests for its cooldown, and ten seconds at least", () => {
    const resting = (cooldownSec: number): Conditional => conditional("a", { cooldownSec, firedAt: at(0), fired: 1 });
    expect(next(resting(60), 59.999, there)).toBeUndefined();
    expect(next(resting(60), 60, there)).toMatchObject({ fired: 2 });
    expect(next(resting(0), COOLDOWN_SEC_MIN - 0.001, there)).toBeUndefined();
    expect(next(resting(0), COOLDOWN_SEC_MIN, there)).toMatchObject({ fired: 2 });
  });

  test("does not rest for ever because the clock was set back", () => {
    expect(next(conditional("a", { cooldownSec: 60, firedAt: at(0), fired: 1 }), -86_400, there)).toMatchObject({
      fired: 2,
    });
  });

  test("on a changed file sees first what is there, then each change once", () => {
    const condition = { type: "file_changed" as const, params: { path: "flag" } };
    const based = next(conditional("a", { condition }), 0, there);
    expect(based).toMatchObject({ evidence: { baselines: { 0: "1" } }, fired: 0 });
    if (based === undefined) throw new Error("nothing was decided");
    expect(next(based, 1, there)).toBeUndefined();
    const changed = { stamps: { flag: "2" } };
    const fired = next(based, 2, changed);
    expect(fired).toMatchObject({ fired: 1, isArmed: true, evidence: { baselines: { 0: "2" } } });
    expect(fired && next(fired, 100, { ...changed, archive: ["a--1"] })).toBeUndefined();
  });

  test("on a changed file names the files that changed since it last fired, in the event and beside the task", () => {
    const condition = { type: "file_changed" as const, params: { path: "docs/**" } };
    const based = conditional("a", { condition, evidence: { baselines: { 0: "1" }, evaluations: {} } });
    const asked: number[] = [];
    const changed = (_: string, sinceMs: number) => {
      asked.push(sinceMs);
      return Array.from({ length: 23 }, (_, i) => `docs/${i}.md`);
    };
    const fired = next(based, 2, { stamps: { "docs/**": "2" }, changed });
    if (fired?.type !== "conditional") throw new Error("it has not fired");
    expect(asked).toEqual([Date.parse(based.createdAt) - 1_000]);
    const [occurrence] = fired.decision.fire;
    expect(occurrence?.files).toEqual({ names: changed("", 0).slice(0, 20), more: 3 });
    expect(fired.recent).toEqual([{ id: "a--1", at: at(2), outcome: "fired" }]);
    if (occurrence === undefined) throw new Error("it has not fired");
    expect(occurrenceEvent(fired, occurrence, 0).data).toMatchObject({
      files: changed("", 0).slice(0, 20),
      moreFiles: 3,
    });
    expect(occurrenceTask(fired, occurrence, [], 0).upstream).toMatchObject([
      {
        title: "the files that changed",
        result: { text: expect.stringMatching(/^docs\/0\.md\n(?:.*\n)*and 3 more$/) },
      },
    ]);
  });

  test("on a changed file waits while that still changes", () => {
    const condition = { type: "file_changed" as const, params: { path: "flag" } };
    const based = conditional("a", { condition, evidence: { baselines: { 0: "1" }, evaluations: {} } });
    const changed = { stamps: { flag: "2" } };
    expect(next(based, 2, { ...changed, moving: ["flag"] })).toBeUndefined();
    expect(next(based, 4, changed)).toMatchObject({ fired: 1 });
  });

  test("that must hold for a while fires when it has, and counts anew after each break", () => {
    const waits = conditional("a", { stableSec: 300 });
    expect(next(waits, 0, absent)).toBeUndefined();
    const holds = next(waits, 0, there);
    expect(holds).toMatchObject({ heldSince: at(0), fired: 0 });
    if (holds === undefined) throw new Error("nothing was decided");
    expect(next(holds, 299.999, there)).toBeUndefined();
    const fired = next(holds, 300, there);
    expect(fired).toMatchObject({ fired: 1, firedAt: at(300), isArmed: false });
    expect(fired?.type === "conditional" && fired.heldSince).toBeUndefined();
    const broken = next(holds, 100, absent);
    expect(broken).toMatchObject({ fired: 0, version: 3 });
    expect(broken?.type === "conditional" && broken.heldSince).toBeUndefined();
    expect(broken && next(broken, 400, there)).toMatchObject({ heldSince: at(400), fired: 0 });
    // That nobody can look is a break, too: it may not hold.
    expect(next(holds, 100, { stamps: {} })).toMatchObject({ fired: 0, version: 3 });
    // A clock that was set back neither fires it nor puts it off by the difference.
    expect(next(holds, -3_600, there)).toMatchObject({ heldSince: at(-3_600), fired: 0 });
    // It must turn false first, as always.
    expect(next({ ...waits, isArmed: false }, 0, there)).toBeUndefined();
  });

  test("fires on no answer that a model gave for an earlier time", () => {
    const exists = { type: "file_exists" as const, params: { path: "flag" } };
    const asked = { type: "llm_eval" as const, params: { prompt: "Is it good?" } };
    const condition = { type: "and" as const, conditions: [exists, asked] };
    const yes = { baselines: {}, evaluations: { 1: { number: 2, result: true, at: at(0) } } };
    // It said yes while nothing could come of it: before it was armed again, or when the file had just gone.
    for (const isArmed of [false, true]) {
      const armed = next(conditional("a", { condition, evidence: yes, isArmed }), 1_000, absent);
      expect(armed).toMatchObject({ isArmed: true, evidence: { evaluations: { 1: { number: 2, result: null } } } });
      expect(armed && next(armed, 2_000, there)).toBeUndefined();
    }
    // A question asked now is answered now.
    expect(next(conditional("a", { condition, evidence: yes }), 1, there)).toMatchObject({ fired: 1 });
  });

  test("forgets that a model gave no answer to a question that is not asked any more", () => {
    const exists = { type: "file_exists" as const, params: { path: "flag" } };
    const asked = { type: "llm_eval" as const, params: { prompt: "Is it good?" } };
    const condition = { type: "and" as const, conditions: [exists, asked] };
    const unanswered = { 1: { number: 2, count: 2, since: at(0), at: at(600) } };
    const inVain = conditional("a", { condition, evidence: { baselines: {}, evaluations: {}, unanswered } });
    expect(next(inVain, 1_000, there)).toBeUndefined();
    const forgotten = next(inVain, 1_000, absent);
    expect(forgotten).toMatchObject({ version: 2, fired: 0 });
    expect(JSON.parse(JSON.stringify(forgotten))).toMatchObject({ evidence: { baselines: {}, evaluations: {} } });
    expect(forgotten?.type === "conditional" && forgotten.evidence.unanswered).toBeUndefined();
  });

  test("that has nothing to forget makes no version", () => {
    const asked = { type: "llm_eval" as const, params: { prompt: "Is it good?" } };
    const evidence = { baselines: {}, evaluations: { 0: { number: 2, result: false, at: at(0) } } };
    expect(next(conditional("a", { condition: asked, evidence }), 1_000)).toBeUndefined();
  });

  test("gives its task the outcomes that it waited for", () => {
    const condition = { type: "task_done" as const, params: { taskId: "t-000001.0.0" } };
    const outcome = {
      id: "t-000001.0.0",
      title: "dig",
      role: "worker",
      status: "done",
      resultType: "text",
      result: { text: "a hole" },
    } as const;
    const decided = conditional("a", { condition, decision: { fire: [{ id: "a--1", at: at(0) }], skip: [] } });
    expect(actions(decided, 0, { outcomes: { "t-000001.0.0": outcome } })).toMatchObject([
      { tasks: [{ upstream: [outcome] }] },
    ]);
  });
});

describe("what must not start now is skipped, with the reason,", () => {
  test("where its budget of the day is used up", () => {
    const poor = recurring("a", { budget: { tokens: 1_000 } });
    const spent = { spentByTrigger: { a: { tokens: 1_000, costUsd: 0 } } };
    expect(next(poor, 60, spent)).toMatchObject({
      last: at(60),
      decision: {
        fire: [],
        skip: [{ from: at(60), to: at(60), reason: expect.stringContaining("1000 tokens a day") }],
      },
    });
    const cheap = { spentByTrigger: { a: { tokens: 999, costUsd: 50 } } };
    expect(next(poor, 60, cheap)).toMatchObject({ decision: { fire: [{ at: at(60) }] } });
    const dear = recurring("a", { budget: { costUsd: 2 } });
    expect(next(dear, 60, cheap)).toMatchObject({ decision: { fire: [], skip: [{ count: 1 }] } });
  });

  test("where a condition turns true, under a number of its own", () => {
    const poor = conditional("a", { budget: { tokens: 1 } });
    const facts = { stamps: { flag: "1" }, spentByTrigger: { a: { tokens: 1, costUsd: 0 } } };
    expect(next(poor, 0, facts)).toMatchObject({
      fired: 1,
      isArmed: false,
      decision: { fire: [], skip: [{ id: "a--1-skipped" }] },
    });
  });

  test("where its tasks pile up", () => {
    const queue = Array.from({ length: OPEN_OCCURRENCES_MAX }, (_, i) => task(`a--${i}`, { triggerId: "a" }));
    expect(next(recurring("a"), 60, { queue })).toMatchObject({ decision: { fire: [], skip: [{ count: 1 }] } });
    expect(next(recurring("a"), 60, { queue: queue.slice(1) })).toMatchObject({ decision: { skip: [] } });
  });
});

test("a trigger whose plan is cancelled, or that is, decides no more and is over", () => {
  const ofPlan = recurring("t-000001.0.1");
  for (const archive of [[cancelMark("t-000001.0")], [cancelMark("t-000001.0.1")]])
    expect(next(ofPlan, 60, { archive })).toMatchObject({ over: "cancelled", decision: { fire: [], skip: [] } });
  expect(actions({ ...ofPlan, over: "cancelled" }, 60)).toMatchObject([{ type: "end-trigger", outcome: "cancelled" }]);
});

test("what is archived is over, whatever is left of it", () => {
  expect(actions(recurring("a"), 600, { archive: ["a"] })).toEqual([]);
});
