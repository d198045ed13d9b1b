/** Budgets: when one is used up, what fits beside running work, and what the user is told of it (SPEC N2). */

import {
  type Account,
  ceilingOf,
  hasRoom,
  type Limit,
  NO_SPENDING,
  overrun,
  periodOf,
  reservedBy,
} from "@mimikit/core/base/budget";
import type { AttemptFacts, Snapshot } from "@mimikit/core/base/snapshot";
import { decide } from "@mimikit/core/decide";
import { dispatch } from "@mimikit/core/tasks/dispatch";
import { triggerOf } from "@mimikit/core/triggers/triggers";
import { byRole } from "@mimikit/protocol/base/kind";
import type { Event } from "@mimikit/protocol/records/inbox";
import { afterEach, describe, expect, test } from "vitest";
import { OPEN_OCCURRENCES_MAX } from "../../../packages/core/src/rules/stand.ts";
import { done, message, NOON, NOON_MS, snapshot, task, turn } from "../facts.ts";

function account(limit: Limit, part: Partial<Account> = {}): Account {
  const now = { scope: "day", period: "2026-11-22", resumesAt: "2026-11-23T00:00:00.000Z" } as const;
  return { ...now, limit, spent: NO_SPENDING, reserved: NO_SPENDING, ...part };
}
const tokens = (count: number) => ({ tokens: count, costUsd: 0 });
const dollars = (costUsd: number) => ({ tokens: 0, costUsd });

describe("room", () => {
  test("one run begins as long as anything is left, however much it reserves: a small limit blocks nothing for ever", () => {
    expect(hasRoom(account({ tokens: 10 }), tokens(100_000))).toBe(true);
    expect(hasRoom(account({ tokens: 10 }, { spent: tokens(9) }), tokens(100_000))).toBe(true);
    expect(hasRoom(account({ tokens: 10 }, { spent: tokens(10) }), tokens(0))).toBe(false);
  });

  test("others begin beside it as far as what all of them reserve fits into what is left", () => {
    const running = account({ tokens: 1_000 }, { spent: tokens(500), reserved: tokens(300) });
    expect(hasRoom(running, tokens(200))).toBe(true);
    expect(hasRoom(running, tokens(201))).toBe(false);
  });

  test("tokens and dollars are limited each for itself", () => {
    const both = account({ tokens: 1_000, costUsd: 1 }, { spent: { tokens: 10, costUsd: 1 } });
    expect(hasRoom(both, tokens(1))).toBe(false);
    const running = account({ costUsd: 1 }, { reserved: { tokens: 900, costUsd: 0.5 } });
    expect(hasRoom(running, { tokens: 900, costUsd: 0.5 })).toBe(true);
    expect(hasRoom(running, { tokens: 1, costUsd: 0.51 })).toBe(false);
  });

  test("what is not limited has room without end", () => {
    expect(hasRoom(account({}, { spent: tokens(1e12), reserved: tokens(1e12) }), tokens(1e12))).toBe(true);
  });
});

test("the ceiling is a budget that is used up, the month's before the day's, and none while there is something left", () => {
  const day = account({ tokens: 10 }, { spent: tokens(10) });
  const month = account({ costUsd: 2 }, { scope: "month", period: "2026-11", spent: dollars(2) });
  expect(ceilingOf([day, month])).toBe(month);
  expect(ceilingOf([day, { ...month, spent: dollars(1.99) }])).toBe(day);
  expect(ceilingOf([{ ...day, reserved: tokens(100), spent: tokens(9) }])).toBe(null);
});

test("what is reserved is that of attempts that have begun, have not failed and have not said what they cost", () => {
  const attempt = (part: Partial<AttemptFacts> = {}): AttemptFacts => ({
    role: "worker",
    attempt: 1,
    ownerAlive: true,
    reserved: tokens(100),
    ...part,
  });
  const failed = { id: "c", attempt: 1, failureReason: "timeout", error: "", at: NOON, retryAt: NOON } as const;
  const attempts = new Map([
    ["a", [attempt({ ownerAlive: false }), attempt({ attempt: 2 })]],
    ["b", [attempt()]],
    ["c", [attempt({ failed })]],
    ["d", [{ role: "worker", attempt: 1, ownerAlive: true } as const]],
  ]);
  expect(reservedBy(attempts, (id) => id === "b")).toEqual(tokens(200));
});

test("a task that has taken more than it may is told how much", () => {
  expect(overrun({ tokens: 5_000 }, tokens(4_999))).toBe(null);
  expect(overrun({ tokens: 5_000 }, tokens(5_321))).toBe("its budget is used up: it has taken 5,321 of 5,000 tokens");
  expect(overrun({ costUsd: 0.5 }, dollars(0.75))).toBe("its budget is used up: it has taken $0.75 of $0.50");
  expect(overrun({ costUsd: 0.002 }, { tokens: 0, costUsd: 0.0031 })).toContain("$0.0031 of $0.0020");
});

