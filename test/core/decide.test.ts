import type { AttemptFacts } from "@mimikit/core/base/snapshot";
import { decide } from "@mimikit/core/decide";
import { reportOf } from "@mimikit/protocol/records/result";
import type { Task } from "@mimikit/protocol/records/task";
import { describe, expect, test } from "vitest";
import { dependentOn, done, failed, message, NOON, NOON_MS, snapshot, task, turn } from "./facts.ts";

const types = (actions: ReturnType<typeof decide>) => actions.map((action) => action.type);

test("nothing on disk is nothing to do", () => {
  expect(decide(snapshot({}), NOON_MS)).toEqual([]);
});

describe("receive", () => {
  test("a dropped file becomes a record", () => {
    const command = message("m-f-1");
    expect(decide(snapshot({ dropped: new Map([["inbox/note.json", command]]) }), NOON_MS)).toEqual([
      { type: "adopt", path: "inbox/note.json", command },
    ]);
  });

  test("what is no record is set aside only when it has not changed for two seconds", () => {
    const bad = { path: "inbox/x.json", reason: "not valid JSON", sinceMs: NOON_MS, inode: 1 };
    expect(decide(snapshot({ unreadable: [bad] }), NOON_MS + 1_999)).toEqual([]);
    expect(types(decide(snapshot({ unreadable: [bad] }), NOON_MS + 2_000))).toEqual(["quarantine"]);
    const half = { ...bad, isUnfinished: true as const };
    expect(decide(snapshot({ unreadable: [half] }), NOON_MS + 14_999)).toEqual([]);
    expect(types(decide(snapshot({ unreadable: [half] }), NOON_MS + 15_000))).toEqual(["quarantine"]);
  });
});

describe("wake", () => {
  test("the Teller is woken with all pending messages, oldest first", () => {
    const late = { ...message("m-a"), at: "2026-11-22T12:00:01.000Z" };
    const [action] = decide(snapshot({ inbox: [late, message("m-b")] }), NOON_MS);
    expect(action).toMatchObject({
      type: "wake",
      turn: { id: "t-000001", turn: { messages: [{ id: "m-b" }, { id: "m-a" }] } },
    });
  });

  test("no turn begins while one is open, whether queued or answered", () => {
    const open = turn("t-000001", { messages: [message("m-a")] });
    const inbox = [message("m-a"), message("m-b")];
    expect(types(decide(snapshot({ inbox, queue: [open] }), NOON_MS))).toEqual([]);
    expect(types(decide(snapshot({ inbox, queue: [open], results: [done(open)] }), NOON_MS))).toEqual(["settle"]);
  });

  test("the number of a turn is one more than the highest that was ever settled", () => {
    const [action] = decide(snapshot({ inbox: [message("m-a")], settledTurn: 999_999 }), NOON_MS);
    expect(action).toMatchObject({ turn: { id: "t-1000000" } });
  });

  test("a plan is reported once, when nothing of it is open any more", () => {
    const a = task("t-000001.0.0");
    const b = task("t-000001.0.1");
    const facts = { queue: [a, b], archive: ["t-000001.0"], settledTurn: 1 };
    expect(decide(snapshot({ ...facts, results: [done(a)] }), NOON_MS)).toEqual([]);
    const [action] = decide(snapshot({ ...facts, results: [done(a), done(b)] }), NOON_MS);
    expect(action).toMatchObject({
      type: "wake",
      turn: { id: "t-000002", traceId: "t-000001", turn: { results: [{ id: a.id }, { id: b.id }] } },
    });
  });

  test("a plan whose tasks are not all written yet is not reported", () => {
    const a = task("t-000001.0.0");
    expect(decide(snapshot({ queue: [a], results: [done(a)], settledTurn: 1 }), NOON_MS)).toEqual([]);
  });

  test("a failure is reported at once", () => {
    const a = task("t-000001.0.0");
    const b = task("t-000001.0.1");
    const actions = decide(
      snapshot({ queue: [a, b], results: [failed(a)], archive: ["t-000001.0"], settledTurn: 1 }),
      NOON_MS,
    );
    expect(actions).toMatchObject([{ type: "wake", turn: { turn: { results: [{ id: a.id, status: "failed" }] } } }]);
  });

  test("a plan that failed is reported at once", () => {
    const plan = task("t-000001.0");
    const actions = decide(snapshot({ queue: [plan], results: [failed(plan)], settledTurn: 1 }), NOON_MS);
    expect(actions).toMatchObject([{ type: "wake", turn: { turn: { results: [{ id: plan.id }] } } }]);
  });
});

