import { createToolBus } from "@mimikit/agent/bus";
import { ROLE_DEFINITIONS } from "@mimikit/agent/roles/index";
import { LEVELS, type Level, tool } from "@mimikit/agent/tool";
import { TOOLS } from "@mimikit/agent/tools/index";
import { EFFECT_ROLES } from "@mimikit/core/permissions";
import { Effect } from "@mimikit/protocol/effect";
import { ROLES, type Role } from "@mimikit/protocol/role";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { contextOf, summaryOf, taskOf } from "./fixtures.ts";

function busOf(role: Role, context = contextOf(), tools = TOOLS) {
  return createToolBus({ task: taskOf({ id: "t-000007.1", role }), tools, reads: context, onCall: () => {} });
}

const CALLS: Record<string, unknown> = {
  reply: { text: "hi" },
  delegate: { prompt: "do it" },
  remember: { content: "x" },
  update_backlog: { op: "add", item: "x" },
  cancel_task: { id: "t-000001.0" },
  list_tasks: {},
  query_history: { query: "x" },
};
const context = contextOf({ tasks: [summaryOf({ id: "t-000001.0" })] });

describe("who may use what", () => {
  const reads: Record<string, readonly Role[]> = {
    list_tasks: ["teller", "planner"],
    query_history: ["teller", "planner"],
  };
  const cases = TOOLS.flatMap(({ name }) => ROLES.map((role) => ({ name, role })));

  test.each(cases)("$role and $name", async ({ name, role }) => {
    const roles = name in EFFECT_ROLES ? EFFECT_ROLES[name as Effect["type"]] : reads[name];
    const answer = await busOf(role, context).call(name, CALLS[name]);
    expect(answer.ok).toBe(roles?.includes(role));
    if (!answer.ok) expect(answer.code).toBe("not_allowed");
  });

  test("there is a tool for every effect, and a role has the tools that it may use", () => {
    expect(TOOLS.map((each) => each.name)).toEqual(expect.arrayContaining(Object.keys(EFFECT_ROLES)));
    expect(ROLE_DEFINITIONS.worker.tools).toEqual([]);
    expect(ROLE_DEFINITIONS.planner.tools.map((each) => each.name)).toEqual([
      "delegate",
      "cancel_task",
      "list_tasks",
      "query_history",
    ]);
  });
});

describe("the level of a tool", () => {
  const toolOf = (level: Level, onRun = () => {}) =>
    tool({ name: "new", level, roles: ROLES, input: z.object({}), run: () => onRun() });
  const levels: Record<Role, readonly Level[]> = {
    teller: ["read-only", "local-write", "message-send", "process-control"],
    planner: ["read-only", "process-control"],
    worker: ["read-only", "local-write", "process-control"],
  };
  const cases = ROLES.flatMap((role) => LEVELS.map((level) => ({ role, level })));

  test.each(cases)(
    "$level, for the $role: what is above its role is not run, whatever names it",
    async ({ role, level }) => {
      let runs = 0;
      const answer = await busOf(role, contextOf(), [toolOf(level, () => runs++)]).call("new", {});
      const isAllowed = levels[role].includes(level);
      expect(answer.ok).toBe(isAllowed);
      expect(runs).toBe(isAllowed ? 1 : 0);
      if (!answer.ok) expect(answer).toMatchObject({ code: "not_allowed", message: expect.stringContaining(level) });
    },
  );

  test("keeps no role from its own tools", () => {
    for (const role of ROLES) {
      const { tools, levels: own } = ROLE_DEFINITIONS[role];
      expect(tools.filter((each) => !own.includes(each.level))).toEqual([]);
    }
  });
});

test("a tool that is not there is answered with those that are", async () => {
  expect(await busOf("planner").call("rm", {})).toEqual({
    ok: false,
    code: "unknown_tool",
    message: 'there is no tool "rm"; the planner has: delegate, cancel_task, list_tasks, query_history',
  });
});

test.each([
  ["reply", { text: "" }],
  ["reply", null],
  ["delegate", { prompt: "x", surprise: 1 }],
  ["delegate", { prompt: "x", priority: 11 }],
  ["remember", { content: "x".repeat(2_001) }],
  ["update_backlog", { op: "explode", item: "x" }],
  ["cancel_task", { id: "../x" }],
])("%s with %j is bad input, and nothing is staged", async (name, input) => {
  const bus = busOf("teller");
  expect(await bus.call(name, input)).toMatchObject({ ok: false, code: "bad_input" });
  expect(bus.effects).toEqual([]);
});

test("a staged write answers the id that its record will have: the task's, and its place among the effects", async () => {
  const bus = busOf("teller");
  expect(await bus.call("remember", { content: "a", longTerm: true })).toEqual({
    ok: true,
    data: { id: "t-000007.1.0" },
  });
  expect(await bus.call("update_backlog", { op: "add", item: "b" })).toEqual({
    ok: true,
    data: { id: "t-000007.1.1" },
  });
  expect(bus.effects).toEqual([
    { type: "remember", content: "a", longTerm: true },
    { type: "update_backlog", op: "add", item: "b" },
  ]);
  expect(bus.effects.every((effect) => Effect.safeParse(effect).success)).toBe(true);
});

test("a second reply takes the place of the first and moves nothing else", async () => {
  const bus = busOf("teller");
  await bus.call("reply", { text: "one" });
  await bus.call("remember", { content: "x" });
  expect(await bus.call("reply", { text: "two" })).toEqual({ ok: true, data: { id: "t-000007.1.0" } });
  expect(bus.effects).toEqual([
    { type: "reply", text: "two" },
    { type: "remember", content: "x", longTerm: false },
  ]);
});