describe("periods", () => {
  const zone = process.env.TZ;
  afterEach(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });

  const resumes = (timeZone: string, scope: "day" | "month", now: string) => {
    process.env.TZ = timeZone;
    return periodOf(scope, Date.parse(now));
  };

  test.each([
    // The day on which clocks go forward has 23 hours, that on which they go back 25.
    ["Europe/Berlin", "2026-03-29T00:30:00+01:00", "2026-03-29T22:00:00.000Z", "2026-03-29"],
    ["Europe/Berlin", "2026-10-25T00:30:00+02:00", "2026-10-25T23:00:00.000Z", "2026-10-25"],
    // Where midnight is skipped, the next day begins at one o'clock.
    ["Africa/Cairo", "2026-04-23T12:00:00+02:00", "2026-04-23T22:00:00.000Z", "2026-04-23"],
    ["Asia/Kathmandu", "2026-12-31T23:59:59+05:45", "2026-12-31T18:15:00.000Z", "2026-12-31"],
  ])("a day in %s at %s ends at %s", (timeZone, now, resumesAt, name) => {
    const period = resumes(timeZone, "day", now);
    expect(period).toEqual({ name, days: [name], resumesAt });
    expect(periodOf("day", Date.parse(resumesAt) - 1).name).toBe(name);
    expect(periodOf("day", Date.parse(resumesAt)).name).not.toBe(name);
  });

  test("a month ends with its last day, and its days are those up to now", () => {
    const march = resumes("Europe/Berlin", "month", "2026-03-03T12:00:00+01:00");
    const days = ["2026-03-01", "2026-03-02", "2026-03-03"];
    expect(march).toEqual({ name: "2026-03", days, resumesAt: "2026-03-31T22:00:00.000Z" });
    expect(resumes("UTC", "month", "2026-12-31T12:00:00Z").resumesAt).toBe("2027-01-01T00:00:00.000Z");
  });
});

describe("a budget that is used up", () => {
  const ceiling = account({ tokens: 1_000 }, { spent: tokens(1_070) });
  const id = "budget-day-2026-11-22-tokens-1000";
  const told = (facts: Partial<Parameters<typeof snapshot>[0]> = {}): Event => {
    const [action] = decide(snapshot({ ceiling, ...facts }), NOON_MS);
    if (action?.type !== "tell") throw new Error(`not told: ${action?.type}`);
    return action.event;
  };
  const types = (state: Snapshot) => decide(state, NOON_MS).map((action) => action.type);

  test("is told once in its period, and again when a raised limit is used up too", () => {
    const event = told();
    expect(event).toMatchObject({ id, name: "budget", data: { scope: "day", limit: { tokens: 1_000 } } });
    expect(types(snapshot({ ceiling, archive: [id] }))).toEqual([]);
    expect(types(snapshot({ ceiling, inbox: [event] }))).toEqual(["wake"]);
    expect(told({ ceiling: { ...ceiling, limit: { tokens: 1_050 } }, archive: [id] }).id).not.toBe(id);
  });

  test("is told in a turn of its own that nobody runs: how much, what waits, until when, and what to do", () => {
    const work = [task("t-000001.0.0"), task("t-000001.0.1")];
    const running = { "t-000001.0.1": [{ role: "worker", attempt: 1, ownerAlive: true } as const] };
    const event = told({
      queue: work,
      attempts: running,
      results: [done(task("t-000002.0.0"))],
      archive: ["t-000002.0"],
    });
    expect(event.text).toBe(
      "The budget of the day (2026-11-22) is used up: 1,070 of 1,000 tokens. 1 task and 1 report wait until 2026-11-23 00:00 (UTC). I still answer your messages, and will report then. To continue the work now, raise `budget.day` in config.yaml.",
    );
    const [wake] = decide(snapshot({ ceiling, inbox: [message("m-1"), event] }), NOON_MS);
    if (wake?.type !== "wake") throw new Error("not woken");
    expect(wake.turn.turn).toEqual({ messages: [], events: [event], results: [] });
    const waiting = { queue: [wake.turn], attempts: new Map(), permits: new Set<string>(), hasOutcome: () => false };
    expect(
      dispatch(
        waiting,
        byRole(() => 1),
        NOON_MS,
      ),
    ).toEqual([]);
    const [finish] = decide(snapshot({ ceiling, inbox: [event], queue: [wake.turn] }), NOON_MS);
    expect(finish).toMatchObject({
      type: "finish",
      result: { status: "done", effects: [{ type: "reply", text: event.text }], usage: { inputTokens: 0 } },
    });
  });

  test("is told in the language of the work, and in both where there is none", () => {
    expect(told({ queue: [task("t-000001.0", { title: "写报告" })] }).text).toMatch(/^今天（2026-11-22）的预算已用完/);
    expect(told().text).toMatch(/^The budget of the day.*\n\n今天/);
    const month = {
      ...ceiling,
      scope: "month",
      period: "2026-11",
      limit: { costUsd: 2.5 },
      spent: dollars(3),
    } as const;
    expect(told({ ceiling: month })).toMatchObject({ id: "budget-month-2026-11-dollars-2500000" });
    expect(told({ ceiling: month }).text).toContain("The budget of the month (2026-11) is used up: $3.00 of $2.50.");
  });

  test("is told without what nobody has ordered: neither how much of it waits, nor in its language", () => {
    const rollUp = { period: "2026-11-17", sources: [{ path: "memory/2026-11-17.md", sha256: "aa" }] };
    const own = [
      task("sum-20261117-1", { role: "worker", rollUp }),
      task("imp-000001", { role: "worker", improve: { number: 1, step: "look" } }),
    ];
    expect(told({ queue: own }).text).toBe(told().text);
    expect(told({ queue: [...own, task("t-000001.0", { title: "写报告" })] }).text).toMatch(/^今天.*1 个任务将等到/s);
  });

  test("wakes nobody for events and results, which come along with what the user says", () => {
    const ended = done(task("t-000001.0.0"));
    const cron: Event = {
      kind: "event",
      id: "trg-1--20261122t120000z",
      at: NOON,
      name: "cron_trigger",
      text: "due",
      data: { triggerId: "trg-1", occurrence: NOON, prompt: "say the time" },
    };
    const held = { ceiling, archive: [id, "t-000001.0"], settledTurn: 1, results: [ended] };
    expect(types(snapshot({ ...held, inbox: [cron] }))).toEqual([]);
    const [wake] = decide(snapshot({ ...held, inbox: [cron, message("m-1")] }), NOON_MS);
    expect(wake).toMatchObject({
      type: "wake",
      turn: { turn: { messages: [{ id: "m-1" }], events: [{ id: cron.id }], results: [{ id: ended.id }] } },
    });
    const answer: Event = { ...cron, id: "t-000001.1.answered", name: "question_answered", data: {} };
    expect(types(snapshot({ ...held, inbox: [answer] }))).toEqual(["wake"]);
  });
});