describe("settle", () => {
  test("effects become children under derived ids, in the order in which they were staged", () => {
    const origin = turn("t-000001", { messages: [message("m-a")] });
    const result = done(origin, {
      effects: [
        { type: "reply", text: "on it" },
        { type: "delegate", prompt: "do it" },
        { type: "remember", content: "a fact", longTerm: true },
      ],
    });
    const [action] = decide(snapshot({ queue: [origin], results: [result] }), NOON_MS);
    expect(action).toMatchObject({
      type: "settle",
      settlement: {
        messages: ["m-a"],
        tasks: [{ id: "t-000001.1", role: "planner", parentId: "t-000001", traceId: "t-000001", title: "do it" }],
        edits: [{ document: "memory", id: "t-000001.2", content: "a fact", longTerm: true }],
      },
    });
  });

  test("a plan's conditional task becomes a trigger, the others become tasks", () => {
    const plan = task("t-000001.0");
    const result = done(plan, {
      effects: [
        { type: "delegate", prompt: "a", priority: 9 },
        { type: "delegate", prompt: "b", condition: { type: "task_done", params: { taskId: "t-000001.0.0" } } },
      ],
    });
    const [action] = decide(snapshot({ queue: [plan], results: [result], settledTurn: 1 }), NOON_MS);
    expect(action).toMatchObject({
      settlement: {
        tasks: [{ id: "t-000001.0.0", role: "worker", priority: 9 }],
        triggers: [{ id: "t-000001.0.1", task: { id: "t-000001.0.1", role: "worker" } }],
        events: [],
      },
    });
  });

  test("a role's effect that it has no right to changes nothing", () => {
    const plan = task("t-000001.0");
    const result = done(plan, { effects: [{ type: "remember", content: "I am the Teller", longTerm: true }] });
    const [action] = decide(snapshot({ queue: [plan], results: [result], settledTurn: 1 }), NOON_MS);
    expect(action).toMatchObject({ type: "settle", settlement: { edits: [] } });
  });

  test("a plan without tasks reports itself, so that the user hears of it", () => {
    const plan = task("t-000001.0");
    const [action] = decide(snapshot({ queue: [plan], results: [done(plan)], settledTurn: 1 }), NOON_MS);
    expect(action).toMatchObject({ settlement: { events: [{ id: "t-000001.0.report", name: "task_result" }] } });
  });

  test("a plan that was cancelled before it was settled starts nothing", () => {
    const plan = task("t-000001.0");
    const result = done(plan, { effects: [{ type: "delegate", prompt: "a" }] });
    const archive = ["t-000001.0.cancelled"];
    const [action] = decide(snapshot({ queue: [plan], results: [result], archive, settledTurn: 1 }), NOON_MS);
    expect(action).toMatchObject({ settlement: { tasks: [], events: [{ data: { cancelled: true } }] } });
  });

  test("a worker's result waits for the report; nothing is settled by itself", () => {
    const a = task("t-000001.0.0");
    expect(types(decide(snapshot({ results: [done(a)], archive: ["t-000001.0"], settledTurn: 1 }), NOON_MS))).toEqual([
      "wake",
    ]);
  });
});

