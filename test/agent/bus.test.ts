import { Gate } from "@mimikit/agent/approval/gate";
import { createToolBus, type ToolBus } from "@mimikit/agent/bus";
import { DEFINITIONS } from "@mimikit/agent/roles/index";
import type { Context } from "@mimikit/agent/tools/context";
import { TOOLS, toolsOf } from "@mimikit/agent/tools/index";
import { NOTIFICATIONS_PER_HOUR_MAX, NOTIFICATIONS_PER_TURN_MAX } from "@mimikit/agent/tools/notify";
import { tool } from "@mimikit/agent/tools/tool";
import { ToolText } from "@mimikit/agent/tools/tool-text";
import { Role } from "@mimikit/protocol/base/role";
import { LEVELS, type Level } from "@mimikit/protocol/base/skill";
import { EFFECT_ROLES, Effect } from "@mimikit/protocol/records/effect";
import type { HistoryMessage } from "@mimikit/protocol/records/history";
import { SHOWN_BYTES_MAX, SHOWN_CHARS_MAX, SHOWN_MAX } from "@mimikit/protocol/records/shown-memory";
import type { Task } from "@mimikit/protocol/records/task";
import { TRIGGER_DEPTH_MAX, TRIGGERS_MAX } from "@mimikit/protocol/triggers/trigger-order";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { describeTool } from "../../packages/agent/src/kernel/describe-tool.ts";
import { workspace } from "../memory/workspace.ts";
import {
  contextOf,
  eventOf,
  messageOf,
  NOW,
  questionOf,
  summaryOf,
  taskOf,
  triggerSummaryOf,
  turnOf,
} from "./fixtures.ts";

function busOf(role: Role, context = contextOf(), tools = TOOLS) {
  return createToolBus({ task: taskOf({ id: "t-000007.1", role }), tools, reads: context, onCall: () => {} });
}

const CALLS: Record<string, unknown> = {
  reply: { text: "hi" },
  delegate: { prompt: "do it" },
  schedule: { prompt: "do it", interval: 60 },
  ask_user: { question: "really?" },
  restart_server: {},
  notify: { text: "look" },
  remember: { content: "x" },
  forget: { line: "the fern stands in room 12" },
  update_backlog: { op: "add", item: "x" },
  cancel_task: { id: "t-000001.0" },
  list_tasks: {},
  summarize_task_result: { taskId: "t-000002.0", summary: "done" },
  query_history: { query: "x" },
  compress_context: {},
  search_memory: { query: "x" },
  get_recent_history: {},
  get_history_by_time: { after: "2026-11-21T00:00:00Z" },
};
const context = contextOf({
  tasks: [summaryOf({ id: "t-000001.0" }), summaryOf({ id: "t-000002.0", state: "done" })],
});

describe("who may use what", () => {
  const reads: Record<string, readonly Role[]> = {
    list_tasks: ["teller", "planner"],
    query_history: ["teller", "planner"],
    search_memory: ["planner"],
    get_recent_history: ["planner"],
    get_history_by_time: ["planner"],
  };
  const cases = TOOLS.flatMap(({ name }) => Role.options.map((role) => ({ name, role })));

  test.each(cases)("$role and $name", async ({ name, role }) => {
    const roles = name in EFFECT_ROLES ? EFFECT_ROLES[name as Effect["type"]] : reads[name];
    const memoryPlace = workspace({ ".mimikit/memory.md": "- the fern stands in room 12\n" });
    const answer = await busOf(role, { ...context, memoryPlace }).call(name, CALLS[name]);
    expect(answer.ok).toBe(roles?.includes(role));
    if (!answer.ok) expect(answer.code).toBe("not_allowed");
  });

  test("there is a tool for every effect, and a role has the tools that it may use", () => {
    expect(TOOLS.map((each) => each.name)).toEqual(expect.arrayContaining(Object.keys(EFFECT_ROLES)));
    expect(toolsOf("worker")).toEqual([]);
    expect(toolsOf("planner").map((each) => each.name)).toEqual([
      "delegate",
      "schedule",
      "cancel_task",
      "list_tasks",
      "query_history",
      "search_memory",
      "get_recent_history",
      "get_history_by_time",
    ]);
  });
});