test("a turn that is about one trigger alone is that trigger's cost", () => {
  const event = (triggerId: string, n: number): Event => ({
    kind: "event",
    id: `${triggerId}--${n}`,
    at: NOON,
    name: "cron_trigger",
    text: "due",
    data: { triggerId, occurrence: NOON, prompt: "say the time" },
  });
  const woken = (facts: Parameters<typeof snapshot>[0]) => {
    const [action] = decide(snapshot(facts), NOON_MS);
    return action?.type === "wake" ? action.turn.triggerId : "not woken";
  };
  const ended = done(task("trg-1--3", { role: "worker", triggerId: "trg-1", consumer: "teller" }));
  expect(woken({ inbox: [event("trg-1", 1), event("trg-1", 2)], results: [ended] })).toBe("trg-1");
  expect(woken({ inbox: [event("trg-1", 1), event("trg-2", 1)] })).toBe(undefined);
  expect(woken({ inbox: [event("trg-1", 1), message("m-1")] })).toBe(undefined);
  expect(turn("t-000001", {}).triggerId).toBe(undefined);
});

test("a trigger whose firings nobody may be told of skips when they have piled up", () => {
  const maker = { createdAt: NOON, traceId: "trg-1", depth: 0, target: "teller" } as const;
  const when = { type: "recurring", schedule: { interval: 600 } } as const;
  const trigger = triggerOf("trg-1", { order: { prompt: "say the time" }, when }, maker);
  const waiting = Array.from({ length: OPEN_OCCURRENCES_MAX }, (_, n): Event => {
    const at = new Date(NOON_MS - n).toISOString();
    const id = `trg-1--${n}`;
    return {
      kind: "event",
      id,
      at,
      name: "cron_trigger",
      text: "due",
      data: { triggerId: "trg-1", occurrence: NOON, prompt: "say the time" },
    };
  });
  const ceiling = account({ tokens: 1 }, { spent: tokens(1) });
  const archive = ["budget-day-2026-11-22-tokens-1"];
  const decided = (inbox: Event[]) => {
    const [action] = decide(snapshot({ triggers: [trigger], ceiling, inbox, archive }), NOON_MS + 600_000);
    return action?.type === "advance" && action.trigger.type !== "link" ? action.trigger.decision : action;
  };
  expect(decided(waiting.slice(1))).toMatchObject({ fire: [{ id: "trg-1--20261122t121000z" }], skip: [] });
  expect(decided(waiting)).toMatchObject({ fire: [], skip: [{ reason: "100 of its firings have not ended" }] });
});