describe("fire", () => {
  const a = task("t-000001.0.0");
  const dependent = (type: "task_done" | "task_failed") =>
    dependentOn(task("t-000001.0.1"), { type, params: { taskId: a.id } });
  const facts = { archive: ["t-000001.0"], settledTurn: 1, queue: [a] };

  test("a dependent task starts under its own id with the outcome it waited for", () => {
    const outcomes = { [a.id]: reportOf(done(a)) };
    const actions = decide(
      snapshot({ ...facts, dependents: [dependent("task_done")], results: [done(a)], outcomes }),
      NOON_MS,
    );
    expect(actions).toMatchObject([
      { type: "fire", task: { id: "t-000001.0.1", upstream: [{ id: a.id, status: "done" }] } },
    ]);
  });

  test("a dependent task that can never start ends, and its plan with it", () => {
    const outcomes = { [a.id]: reportOf(done(a)) };
    const actions = decide(
      snapshot({ ...facts, dependents: [dependent("task_failed")], results: [done(a)], outcomes }),
      NOON_MS,
    );
    expect(actions[0]).toMatchObject({ type: "finish", result: { id: "t-000001.0.1", failureReason: "cancelled" } });
  });

  test("a dependent task on failure starts on failure", () => {
    const outcomes = { [a.id]: reportOf(failed(a)) };
    const actions = decide(
      snapshot({ ...facts, dependents: [dependent("task_failed")], results: [failed(a)], outcomes }),
      NOON_MS,
    );
    expect(actions[0]).toMatchObject({ type: "fire" });
  });

  test("nothing follows a task that was cancelled, not even what waits for its failure", () => {
    const outcomes = { [a.id]: reportOf(failed(a, { failureReason: "cancelled" })) };
    const dependents = [dependent("task_failed")];
    const results = [failed(a, { failureReason: "cancelled" })];
    const [action] = decide(snapshot({ ...facts, dependents, results, outcomes }), NOON_MS);
    expect(action).toMatchObject({ type: "finish", result: { id: "t-000001.0.1", failureReason: "cancelled" } });
  });

  test("a dependent task to a task that does not exist ends with that reason, once its plan is complete", () => {
    const dependents = [dependent("task_done")];
    expect(decide(snapshot({ dependents, settledTurn: 1 }), NOON_MS)).toEqual([]);
    const [action] = decide(snapshot({ dependents, settledTurn: 1, archive: ["t-000001.0"] }), NOON_MS);
    expect(action).toMatchObject({ type: "finish", result: { failureReason: "error" } });
  });
});

describe("cancel", () => {
  const command = { kind: "cancel" as const, id: "w-1", at: NOON, taskId: "t-000001.0" };

  test("a command marks its task; the mark ends the task and everything below it", () => {
    const below = task("t-000001.0.0");
    const [first] = decide(snapshot({ inbox: [command], queue: [below], settledTurn: 1 }), NOON_MS);
    expect(first).toMatchObject({ type: "cancel", taskId: "t-000001.0", outcome: "cancelled" });
    const [second] = decide(snapshot({ queue: [below], archive: ["t-000001.0.cancelled"], settledTurn: 1 }), NOON_MS);
    expect(second).toMatchObject({ type: "finish", result: { id: below.id, failureReason: "cancelled" } });
  });

  test("a plan that is made and not settled yet is still cancelled, before its tasks start", () => {
    const plan = task("t-000001.0");
    const result = done(plan, { effects: [{ type: "delegate", prompt: "a" }] });
    const actions = decide(snapshot({ inbox: [command], queue: [plan], results: [result], settledTurn: 1 }), NOON_MS);
    expect(actions[0]).toMatchObject({ type: "cancel", taskId: plan.id });
  });

  test.each([
    ["has ended", { archive: ["t-000001.0"] }, "it had already ended"],
    ["never was", {}, "there is no such task"],
  ])("a command for a task that %s is answered and changes nothing", (_, facts, outcome) => {
    const [action] = decide(snapshot({ inbox: [command], settledTurn: 1, ...facts }), NOON_MS);
    expect(action).toMatchObject({ type: "cancel", taskId: null, outcome });
  });
});