describe("the level of a tool", () => {
  const toolOf = (level: Level, onRun = () => {}) =>
    tool({ name: "new", level, roles: Role.options, input: z.object({}), run: () => onRun() });
  const levels: Partial<Record<Role, readonly Level[]>> = {
    teller: ["read-only", "local-write", "message-send", "process-control"],
    planner: ["read-only", "process-control"],
    worker: LEVELS,
    reviewer: ["read-only"],
  };
  const cases = Role.options.flatMap((role) => LEVELS.map((level) => ({ role, level })));

  test.each(cases)(
    "$level, for the $role: what is above its role is not run, whatever names it",
    async ({ role, level }) => {
      let runs = 0;
      const answer = await busOf(role, contextOf(), [toolOf(level, () => runs++)]).call("new", {});
      const isAllowed = (levels[role] ?? DEFINITIONS[role].levels).includes(level);
      expect(answer.ok).toBe(isAllowed);
      expect(runs).toBe(isAllowed ? 1 : 0);
      if (!answer.ok) expect(answer).toMatchObject({ code: "not_allowed", message: expect.stringContaining(level) });
    },
  );

  test.each<[Level, isAsked: boolean]>([
    ["read-only", false],
    ["local-write", false],
    ["message-send", true],
    ["process-control", true],
    ["ui-control", true],
  ])("a tool from outside that is %s asks a Worker's owner, with autonomy `workspace`: %s", async (level, isAsked) => {
    let runs = 0;
    const external = { ...toolOf(level, () => runs++), told: { description: "it is new", parameters: {} } };
    const gate = new Gate({
      mode: "workspace",
      mayAsk: true,
      isOwnersWords: false,
      cwd: "/w",
      answers: [],
      allowed: async () => [],
      use: async () => false,
    });
    const task = taskOf({ id: "t-000007.1", role: "worker" });
    const bus = createToolBus({ task, tools: [external], reads: contextOf(), gate, onCall: () => {} });
    const answer = await bus.call("new", {});
    expect(answer).toMatchObject(isAsked ? { code: "needs_approval" } : { ok: true });
    expect(gate.asked?.reaches).toEqual(isAsked ? ["level"] : undefined);
    expect(runs).toBe(isAsked ? 0 : 1);
  });

  test("keeps no role from its own tools", () => {
    for (const role of Role.options) {
      const { levels: own } = DEFINITIONS[role];
      expect(toolsOf(role).filter((each) => !own.includes(each.level))).toEqual([]);
    }
  });
});

