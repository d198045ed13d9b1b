/** Steering messages, stops and new conversations while something runs (SPEC I5). */

import type { AttemptFacts } from "@mimikit/core/base/snapshot";
import { decide } from "@mimikit/core/decide";
import { dispatch } from "@mimikit/core/tasks/dispatch";
import { messagesOf, sinceClear } from "@mimikit/core/views/history";
import { cancelMark } from "@mimikit/protocol/base/id";
import { byRole } from "@mimikit/protocol/base/kind";
import type { Signal } from "@mimikit/protocol/base/signal";
import type { ClearCommand, SteerCommand, StopCommand } from "@mimikit/protocol/records/inbox";
import { reportOf } from "@mimikit/protocol/records/result";
import { describe, expect, test } from "vitest";
import { settlementOf } from "../../packages/core/src/rules/settle.ts";
import { dependentOn, done, message, NOON, NOON_MS, snapshot, task, turn } from "./facts.ts";

const LATER = "2026-11-22T12:00:05.000Z";
const steer = (more: Partial<SteerCommand> = {}): SteerCommand => ({
  kind: "steer",
  id: "s-1",
  at: NOON,
  text: "use pnpm",
  ...more,
});
const stop = (more: Partial<StopCommand> = {}): StopCommand => ({ kind: "stop", id: "stop-1", at: NOON, ...more });
const clear: ClearCommand = { kind: "clear", id: "clear-1", at: NOON, mac: "seal" };
const signal = (taskId: string): Signal => ({ id: "s-1", taskId, at: NOON, text: "use pnpm" });
const running = (at: string): AttemptFacts[] => [{ role: "worker", attempt: 1, ownerAlive: true, at }];
const first = (facts: Parameters<typeof snapshot>[0]) => decide(snapshot(facts), NOON_MS)[0];