describe("rescue", () => {
  const work = task("t-000001.0.0");
  const dead = (attempt: number) => ({ role: "worker" as const, attempt, ownerAlive: false });

  const poisonous = (of: Task): AttemptFacts[] =>
    (["shared", "shared", "alone"] as const).map((death, i) => ({
      role: of.role,
      attempt: i + 1,
      ownerAlive: false,
      failed: { id: of.id, attempt: i + 1, failureReason: "interrupted", error: "", at: NOON, retryAt: NOON, death },
    }));

  test("two deaths of its pool are bad luck, a third that it died alone makes the task poison", () => {
    const facts = (attempts: AttemptFacts[]) => ({ queue: [work], settledTurn: 1, attempts: { [work.id]: attempts } });
    expect(decide(snapshot(facts(poisonous(work).slice(0, 2))), NOON_MS)).toEqual([]);
    expect(decide(snapshot(facts(poisonous(work))), NOON_MS)).toMatchObject([
      { type: "finish", result: { failureReason: "poison", attempts: 3 } },
    ]);
  });

  test("of a death that is not recorded yet nothing follows", () => {
    const attempts = [...poisonous(work).slice(0, 2), dead(3), dead(4)];
    expect(decide(snapshot({ queue: [work], settledTurn: 1, attempts: { [work.id]: attempts } }), NOON_MS)).toEqual([]);
  });

  test("a pool that was told to stop is no death", () => {
    const failedAttempt = {
      id: work.id,
      attempt: 1,
      failureReason: "interrupted" as const,
      error: "",
      at: NOON,
      retryAt: NOON,
    };
    const attempts = { [work.id]: [1, 2, 3].map((attempt) => ({ ...dead(attempt), failed: failedAttempt })) };
    expect(decide(snapshot({ queue: [work], attempts, settledTurn: 1 }), NOON_MS)).toEqual([]);
  });

  test("a task that must not run twice ends as interrupted after one death", () => {
    const once = task("t-000001.0.0", { onInterrupt: "fail" });
    const actions = decide(snapshot({ queue: [once], attempts: { [once.id]: [dead(1)] }, settledTurn: 1 }), NOON_MS);
    expect(actions).toMatchObject([{ type: "finish", result: { failureReason: "interrupted" } }]);
  });

  test("a turn that is given up still has a reply, in the user's language", () => {
    const open = turn("t-000001", { messages: [message("m-a", "你好")] });
    const attempts = { [open.id]: poisonous(open) };
    const [action] = decide(snapshot({ queue: [open], attempts }), NOON_MS);
    expect(action).toMatchObject({
      result: { effects: [{ type: "reply", text: expect.stringMatching(/\p{Script=Han}/u) }] },
    });
  });
});

test("a turn that told of an outage keeps that line, also when it ends without an answer", () => {
  const asked = turn("t-000001", { messages: [message("m-a")] });
  const outage = {
    id: asked.id,
    attempt: 1,
    failureReason: "provider",
    error: "away",
    at: NOON,
    retryAt: NOON,
  } as const;
  const deaths = (["shared", "shared", "alone"] as const).map((death, i) => ({
    role: "teller" as const,
    attempt: i + 2,
    ownerAlive: false,
    failed: { ...outage, attempt: i + 2, failureReason: "interrupted" as const, death },
  }));
  const attempts = [
    { role: "teller" as const, attempt: 1, ownerAlive: false, failed: { ...outage, outage: true as const } },
    ...deaths,
  ];
  const stop = { kind: "stop", id: "stop-1", at: NOON } as const;
  const told = { outage: { since: NOON, error: "away" } };
  expect(decide(snapshot({ queue: [asked], attempts: { [asked.id]: attempts } }), NOON_MS)).toContainEqual(
    expect.objectContaining({ type: "finish", result: expect.objectContaining(told) }),
  );
  expect(
    decide(snapshot({ inbox: [stop], queue: [asked], attempts: { [asked.id]: attempts.slice(0, 1) } }), NOON_MS),
  ).toContainEqual(expect.objectContaining({ type: "stop", result: expect.objectContaining(told) }));
});

