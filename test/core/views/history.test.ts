import { boardOf } from "@mimikit/core/views/board";
import { messagesOf, turnOfReply } from "@mimikit/core/views/history";
import { ancestorsOf, compareTaskIds, turnId, turnNumber } from "@mimikit/protocol/base/id";
import { reportOf } from "@mimikit/protocol/records/result";
import { describe, expect, test } from "vitest";
import { dependentOn, done, failed, message, NOON, task, turn } from "../facts.ts";

describe("history", () => {
  test("a turn is its messages, then its reply, which says what it answers and what it started", () => {
    const result = done(turn("t-000007", { messages: [message("m-a"), message("m-b")] }), {
      effects: [
        { type: "delegate", prompt: "x" },
        { type: "reply", text: "on it" },
      ],
    });
    expect(messagesOf(result)).toMatchObject([
      { id: "m-a", role: "user" },
      { id: "m-b", role: "user" },
      { id: "t-000007.reply", role: "assistant", text: "on it", answers: ["m-a", "m-b"], taskIds: ["t-000007.0"] },
    ]);
  });

  test("a reply names the triggers that its turn made, by their titles or by what they do; one that made none has no list", () => {
    const when = { type: "recurring" as const, schedule: { interval: 3_600 } };
    const schedule = (title?: string) => ({
      type: "schedule" as const,
      order: { prompt: "water the beds\nall of them", ...(title !== undefined && { title }) },
      when,
    });
    const asked = turn("t-000007", { messages: [message("m-a")] });
    const reply = { type: "reply" as const, text: "ok" };
    const told = messagesOf(done(asked, { effects: [schedule("Beds"), reply, schedule()] })).at(-1);
    expect(told?.triggers).toEqual([
      { id: "t-000007.0", title: "Beds" },
      { id: "t-000007.2", title: "water the beds" },
    ]);
    expect(told?.taskIds).toEqual([]);
    expect(messagesOf(done(asked, { effects: [reply] })).at(-1)).not.toHaveProperty("triggers");
  });

  test("a reply says how much of memory its model was shown, and nothing where there was nothing", () => {
    const asked = turn("t-000007", { messages: [message("m-a")] });
    const effects = [{ type: "reply" as const, text: "ok" }];
    const shown = [{ source: "memory.md", text: "the cat is grey" }];
    expect(messagesOf(done(asked, { effects, shown })).at(-1)).toMatchObject({ used: 1 });
    expect(messagesOf(done(asked, { effects })).at(-1)).not.toHaveProperty("used");
  });

  test.each([
    ["t-000007.reply", "t-000007"],
    ["t-000007", undefined],
    ["t-000007.0", undefined],
    ["m-a.reply", undefined],
  ])("%s is the reply of %s", (id, of) => {
    expect(turnOfReply(id)).toBe(of);
  });

  test("a notification stands above the reply, under the id of its effect, also where there is no reply", () => {
    const notify = { type: "notify" as const, text: "look", title: "Alarm" };
    const asked = turn("t-000007", { messages: [message("m-a")] });
    const told = messagesOf(
      done(asked, { effects: [{ type: "delegate", prompt: "x" }, notify, { type: "reply", text: "ok" }] }),
    );
    expect(told.map(({ id }) => id)).toEqual(["m-a", "t-000007.1", "t-000007.reply"]);
    expect(told[1]).toEqual({
      id: "t-000007.1",
      role: "system",
      text: "look",
      at: NOON,
      notification: { title: "Alarm" },
    });
    expect(messagesOf(done(turn("t-000008", {}), { effects: [notify] }))).toMatchObject([{ id: "t-000008.0" }]);
  });

  test("an outage is told once, after what was asked and before the reply, in the language of the user", () => {
    const outage = { since: NOON, error: "ECONNREFUSED" };
    const reply = { type: "reply" as const, text: "hi" };
    const asked = (text: string) => turn("t-000007", { messages: [message("m-a", text)] });
    const told = messagesOf(done(asked("hello"), { outage, effects: [reply] }));
    expect(told.map(({ id, role, at }) => [id, role, at])).toEqual([
      ["m-a", "user", NOON],
      ["t-000007.outage", "system", NOON],
      ["t-000007.reply", "assistant", NOON],
    ]);
    expect(told[1]?.text).toMatch(/ since 2026-11-22 12:00 UTC \(ECONNREFUSED\)\. Your message is saved/);
    expect(told[1]?.text).toContain("Choose a model: `mimikit connect`");
    expect(told[1]?.problem).toEqual({ cause: "other", provider: "nobody", since: NOON });
    expect(messagesOf(done(asked("你好"), { outage }))[1]?.text).toMatch(
      /2026-11-22 12:00 UTC 起.*ECONNREFUSED.*你的消息在等待/,
    );
    const report = turn("t-000008", { results: [reportOf(done(task("t-000001.0.0")))] });
    expect(messagesOf(done(report, { outage }))[0]?.text).toContain("I will report them as soon as this is resolved");
  });

  test("a reply that failed says why, also one of before that was kept; one that the user stopped does not", () => {
    const asked = turn("t-000007", { messages: [message("m-a", "hello")] });
    const sorry = { effects: [{ type: "reply" as const, text: "Sorry." }] };
    const problem = { cause: "key" as const, provider: "openai" };
    const problemIn = (more: object) => messagesOf(failed(asked, { ...sorry, ...more })).at(-1)?.problem;
    expect(problemIn({ problem })).toEqual(problem);
    expect(problemIn({ failureReason: "poison" })).toMatchObject({ cause: "other" });
    expect(problemIn({ failureReason: "cancelled" })).toBeUndefined();
    expect(messagesOf(done(asked, sorry)).at(-1)).not.toHaveProperty("problem");
  });

  test("a report names the tasks that it reports", () => {
    const results = [reportOf(done(task("t-000001.0.0")))];
    const [reply] = messagesOf(done(turn("t-000002", { results }), { effects: [{ type: "reply", text: "done" }] }));
    expect(reply?.taskIds).toEqual(["t-000001.0.0"]);
  });
});