test("a tool that is not there is answered with those that are", async () => {
  expect(await busOf("planner").call("rm", {})).toEqual({
    ok: false,
    code: "unknown_tool",
    message:
      'there is no tool "rm"; the planner has: delegate, schedule, cancel_task, list_tasks, query_history, ' +
      "search_memory, get_recent_history, get_history_by_time",
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
  ["schedule", { interval: 60 }],
  ["schedule", { prompt: "x", interval: 5 }],
  ["schedule", { prompt: "x", runAt: "2026-12-01T09:00:00" }],
  ["schedule", { prompt: "x", cron: "0 0 9 * * *", timezone: "Mars/Olympus" }],
  ["schedule", { prompt: "x", condition: { type: "file_changed" } }],
  ["schedule", { prompt: "x", condition: { type: "and", conditions: [] } }],
  ["schedule", { prompt: "x", interval: 60, profile: "expert" }],
  ["ask_user", { question: "" }],
  ["ask_user", { question: "x", options: Array.from({ length: 11 }, (_, i) => `${i}`) }],
  ["restart_server", { now: true }],
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

test("a turn that takes up more messages than that delegates once for each of them", async () => {
  const messages = ["a", "b", "c", "d"].map((text, i) => messageOf(text, { id: `m-${i}` }));
  const bus = createToolBus({ task: turnOf({ messages }), tools: TOOLS, reads: contextOf(), onCall: () => {} });
  for (const { text } of messages) expect(await bus.call("delegate", { prompt: text })).toMatchObject({ ok: true });
  expect(await bus.call("delegate", { prompt: "x" })).toMatchObject({ ok: false, code: "not_allowed" });
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

  test("only the Planner sets them, and what a crash means", async () => {
    expect(await busOf("teller", context).call("delegate", link("t-000001.0"))).toMatchObject({ code: "not_allowed" });
    const order = { prompt: "pay", onInterrupt: "ask" };
    expect(await busOf("teller").call("delegate", order)).toMatchObject({ code: "not_allowed" });
    const bus = busOf("planner");
    expect(await bus.call("delegate", order)).toMatchObject({ ok: true });
    expect(bus.effects).toMatchObject([{ type: "delegate", onInterrupt: "ask" }]);
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

describe("names of tasks", () => {
  const waits = (...taskIds: string[]) => taskIds.map((taskId) => ({ type: "task_done", params: { taskId } }));

  test("a task waits for those that it names, by their names or ids, beside what else it waits for", async () => {
    const bus = busOf("planner", context);
    for (const name of ["A", "B"]) await bus.call("delegate", { name, prompt: name });
    await bus.call("delegate", { prompt: "c", after: ["A"] });
    await bus.call("delegate", { prompt: "d", after: ["A", "t-000007.1.1", "t-000001.0"] });
    const condition = { type: "file_exists", params: { path: "go" } };
    await bus.call("delegate", { prompt: "e", after: ["B"], condition });
    expect(bus.effects.slice(2)).toEqual([
      { type: "delegate", prompt: "c", condition: waits("t-000007.1.0")[0] },
      {
        type: "delegate",
        prompt: "d",
        condition: { type: "and", conditions: waits("t-000007.1.0", "t-000007.1.1", "t-000001.0") },
      },
      {
        type: "delegate",
        prompt: "e",
        condition: { type: "and", conditions: [...waits("t-000007.1.1"), condition] },
      },
    ]);
    expect(bus.effects.every((effect) => Effect.safeParse(effect).success)).toBe(true);
  });

  test("one that is not there yet is refused with those that are, and one is given once", async () => {
    const bus = busOf("planner");
    expect(await bus.call("delegate", { prompt: "b", after: ["A"] })).toMatchObject({
      code: "not_allowed",
      message: 'no task can wait for "A": delegate it first. This plan has named so far: no task',
    });
    await bus.call("delegate", { name: "A", prompt: "a" });
    expect(await bus.call("delegate", { prompt: "b", after: ["A", "B"] })).toMatchObject({
      message: 'no task can wait for "B": delegate it first. This plan has named so far: A',
    });
    expect(await bus.call("delegate", { name: "A", prompt: "a" })).toMatchObject({
      message: 'a task of this plan is named "A" already: choose another name',
    });
  });

  test("more than a condition may have are refused, and nothing is staged that is no effect", async () => {
    const bus = busOf("planner", context);
    const after = Array(64).fill("t-000001.0");
    const condition = { type: "file_exists", params: { path: "go" } };
    expect(await bus.call("delegate", { prompt: "x", after, condition })).toMatchObject({
      message: "that is too much to wait for: name fewer in `after`",
    });
    expect(await bus.call("delegate", { prompt: "x", after })).toMatchObject({ ok: true });
    expect(bus.effects.every((effect) => Effect.safeParse(effect).success)).toBe(true);
  });

  test("are the Planner's alone", async () => {
    for (const input of [{ name: "A" }, { after: ["A"] }])
      expect(await busOf("teller").call("delegate", { prompt: "x", ...input })).toMatchObject({ code: "not_allowed" });
  });
});

test("a plan, which has no reply, has room for 64 changes", async () => {
  const bus = busOf("planner");
  for (let i = 0; i < 64; i++) expect(await bus.call("delegate", { prompt: "x" })).toMatchObject({ ok: true });
  expect(await bus.call("delegate", { prompt: "x" })).toMatchObject({
    message: "at most 64 changes in one run: end, and say what is left out",
  });
});

test("a turn delegates once for each trigger that is due, too", async () => {
  const trigger = { triggerId: "trg-1", type: "recurring", title: "x", prompt: "x", occurrence: NOW };
  const events = [1, 2, 3, 4].map((n) => eventOf("cron_trigger", trigger, { id: `trg-1--${n}` }));
  const bus = createToolBus({ task: turnOf({ events }), tools: TOOLS, reads: contextOf(), onCall: () => {} });
  for (const { id } of events) expect(await bus.call("delegate", { prompt: id })).toMatchObject({ ok: true });
  expect(await bus.call("delegate", { prompt: "x" })).toMatchObject({ ok: false, code: "not_allowed" });
});

describe("what starts later", () => {
  const prompt = "x";
  const staged = async (role: Role, input: object, part: Partial<Context> = {}) => {
    const bus = busOf(role, contextOf(part));
    const answer = await bus.call("schedule", input);
    return answer.ok ? { ...answer, effect: bus.effects[0] } : answer;
  };

  test("is staged with its order and its moment, and answers the id of its trigger", async () => {
    const runAt = "2026-11-22T18:00:00+08:00";
    expect(await staged("teller", { prompt, title: "t", runAt })).toMatchObject({
      data: { id: "t-000007.1.0" },
      effect: { type: "schedule", order: { prompt, title: "t" }, when: { type: "scheduled", runAt } },
    });
    const condition = { type: "not", condition: { type: "file_exists", params: { path: "lock" } } };
    expect(await staged("planner", { prompt, type: "conditional", condition, cooldown: 60 })).toMatchObject({
      effect: { when: { type: "conditional", condition, cooldown: 60 } },
    });
    expect(await staged("planner", { prompt, interval: 60, missed: "all", target: "planner" })).toMatchObject({
      effect: { order: { target: "planner" }, when: { schedule: { interval: 60 }, missed: "all" } },
    });
  });

  test("by the clocks of whoever asked for it, where a cron names no zone", async () => {
    const zoneOf = async (client: Context["client"], timezone?: string) => {
      const input = { prompt, cron: "0 0 9 * * *", ...(timezone !== undefined && { timezone }) };
      const answer = await staged("teller", input, client === undefined ? {} : { client });
      return "effect" in answer && answer.effect?.type === "schedule" ? answer.effect.when : answer;
    };
    const at = (timezone: string) => ({ type: "recurring", schedule: { cron: "0 0 9 * * *", timezone } });
    const client = { timeZone: "Asia/Shanghai", now: "2026-11-22T10:00:00+08:00" };
    expect(await zoneOf(client)).toEqual(at("Asia/Shanghai"));
    expect(await zoneOf(client, "Europe/Paris")).toEqual(at("Europe/Paris"));
    expect(await zoneOf(undefined)).toEqual(at(new Intl.DateTimeFormat().resolvedOptions().timeZone));
    expect(await zoneOf({ timeZone: "Mars/Olympus", now: "2026-11-22T07:30:00+05:30" })).toEqual(at("+05:30"));
  });

  test.each<[string, object, RegExp]>([
    ["without a time", { prompt }, /exactly one of interval, cron, runAt, condition; found none/],
    [
      "with two",
      { prompt, cron: "0 0 9 * * *", runAt: "2027-01-01T00:00:00Z" },
      /exactly one of .* found cron and runAt/,
    ],
    ["in the past", { prompt, runAt: "2026-11-22T09:59:00+08:00" }, /is in the past: it is now 2026-11-22T02:00:00/],
    ["by no cron", { prompt, cron: "0 0 25 * * *" }, /is not a cron pattern/],
    ["too often", { prompt, cron: "*/5 * * * * *" }, /more often than every 10 seconds/],
    ["of another type", { prompt, type: "scheduled", interval: 60 }, /a scheduled trigger has no interval/],
    [
      "after a task that nobody knows",
      { prompt, condition: { type: "task_done", params: { taskId: "t-000099.0" } } },
      /no such task is known/,
    ],
  ])("%s is refused in words", async (_, input, words) => {
    for (const role of ["teller", "planner"] as const)
      expect(await staged(role, input)).toMatchObject({ code: "not_allowed", message: expect.stringMatching(words) });
  });

  test("comes back to the Teller, when the Teller schedules it", async () => {
    expect(await staged("teller", { prompt, interval: 60, target: "teller" })).toMatchObject({ ok: true });
    expect(await staged("teller", { prompt, interval: 60, target: "worker" })).toMatchObject({ code: "not_allowed" });
  });

  test("is refused where there are as many as there may be, those of this run included", async () => {
    const triggers = Array.from({ length: TRIGGERS_MAX - 1 }, (_, i) => triggerSummaryOf({ id: `trg-${i}` }));
    const bus = busOf("teller", contextOf({ triggers }));
    expect(await bus.call("schedule", { prompt, interval: 60 })).toMatchObject({ ok: true });
    expect(await bus.call("schedule", { prompt, interval: 60 })).toMatchObject({
      code: "not_allowed",
      message: expect.stringContaining(`${TRIGGERS_MAX} triggers`),
    });
  });

  test("is refused to what a trigger of a trigger of a trigger started; what a user says begins anew", async () => {
    const call = (task: Task) =>
      createToolBus({ task, tools: TOOLS, reads: contextOf(), onCall: () => {} }).call("schedule", {
        prompt,
        interval: 60,
      });
    const deep = { triggerDepth: TRIGGER_DEPTH_MAX + 1 };
    const plan = { id: "t-000007.1", role: "planner" as const };
    expect(await call(taskOf({ ...plan, triggerDepth: TRIGGER_DEPTH_MAX }))).toMatchObject({ ok: true });
    expect(await call(taskOf({ ...plan, ...deep }))).toMatchObject({ code: "not_allowed" });
    expect(await call({ ...turnOf({}), ...deep })).toMatchObject({ code: "not_allowed" });
    expect(await call(turnOf({ messages: [messageOf("every hour …")] }))).toMatchObject({ ok: true });
  });
});

test("several questions may be asked in one run, a restart only once", async () => {
  const bus = busOf("teller");
  for (const question of ["one?", "two?"]) expect(await bus.call("ask_user", { question })).toMatchObject({ ok: true });
  expect(bus.effects).toEqual([
    { type: "ask_user", question: "one?", timeoutSec: 3_600 },
    { type: "ask_user", question: "two?", timeoutSec: 3_600 },
  ]);
  expect(await bus.call("restart_server", {})).toMatchObject({ ok: true });
  expect(await bus.call("restart_server", {})).toMatchObject({ code: "not_allowed" });
});

describe("notifying", () => {
  const notified = (minutesAgo: number): HistoryMessage => ({
    id: `t-000001.${minutesAgo}`,
    role: "system",
    text: "look",
    at: new Date(Date.parse(NOW) - minutesAgo * 60_000).toISOString(),
    notification: {},
  });

  test("is bounded in a turn", async () => {
    const bus = busOf("teller");
    for (let i = 0; i < NOTIFICATIONS_PER_TURN_MAX; i++)
      expect(await bus.call("notify", { text: "look", title: "here" })).toMatchObject({ ok: true });
    expect(await bus.call("notify", { text: "look" })).toMatchObject({ code: "not_allowed" });
    expect(bus.effects).toHaveLength(NOTIFICATIONS_PER_TURN_MAX);
  });

  test("is bounded in an hour", async () => {
    const lately = Array.from({ length: NOTIFICATIONS_PER_HOUR_MAX }, (_, i) => notified(i + 1));
    expect(await busOf("teller", contextOf({ history: lately })).call("notify", { text: "x" })).toMatchObject({
      code: "not_allowed",
    });
    const older = [...lately.slice(1), notified(61)];
    expect((await busOf("teller", contextOf({ history: older })).call("notify", { text: "x" })).ok).toBe(true);
  });
});

describe("summarising", () => {
  const tasks = [
    summaryOf({ id: "t-000001.0.0", state: "done" }),
    summaryOf({ id: "t-000001.0.1", state: "failed" }),
    summaryOf({ id: "t-000001.0.2", state: "running" }),
    summaryOf({ id: "t-000001.0.3", state: "done" }),
  ];
  const reads = contextOf({ tasks, summaries: { "t-000001.0.3": "It went well." } });
  const sum = (bus: ReturnType<typeof busOf>, taskId: string) =>
    bus.call("summarize_task_result", { taskId, summary: "short" });

  test.each([
    ["t-000001.0.0", true, ""],
    ["t-000001.0.1", true, ""],
    ["t-000001.0.2", false, "t-000001.0.2 has not ended: it is running"],
    ["t-000001.0.3", false, "t-000001.0.3 has a summary already, which stands"],
    ["t-000009.0", false, "no task t-000009.0 is known: list_tasks shows the ids"],
  ])("what %s has handed in: %s", async (taskId, ok, message) => {
    const answer = await sum(busOf("teller", reads), taskId);
    expect(answer).toMatchObject(ok ? { ok } : { code: "not_allowed", message });
  });

  test("the same result twice in one turn is refused, and lists show what stands", async () => {
    const bus = busOf("teller", reads);
    await sum(bus, "t-000001.0.0");
    expect(await sum(bus, "t-000001.0.0")).toMatchObject({ ok: false });
    expect(bus.effects).toEqual([{ type: "summarize_task_result", taskId: "t-000001.0.0", summary: "short" }]);
    expect(await bus.call("list_tasks", { state: "done" })).toMatchObject({
      data: { text: expect.stringMatching(/gist: "It went well\."/) },
    });
  });

  test("the conversation is compressed once in a turn, and only where there is one", async () => {
    const call = (bus: ToolBus) => bus.call("compress_context", { summary: "They like tea." });
    const bus = createToolBus({
      task: turnOf({ messages: [messageOf("compress this")] }),
      tools: TOOLS,
      reads,
      onCall: () => {},
    });
    expect(await call(bus)).toMatchObject({ ok: true });
    expect(await call(bus)).toMatchObject({ code: "not_allowed" });
    expect(bus.effects).toEqual([{ type: "compress_context", summary: "They like tea." }]);
    const silent = createToolBus({ task: turnOf({}), tools: TOOLS, reads, onCall: () => {} });
    expect(await call(silent)).toMatchObject({ code: "not_allowed" });
  });

  test("who somebody is goes to a file of its own", async () => {
    const bus = busOf("teller");
    await bus.call("remember", { content: "lives in Kiel", target: "profile" });
    expect(await bus.call("remember", { content: "x", target: "memory" })).toMatchObject({ code: "bad_input" });
    expect(bus.effects).toEqual([{ type: "remember", content: "lives in Kiel", longTerm: false, target: "profile" }]);
  });
});

/** A schema that points to itself is refused by some endpoints, and one without a type by others. */
test.each(TOOLS)("the schema of $name holds no reference, no pattern of a format, and is an object", (each) => {
  const { parameters } = describeTool(each);
  expect(parameters.type).toBe("object");
  expect(JSON.stringify(parameters)).not.toMatch(/\$ref|\$defs|oneOf|"format":"date-time","pattern"/);
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
    ["trg-1", true],
    ["trg-2", false],
  ])("%s: %s", async (id, ok) => {
    const triggers = [triggerSummaryOf({ id: "trg-1" })];
    expect((await busOf("teller", contextOf({ tasks, triggers })).call("cancel_task", { id })).ok).toBe(ok);
  });

  test("a question is for the Teller that asked it: those of the system are the user's to answer", async () => {
    const own = questionOf({ id: "t-000001.1" });
    const system = questionOf({ id: "t-000001.0.0.go-on", purpose: { type: "go_on", failedId: "t-000001.0.0" } });
    const call = (role: Role, id: string) =>
      busOf(role, contextOf({ questions: [own, system] })).call("cancel_task", { id });
    expect(await call("teller", own.id)).toMatchObject({ ok: true });
    expect(await call("planner", own.id)).toMatchObject({ code: "not_allowed" });
    expect(await call("teller", system.id)).toMatchObject({ code: "not_allowed" });
  });
});

describe("reading", () => {
  const idsIn = (answer: Awaited<ReturnType<ToolBus["call"]>>) =>
    answer.ok
      ? ToolText.parse(answer.data)
          .text.split("\n")
          .flatMap((line) => /^- id: ([^,]+)/.exec(line)?.[1] ?? [])
      : answer;

  test("list_tasks shows what is a task to a user, in the states that are asked for", async () => {
    const tasks = [summaryOf({ id: "t-000002.0", state: "queued" }), summaryOf({ id: "t-000001.0", state: "failed" })];
    const ids = async (input: object) => idsIn(await busOf("teller", contextOf({ tasks })).call("list_tasks", input));
    expect(await ids({})).toEqual(["t-000002.0", "t-000001.0"]);
    expect(await ids({ scope: "open" })).toEqual(["t-000002.0"]);
    expect(await ids({ scope: "ended" })).toEqual(["t-000001.0"]);
    expect(await ids({ state: "failed" })).toEqual(["t-000001.0"]);
    expect(await ids({ scope: "triggers" })).toEqual([]);
  });

  test("list_tasks shows the triggers with what is open, and alone where they are asked for, with whole prompts", async () => {
    const triggers = [triggerSummaryOf({ id: "trg-1", prompt: "x".repeat(500) }), triggerSummaryOf({ id: "trg-2" })];
    const list = (input: object) => busOf("planner", contextOf({ triggers })).call("list_tasks", input);
    for (const scope of ["open", "triggers", "all"]) expect(idsIn(await list({ scope }))).toEqual(["trg-1", "trg-2"]);
    expect(await list({})).toMatchObject({ data: { text: expect.stringContaining("x".repeat(500)) } });
    expect(idsIn(await list({ scope: "ended" }))).toEqual([]);
    expect(idsIn(await list({ role: "worker" }))).toEqual([]);
  });

  test("list_tasks answers in lines: a job and its tasks, and no more of twenty than is needed", async () => {
    const tasks = Array.from({ length: 20 }, (_, i) => [
      summaryOf({ id: `t-0000${40 - i}.0.0`, state: "done", title: "Fix the failing tests in tally" }),
      summaryOf({ id: `t-0000${40 - i}.0`, role: "planner", state: "done", title: "Fix the failing tests in tally" }),
    ]).flat();
    const answer = await busOf("teller", contextOf({ tasks })).call("list_tasks", {});
    const { text } = ToolText.parse(answer.ok ? answer.data : {});
    expect(text.split("\n").slice(0, 3)).toEqual([
      expect.stringMatching(/^- id: t-000040\.0, title: "Fix the failing tests in tally", state: done, created: /),
      "    prompt: run `sleep 5`",
      "    t-000040.0.0 done: Fix the failing tests in tally",
    ]);
    expect(idsIn(answer)).toHaveLength(20);
    expect(text.length).toBeLessThan(5_000);
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

  test.each([
    ["get_recent_history", { count: 2 }, ["t-000001", "m-2"]],
    ["get_recent_history", { count: 2, offset: 2 }, ["m-1"]],
    ["get_history_by_time", { after: "2026-11-20T10:00:01Z" }, ["t-000001", "m-2"]],
    ["get_history_by_time", { before: "2026-11-20T18:00:00+08:00" }, ["m-1"]],
  ])("%s %j", async (name, input, ids) => {
    const answer = await busOf("planner", contextOf({ history })).call(name, input);
    expect(answer).toMatchObject({ ok: true, data: { messages: ids.map((id) => ({ id })) } });
  });

  test("get_history_by_time wants to know a time", async () => {
    expect(await busOf("planner", contextOf({ history })).call("get_history_by_time", {})).toMatchObject({
      ok: false,
      code: "not_allowed",
    });
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

describe("what of memory the model is shown", () => {
  const shownOf = (k: number, text = `fact ${k}`) => ({ source: "memory.md", text });

  test("counts once, and is kept as far as the bounds of a record go", () => {
    const bus = busOf("teller");
    bus.show([shownOf(1), shownOf(2)]);
    bus.show([shownOf(2), { message: "m-1", text: "fact 2" }]);
    expect(bus.shown).toEqual([shownOf(1), shownOf(2), { message: "m-1", text: "fact 2" }]);
    bus.show(Array.from({ length: 100 }, (_, k) => shownOf(k)));
    expect(bus.shown).toHaveLength(SHOWN_MAX);

    const long = busOf("teller");
    long.show(Array.from({ length: 100 }, (_, k) => shownOf(k, `${k}${"记忆".repeat(500)}`)));
    expect(long.shown.length).toBeGreaterThan(5);
    expect(Buffer.byteLength(JSON.stringify(long.shown))).toBeLessThanOrEqual(SHOWN_BYTES_MAX);
    expect(Math.max(...long.shown.map(({ text }) => text.length))).toBe(SHOWN_CHARS_MAX);
  });

  test("also holds what was found in the conversation, with the messages", async () => {
    const history: HistoryMessage[] = [{ id: "m-1", role: "user", text: "the boiler is loud", at: NOW }];
    const bus = busOf("teller", contextOf({ history }));
    await bus.call("query_history", { query: "boiler" });
    expect(bus.shown).toEqual([{ message: "m-1", text: "the boiler is loud", at: NOW }]);
  });
});