describe("a steer", () => {
  const a = task("t-000001.0.0");
  const b = task("t-000001.0.1");
  const open = turn("t-000002", { messages: [message("m-a")] });

  test("that names a task goes to it, whether it runs or waits", () => {
    expect(first({ inbox: [steer({ taskId: a.id })], queue: [a, b] })).toMatchObject({ type: "steer", taskId: a.id });
    const condition = { type: "task_done" as const, params: { taskId: a.id } };
    const facts = { inbox: [steer({ taskId: b.id })], queue: [a], dependents: [dependentOn(b, condition)] };
    expect(first(facts)).toMatchObject({ type: "steer", taskId: b.id });
  });

  test("that names none goes to the open turn, before any task", () => {
    const facts = { inbox: [steer()], queue: [a, open], attempts: { [a.id]: running(NOON) } };
    expect(first(facts)).toMatchObject({ type: "steer", taskId: open.id });
  });

  test("goes to the task whose run began last where no turn is open", () => {
    const facts = { inbox: [steer()], queue: [a, b], attempts: { [a.id]: running(LATER), [b.id]: running(NOON) } };
    expect(first(facts)).toMatchObject({ type: "steer", taskId: a.id });
  });

  test("is never for a batch of semantic conditions, which is the supervisor's own", () => {
    const evaluation = [{ id: "c1", triggerId: "trg-1", leaf: 0, prompt: "Does it rain?" }];
    const batch = task("eval-000001", { evaluation });
    const attempts = { [batch.id]: running(LATER), [a.id]: running(NOON) };
    expect(first({ inbox: [steer()], queue: [a, batch], attempts })).toMatchObject({ type: "steer", taskId: a.id });
    expect(first({ inbox: [steer()], queue: [batch], attempts })).toMatchObject({ type: "steer", taskId: null });
  });

  test("never goes to a step of self-improvement, which no turn reports; a stop does where it is named", () => {
    const step = task("imp-000001.review", { role: "reviewer", improve: { number: 1, step: "review" } });
    const attempts = { [step.id]: running(LATER), [a.id]: running(NOON) };
    expect(first({ inbox: [steer()], queue: [a, step], attempts })).toMatchObject({ type: "steer", taskId: a.id });
    expect(first({ inbox: [stop()], queue: [a, step], attempts })).toMatchObject({ type: "stop", taskId: a.id });
    expect(first({ inbox: [steer()], queue: [step], attempts })).toMatchObject({ type: "steer", taskId: null });
    const named = { inbox: [steer({ taskId: step.id })], queue: [step], attempts };
    expect(first(named)).toMatchObject({ type: "steer", taskId: null });
    const ended = { inbox: [stop({ taskId: step.id })], queue: [step], attempts };
    expect(first(ended)).toMatchObject({ type: "stop", taskId: step.id });
  });

  test("becomes a message where nothing runs, and where its task has ended", () => {
    expect(first({ inbox: [steer()], queue: [a] })).toMatchObject({ type: "steer", taskId: null });
    expect(first({ inbox: [steer({ taskId: a.id })], archive: [a.id] })).toMatchObject({ type: "steer", taskId: null });
  });

  test("that is decided goes where it was sent, whatever runs by now", () => {
    const facts = { inbox: [steer()], queue: [open], archive: ["s-1"], decisions: { "s-1": a.id } };
    const actions = decide(snapshot(facts), NOON_MS);
    expect(actions).toMatchObject([{ type: "steer", taskId: a.id }]);
  });

  test("stays a signal as long as its task has no outcome", () => {
    expect(decide(snapshot({ queue: [a], signals: [signal(a.id)] }), NOON_MS)).toEqual([]);
  });

  test("that was heard is done with", () => {
    const facts = { archive: [a.id], signals: [signal(a.id)], heard: { [a.id]: ["s-1"] } };
    expect(first(facts)).toEqual({ type: "remove", removals: [{ from: "signals", id: "s-1" }] });
  });

  test("that nobody heard becomes a message, under an id that follows from its own", () => {
    const facts = { archive: [a.id], signals: [signal(a.id)], heard: { [a.id]: [] } };
    expect(first(facts)).toMatchObject({
      type: "unheard",
      message: { kind: "message", id: "m-s-1", at: NOON, text: "use pnpm" },
    });
  });

  test("that nobody heard becomes a message of the way by which it came, so that its answer goes back there", () => {
    const via = { channel: "telegram", chat: "1", person: "1" };
    const facts = { archive: [a.id], signals: [{ ...signal(a.id), via }], heard: { [a.id]: [] } };
    expect(first(facts)).toMatchObject({ type: "unheard", message: { id: "m-s-1", via } });
  });

  test("that a plan heard comes into the history with the report of its first task", () => {
    const plan = task("t-000001.0");
    const effects = ["a", "b"].map((prompt) => ({ type: "delegate" as const, prompt }));
    const heard = done(plan, { steers: [{ id: "s-1", at: NOON, text: "use pnpm" }], effects });
    const { tasks } = settlementOf(heard, snapshot({}), NOON_MS);
    expect(tasks.map(({ steers }) => steers?.length ?? 0)).toEqual([1, 0]);
    const results = tasks.map((each) => reportOf(done(each)));
    const reported = messagesOf(done(turn("t-000002", { results }), { effects: [{ type: "reply", text: "done" }] }));
    expect(reported.map(({ id }) => id)).toEqual(["s-1", "t-000002.reply"]);
  });

  test.each([
    ["that needed no tasks", false],
    ["that was cancelled when it was made", true],
  ])("that a plan heard %s comes into the history all the same", (_, cancelled) => {
    const heard = done(task("t-000001.0"), { steers: [{ id: "s-1", at: NOON, text: "use pnpm" }] });
    const { events } = settlementOf(heard, snapshot({ archive: cancelled ? [cancelMark(heard.id)] : [] }), NOON_MS);
    const reported = messagesOf(done(turn("t-000002", { events }), { effects: [{ type: "reply", text: "done" }] }));
    expect(reported.map(({ id }) => id)).toEqual(["s-1", "t-000002.reply"]);
  });

  test("of which a cancelled plan and a task below it both tell stands once in the history", () => {
    const steers = [{ id: "s-1", at: NOON, text: "use pnpm" }];
    const plan = done(task("t-000001.0"), { steers });
    const { events } = settlementOf(plan, snapshot({ archive: [cancelMark(plan.id)] }), NOON_MS);
    const results = [reportOf(done(task("t-000001.0.0"), { steers }))];
    const reported = messagesOf(done(turn("t-000002", { events, results }), { effects: [] }));
    expect(reported.map(({ id }) => id)).toEqual(["s-1"]);
  });

  test("is in the history of the turn that heard it, and the reply answers it", () => {
    const heard = done(open, {
      steers: [{ id: "s-1", at: LATER, text: "shorter" }],
      effects: [{ type: "reply", text: "ok" }],
    });
    const messages = messagesOf(heard);
    expect(messages.map(({ id }) => id)).toEqual(["m-a", "s-1", "t-000002.reply"]);
    expect(messages.at(-1)?.answers).toEqual(["m-a", "s-1"]);
  });
});