describe("prune", () => {
  test("of the attempts of one outage the first and the last stay, and every other kind of attempt", () => {
    const open = task("t-000001.0.0");
    const outage = {
      id: open.id,
      failureReason: "provider",
      error: "",
      at: NOON,
      retryAt: NOON,
      outage: true,
    } as const;
    const attempts = [1, 2, 3, 4, 5].map((attempt) => ({
      role: "worker" as const,
      attempt,
      ownerAlive: true,
      ...(attempt !== 3 && { failed: { ...outage, attempt } }),
    }));
    const facts = { queue: [open], attempts: { [open.id]: attempts } };
    expect(decide(snapshot(facts), NOON_MS)).toEqual([
      {
        type: "remove",
        removals: [2, 4].map((attempt) => ({ from: "outages", role: "worker", id: open.id, attempt })),
      },
    ]);
    expect(decide(snapshot({ ...facts, attempts: { [open.id]: attempts.slice(0, 2) } }), NOON_MS)).toEqual([]);
  });

  test("what is archived leaves every directory, what is not stays", () => {
    const a = task("t-000001.0.0");
    const b = task("t-000001.0.1");
    const [action] = decide(
      snapshot({
        inbox: [{ ...message("m-a") }],
        queue: [a, b],
        results: [done(a)],
        attempts: { [a.id]: [{ role: "worker", attempt: 1, ownerAlive: true }] },
        archive: ["m-a", a.id, "t-000001.0"],
        settledTurn: 1,
      }),
      NOON_MS,
    );
    expect(action).toEqual({
      type: "remove",
      removals: [
        { from: "inbox", id: "m-a" },
        { from: "queue", role: "worker", id: a.id },
        { from: "running", role: "worker", id: a.id, attempt: 1 },
        { from: "results", role: "worker", id: a.id },
      ],
    });
  });

  test("a claim of a task that never became durable goes when its owner is dead", () => {
    const claim = (ownerAlive: boolean) =>
      snapshot({ attempts: { "t-000001.0": [{ role: "planner", attempt: 1, ownerAlive }] }, settledTurn: 1 });
    expect(decide(claim(true), NOON_MS)).toEqual([]);
    expect(types(decide(claim(false), NOON_MS))).toEqual(["remove"]);
  });

  test("a trigger that has fired goes", () => {
    const b = task("t-000001.0.1");
    const condition = { type: "task_done" as const, params: { taskId: "t-000001.0.0" } };
    const actions = decide(snapshot({ dependents: [dependentOn(b, condition)], queue: [b], settledTurn: 1 }), NOON_MS);
    expect(actions).toEqual([{ type: "remove", removals: [{ from: "triggers", id: b.id, version: 1 }] }]);
  });
});

describe("the size of a turn", () => {
  test("messages that would make a record too large wait for the next turn; one message always has room", () => {
    const huge = (id: string) => message(id, "\u0001".repeat(64_000));
    const wakeWith = (ids: string[]) => decide(snapshot({ inbox: ids.map(huge) }), NOON_MS)[0];
    expect(wakeWith(["m-a"])).toMatchObject({ turn: { turn: { messages: [{ id: "m-a" }] } } });
    const action = wakeWith(["m-a", "m-b", "m-c"]);
    expect(action?.type === "wake" && action.turn.turn?.messages).toHaveLength(1);
  });

  test("messages of another way wait for a turn of their own, in the order in which they came", () => {
    const via = { channel: "telegram", chat: "1", person: "1" };
    const inbox = [message("m-a"), { ...message("m-b"), via }, { ...message("m-c"), via }, message("m-d")];
    const taken = (waiting: typeof inbox) => {
      const [action] = decide(snapshot({ inbox: waiting }), NOON_MS);
      return action?.type === "wake" ? action.turn.turn?.messages.map(({ id }) => id) : undefined;
    };
    expect([taken(inbox), taken(inbox.slice(1)), taken(inbox.slice(3))]).toEqual([["m-a"], ["m-b", "m-c"], ["m-d"]]);
    expect(taken([message("m-a"), { ...message("m-b"), via: { ...via, chat: "2" } }])).toEqual(["m-a"]);
  });

  test("of many small messages twenty are answered in one turn", () => {
    const inbox = Array.from({ length: 30 }, (_, i) => message(`m-${String(i).padStart(2, "0")}`));
    const [action] = decide(snapshot({ inbox }), NOON_MS);
    expect(action?.type === "wake" && action.turn.turn?.messages.map(({ id }) => id)).toEqual(
      inbox.slice(0, 20).map(({ id }) => id),
    );
  });
});