describe("board", () => {
  test("a task is one line, wherever it is, newest first, and turns are not tasks", () => {
    const [a, b, c] = [task("t-000001.0.0"), task("t-000001.0.1"), task("t-000001.0.2")];
    const isDone = (taskId: string) => ({ type: "task_done" as const, params: { taskId } });
    const condition = { type: "and" as const, conditions: [isDone(a.id), isDone(b.id)] };
    const rows = boardOf({
      queue: new Map([a, b, turn("t-000002", {})].map((each) => [each.id, each])),
      dependents: new Map([[c.id, dependentOn(c, condition)]]),
      results: new Map([[a.id, failed(a, { failureReason: "cancelled" })]]),
      runningClaimOf: (id) =>
        id === b.id ? { id, attempt: 1, owner: { pid: 1, startTime: "", bootId: "" }, at: b.createdAt } : undefined,
      attemptsOf: () => 1,
      limitedUntilOf: () => undefined,
    });
    expect(rows.map(({ id, state, after }) => [id, state, after])).toEqual([
      [c.id, "waiting", [a.id, b.id]],
      [b.id, "running", undefined],
      [a.id, "cancelled", undefined],
    ]);
  });
});

describe("ids", () => {
  test("turns are counted, not spelled: the millionth comes after the 999,999th", () => {
    expect(turnNumber(turnId(1_000_000))).toBe(1_000_000);
    expect(compareTaskIds("t-1000000", "t-999999")).toBeGreaterThan(0);
    expect(compareTaskIds("t-000001.2", "t-000001.10")).toBeLessThan(0);
  });

  test("what is no turn has no number", () => {
    for (const id of ["t-000001.0", "t-1", "m-000001", "xt-000001"]) expect(turnNumber(id)).toBe(0);
  });

  test("the ancestors of an id are its prefixes, nearest first", () => {
    expect(ancestorsOf("t-000001.2.0")).toEqual(["t-000001.2", "t-000001"]);
    expect(ancestorsOf("t-000001")).toEqual([]);
  });
});