describe("a stop", () => {
  const open = turn("t-000001", { messages: [message("m-a")] });
  const work = task("t-000001.0.0");

  test("ends the open turn with an honest last word", () => {
    expect(first({ inbox: [stop(), message("m-a")], queue: [open] })).toMatchObject({
      type: "stop",
      taskId: open.id,
      result: { status: "failed", failureReason: "cancelled", effects: [{ type: "reply", text: "Stopped." }] },
    });
  });

  test("takes with it what was said to the turn, heard or not: nobody begins with that anew", () => {
    const said = ["s-2", "s-1", "s-3"].map((id) => ({
      ...signal(id === "s-3" ? work.id : open.id),
      id,
      at: id === "s-2" ? LATER : NOON,
    }));
    const [action] = decide(snapshot({ inbox: [stop(), message("m-a")], queue: [open], signals: said }), NOON_MS);
    if (action?.type !== "stop" || action.result === null) throw new Error("the turn is not ended");
    expect(action.result.steers).toEqual([
      { id: "s-1", at: NOON, text: "use pnpm" },
      { id: "s-2", at: LATER, text: "use pnpm" },
    ]);
    expect(messagesOf(action.result).at(-1)).toMatchObject({ text: "Stopped.", answers: ["m-a", "s-1", "s-2"] });
  });

  test("counts every attempt of the turn, also those of an outage that are not kept", () => {
    const attempt = { role: "teller", attempt: 57, ownerAlive: true } as const;
    const facts = { inbox: [stop()], queue: [open], attempts: { [open.id]: [attempt] } };
    expect(first(facts)).toMatchObject({ type: "stop", result: { attempts: 57 } });
  });

  test("cancels what runs where no turn is open", () => {
    const facts = { inbox: [stop()], queue: [work], attempts: { [work.id]: running(NOON) } };
    expect(first(facts)).toMatchObject({ type: "stop", taskId: work.id, result: null });
  });

  test("of a reply alone ends the open turn, and nothing where only tasks run: the reply may have just ended", () => {
    const attempts = { [work.id]: running(NOON) };
    expect(first({ inbox: [stop({ only: "reply" })], queue: [work, open], attempts })).toMatchObject({
      type: "stop",
      taskId: open.id,
    });
    expect(first({ inbox: [stop({ only: "reply" })], queue: [work], attempts })).toMatchObject({
      type: "stop",
      taskId: null,
      outcome: "nothing runs",
    });
  });

  test("says so where nothing runs", () => {
    expect(first({ inbox: [stop()] })).toMatchObject({
      type: "stop",
      taskId: null,
      result: null,
      outcome: "nothing runs",
    });
  });

  test("that has ended its turn does not end the next one", () => {
    const next = turn("t-000002", { messages: [message("m-b")] });
    const facts = { inbox: [stop()], queue: [next], archive: ["stop-1", open.id], decisions: { "stop-1": open.id } };
    expect(first(facts)).toMatchObject({ type: "stop", taskId: open.id, result: null });
  });
});

describe("a message that wants a turn of its own", () => {
  const next = { ...message("m-b"), at: LATER, mode: "next" as const };

  test("waits until what was said before it is answered", () => {
    expect(first({ inbox: [next, message("m-a")] })).toMatchObject({ turn: { turn: { messages: [{ id: "m-a" }] } } });
  });

  test("has it, also when results are waiting", () => {
    const work = task("t-000001.0.0");
    const facts = { inbox: [next], queue: [work], results: [done(work)], archive: ["t-000001.0"], settledTurn: 1 };
    expect(first(facts)).toMatchObject({ type: "wake", turn: { turn: { messages: [{ id: "m-b" }], results: [] } } });
  });
});

describe("a new conversation", () => {
  const begun = turn("t-000001", { clear });

  test("has a turn of its own, after what was said before", () => {
    expect(first({ inbox: [clear] })).toMatchObject({ type: "wake", turn: { id: "t-000001", turn: { clear } } });
    const earlier = { ...message("m-a"), at: "2026-11-22T11:59:59.000Z" };
    const { clear: none, messages } = (
      first({ inbox: [clear, earlier] }) as { turn: { turn: { clear?: unknown; messages: unknown[] } } }
    ).turn.turn;
    expect([none, messages]).toEqual([undefined, [earlier]]);
  });

  test("needs nobody to run its turn", () => {
    const waiting = { queue: [begun], attempts: new Map(), hasOutcome: () => false, permits: new Set<string>() };
    expect(
      dispatch(
        waiting,
        byRole(() => 1),
        NOON_MS,
      ),
    ).toEqual([]);
    expect(first({ inbox: [clear], queue: [begun] })).toMatchObject({
      type: "finish",
      result: { id: begun.id, status: "done", effects: [] },
    });
  });

  test("is a line in the history, and contexts read no further back", () => {
    const before = messagesOf(done(turn("t-000001", { messages: [message("m-a")] })));
    const line = messagesOf(done(turn("t-000002", { clear })));
    const after = messagesOf(done(turn("t-000003", { messages: [message("m-b")] })));
    expect(line).toMatchObject([{ id: "t-000002.clear", role: "system", marker: "clear" }]);
    expect(sinceClear([...before, ...line, ...after])).toEqual(after);
    expect(sinceClear(before)).toEqual(before);
  });
});