test("a turn delegates three times at most", async () => {
  const bus = busOf("teller");
  for (let i = 0; i < 3; i++) expect(await bus.call("delegate", { prompt: "x" })).toMatchObject({ ok: true });
  expect(await bus.call("delegate", { prompt: "x" })).toMatchObject({ ok: false, code: "not_allowed" });
  expect(bus.effects).toHaveLength(3);
});

test("a run that changes as much as it may still has its reply", async () => {
  const bus = busOf("teller");
  for (let i = 0; i < 63; i++) await bus.call("remember", { content: `x${i}` });
  expect(await bus.call("remember", { content: "more" })).toMatchObject({ ok: false, code: "not_allowed" });
  expect(await bus.call("reply", { text: "done" })).toEqual({ ok: true, data: { id: "t-000007.1.63" } });
  expect(bus.effects).toHaveLength(64);
});

describe("conditions", () => {
  const link = (taskId: string) => ({ prompt: "b", condition: { type: "task_done", params: { taskId } } });

  test("only the Planner sets them", async () => {
    expect(await busOf("teller", context).call("delegate", link("t-000001.0"))).toMatchObject({ code: "not_allowed" });
  });

  test("a link waits for a task of its own plan or one that is known", async () => {
    const bus = busOf("planner", context);
    await bus.call("delegate", { prompt: "a" });
    expect(await bus.call("delegate", link("t-000007.1.0"))).toEqual({ ok: true, data: { id: "t-000007.1.1" } });
    expect(await bus.call("delegate", link("t-000001.0"))).toMatchObject({ ok: true });
  });

  test.each(["t-000007.1.0", "t-000007.1.5", "t-000099.0"])(
    "waiting for %s, which nobody has made, is refused",
    async (taskId) => {
      expect(await busOf("planner", context).call("delegate", link(taskId))).toMatchObject({ code: "not_allowed" });
    },
  );
});

describe("cancelling", () => {
  const tasks = [
    summaryOf({ id: "t-000001.0", role: "planner", state: "done" }),
    summaryOf({ id: "t-000001.0.0", state: "running" }),
    summaryOf({ id: "t-000002.0.0", state: "done" }),
  ];

  test.each([
    ["t-000001.0.0", true],
    ["t-000001.0", true],
    ["t-000002.0.0", false],
    ["t-000001", false],
    ["t-000009.0", false],
  ])("%s: %s", async (id, ok) => {
    expect((await busOf("teller", contextOf({ tasks })).call("cancel_task", { id })).ok).toBe(ok);
  });
});

describe("reading", () => {
  test("list_tasks shows what is a task to a user, in the states that are asked for", async () => {
    const tasks = [
      summaryOf({ id: "t-000003", role: "teller" }),
      summaryOf({ id: "t-000002.0", state: "queued" }),
      summaryOf({ id: "t-000001.0", state: "failed" }),
    ];
    const ids = async (input: object) => {
      const answer = await busOf("teller", contextOf({ tasks })).call("list_tasks", input);
      const schema = z.object({ tasks: z.array(z.object({ id: z.string() })) });
      return answer.ok ? schema.parse(answer.data).tasks.map((task) => task.id) : answer;
    };
    expect(await ids({})).toEqual(["t-000002.0", "t-000001.0"]);
    expect(await ids({ scope: "open" })).toEqual(["t-000002.0"]);
    expect(await ids({ scope: "ended" })).toEqual(["t-000001.0"]);
    expect(await ids({ state: "failed" })).toEqual(["t-000001.0"]);
  });

  const history = [
    { id: "m-1", role: "user" as const, text: "发布窗口是每周四", at: "2026-11-20T10:00:00.000Z" },
    {
      id: "t-000001",
      role: "assistant" as const,
      text: "I will remember the release window",
      at: "2026-11-20T10:00:05.000Z",
    },
    { id: "m-2", role: "user" as const, text: "the release was moved", at: "2026-11-21T10:00:00.000Z" },
  ];
  const find = async (input: object) => {
    const answer = await busOf("planner", contextOf({ history })).call("query_history", input);
    const schema = z.object({ messages: z.array(z.object({ id: z.string() })) });
    return answer.ok ? schema.parse(answer.data).messages.map((message) => message.id) : answer;
  };

  test.each([
    [{ query: "发布窗口" }, ["m-1"]],
    [{ query: "每周四" }, ["m-1"]],
    [{ query: "我们的窗口" }, ["m-1"]],
    [{ query: "release window" }, ["t-000001", "m-2"]],
    [{ query: "release", roles: ["user"] }, ["m-2"]],
    [{ query: "release", before_id: "m-2" }, ["t-000001"]],
    [{ query: "release", from: "2026-11-21T00:00:00+08:00", to: "2026-11-21T23:00:00Z" }, ["m-2"]],
    [{ query: "release", limit: 1 }, ["m-2"]],
    [{ query: "nothing of this" }, []],
  ])("query_history %j", async (input, ids) => {
    expect(await find(input)).toEqual(ids);
  });

  test("a read that fails is told, not thrown", async () => {
    const broken = tool({
      name: "broken",
      level: "read-only",
      roles: ["planner"],
      input: z.object({}),
      run: () => {
        throw new Error("the disk is gone");
      },
    });
    expect(await busOf("planner", contextOf(), [broken]).call("broken", {})).toEqual({
      ok: false,
      code: "failed",
      message: "the disk is gone",
    });
  });
});
