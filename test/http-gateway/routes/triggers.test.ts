import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Archived } from "@mimikit/protocol/records/archive";
import { InboxCommand } from "@mimikit/protocol/records/inbox";
import type { Condition } from "@mimikit/protocol/triggers/condition";
import { TriggerDetail, TriggerSummary } from "@mimikit/protocol/wire/api";
import { createRecord } from "@mimikit/store/disk/record";
import { isSigned } from "@mimikit/store/disk/sign";
import { archivePath, triggerPath } from "@mimikit/store/disk/state";
import { expect, test } from "vitest";
import { recordUsage } from "../../../apps/worker-pool/src/usage-file.ts";
import { connect } from "../client.ts";
import { type Answer, type Started, startGateway } from "../gateway.ts";
import { archive, ask, claim, finish, NOON, queue, recurringOf, stand, taskOf } from "../records.ts";

const idOf = (answer: Answer) => (answer.json as { id: string }).id;

async function listed(gateway: Started): Promise<TriggerSummary[]> {
  const { triggers } = (await gateway.ask("/api/triggers")).json as { triggers: unknown[] };
  return triggers.map((each) => TriggerSummary.parse(each));
}

async function detail(gateway: Started, id: string): Promise<TriggerDetail> {
  return TriggerDetail.parse((await gateway.ask(`/api/triggers/${id}`)).json);
}

function send(gateway: Started, method: string, path: string, body: unknown = {}, key?: string) {
  const headers = { "Content-Type": "application/json", ...(key !== undefined && { "Idempotency-Key": key }) };
  return gateway.ask(path, { method, headers, ...(method !== "DELETE" && { body: JSON.stringify(body) }) });
}

function commandsIn(gateway: Started): InboxCommand[] {
  return gateway
    .names("inbox")
    .map((name) => InboxCommand.parse(JSON.parse(readFileSync(join(gateway.home, "inbox", name), "utf8"))));
}

/** A condition of `depth` levels. */
function nested(depth: number): Condition {
  const leaf: Condition = { type: "file_exists", params: { path: "a" } };
  return depth === 1 ? leaf : { type: "not", condition: nested(depth - 1) };
}

test("an order is a signed command when 202 is answered, under the id that its trigger will have", async () => {
  const gateway = await startGateway();
  const answer = await send(gateway, "POST", "/api/triggers", { prompt: "drink water", cron: "0 0 9 * * *" });
  expect(answer.status).toBe(202);
  const [command] = commandsIn(gateway);
  expect(command).toMatchObject({ kind: "trigger-put", definition: { order: { prompt: "drink water" } } });
  expect(isSigned(gateway.token, command ?? {})).toBe(true);
  expect(idOf(answer)).toBe(`trg-${command?.id.replace("put-", "")}`);
});

test("what was ordered, changed or deleted is seen so at once, though nobody has taken it up yet", async () => {
  const gateway = await startGateway({ config: { tickMs: 60_000 } });
  const id = idOf(
    await send(gateway, "POST", "/api/triggers", { prompt: "stretch", title: "Stretch", interval: 3_600 }),
  );
  expect(await listed(gateway)).toMatchObject([
    { id, title: "Stretch", type: "recurring", target: "teller", paused: false },
  ]);
  expect((await detail(gateway, id)).upcoming).toHaveLength(5);
  await send(gateway, "PATCH", `/api/triggers/${id}`, { paused: true, title: "Stand up" });
  expect(await detail(gateway, id)).toMatchObject({ title: "Stand up", paused: true, next: null, upcoming: [] });
  expect((await send(gateway, "DELETE", `/api/triggers/${id}`)).status).toBe(202);
  expect(await listed(gateway)).toEqual([]);
  expect((await gateway.ask(`/api/triggers/${id}`)).status).toBe(410);
  expect((await send(gateway, "POST", `/api/triggers/${id}/run`)).status).toBe(410);
});

test("the same Idempotency-Key is the same trigger, however often and however concurrently it is ordered", async () => {
  const gateway = await startGateway();
  const order = () => send(gateway, "POST", "/api/triggers", { prompt: "once", interval: 60 }, "key-1");
  const answers = await Promise.all(Array.from({ length: 10 }, order));
  expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([202]));
  expect(new Set(answers.map(idOf)).size).toBe(1);
  expect(gateway.names("inbox")).toHaveLength(1);
  expect(await listed(gateway)).toHaveLength(1);
});

test("every command about a trigger is signed, and a repeat of it after the trigger is over is no news", async () => {
  const gateway = await startGateway();
  const trigger = await stand(gateway.fs, recurringOf("trg-1"));
  const wanted = [
    ["PATCH", "/api/triggers/trg-1", { paused: true }],
    ["POST", "/api/triggers/trg-1/run", {}],
    ["DELETE", "/api/triggers/trg-1", {}],
  ] as const;
  const first: Answer[] = [];
  for (const [method, path, body] of wanted) first.push(await send(gateway, method, path, body, "key"));
  expect(first.map((answer) => answer.status)).toEqual([202, 202, 202]);
  const commands = commandsIn(gateway);
  expect(commands.map((command) => command.kind).sort()).toEqual(["trigger-delete", "trigger-patch", "trigger-run"]);
  for (const command of commands) expect(isSigned(gateway.token, command)).toBe(true);
  const over: Archived = { kind: "trigger", id: "trg-1", at: NOON, outcome: "deleted", trigger };
  await createRecord(gateway.fs, Archived, archivePath("trg-1"), over);
  for (const [i, [method, path, body]] of wanted.entries())
    expect(await send(gateway, method, path, body, "key")).toMatchObject({ status: 202, json: first[i]?.json });
  expect(gateway.names("inbox")).toHaveLength(3);
});

test("an order that cannot be carried out is refused in words, and nothing is written", async () => {
  const gateway = await startGateway();
  for (const [order, words] of [
    [{ prompt: "a" }, "exactly one of interval, cron, runAt, condition"],
    [{ prompt: "a", interval: 60, runAt: "2126-01-01T00:00:00Z" }, "interval and runAt"],
    [{ prompt: "a", interval: 9 }, "interval"],
    [{ prompt: "a", cron: "every morning" }, "is not a cron pattern"],
    [{ prompt: "a", cron: "*/2 * * * * *" }, "more often than every 10 seconds"],
    [{ prompt: "a", cron: "0 0 9 31 2 *" }, "never occurs"],
    [{ prompt: "a", cron: "0 0 9 * * *", timezone: "Mars/Olympus" }, "timezone: must be a time zone"],
    [{ prompt: "a", runAt: "2020-01-01T00:00:00Z" }, "in the past"],
    [{ prompt: "a", runAt: "tomorrow" }, "runAt: must be a moment with its time zone"],
    [{ prompt: "a", interval: 60, cooldown: 5 }, "cooldown applies to conditions only"],
    [{ prompt: "", interval: 60 }, "prompt"],
    [{ prompt: "a", interval: 60, shell: "rm" }, "shell"],
    [{ prompt: "a", condition: { type: "file_exists", params: { path: "../x" } } }, "condition.params.path"],
    [
      { prompt: "a", condition: { type: "and", conditions: [{ type: "moon", params: {} }] } },
      "condition.conditions.0.type",
    ],
  ] as const) {
    const answer = await send(gateway, "POST", "/api/triggers", order);
    expect(answer, JSON.stringify(order)).toMatchObject({
      status: 400,
      json: { error: { code: "invalid", message: expect.stringContaining(words) } },
    });
  }
  expect(gateway.names("inbox")).toEqual([]);
});

test("an order that waits for a task that never was is refused, and so is a change to one", async () => {
  const gateway = await startGateway();
  const waitsFor = (taskId: string) => ({
    type: "or",
    conditions: [
      { type: "file_exists", params: { path: "a" } },
      { type: "task_failed", params: { taskId } },
    ],
  });
  const order = (taskId: string) => ({ prompt: "a", condition: waitsFor(taskId) });
  const refusal = {
    status: 400,
    json: { error: { message: expect.stringContaining("t-000009.0"), coded: { message: { code: "task_never_was" } } } },
  };
  expect(await send(gateway, "POST", "/api/triggers", order("t-000009.0"))).toMatchObject(refusal);
  expect(gateway.names("inbox")).toEqual([]);
  // One that waits, runs or has ended was there; what came in under such an id and was applied was none.
  await queue(gateway.fs, taskOf("t-000009.1"));
  await archive(gateway.fs, await finish(gateway.fs, await queue(gateway.fs, taskOf("t-000009.2"))));
  const mark: Archived = { kind: "mark", id: "t-000009.3", at: NOON, taskId: "t-000009" };
  await createRecord(gateway.fs, Archived, archivePath("t-000009.3"), mark);
  const answers = await Promise.all(
    ["t-000009.1", "t-000009.2", "t-000009.3"].map((id) => send(gateway, "POST", "/api/triggers", order(id))),
  );
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 400]);
  const { schedule: _, missed: __, last: ___, ...common } = recurringOf("trg-1");
  const evidence = { baselines: {}, evaluations: {} };
  const state = { condition: nested(1), cooldownSec: 0, evidence, isArmed: true, fired: 0 };
  await stand(gateway.fs, { ...common, type: "conditional", ...state });
  const patch = { condition: waitsFor("t-000009.0") };
  expect(await send(gateway, "PATCH", "/api/triggers/trg-1", patch)).toMatchObject(refusal);
});

test("a condition of 16 levels and 64 leaves is taken; a deeper or larger one is refused by its place", async () => {
  const gateway = await startGateway();
  const order = (condition: unknown) => send(gateway, "POST", "/api/triggers", { prompt: "a", condition });
  const wide = (leaves: number) => ({ type: "or", conditions: Array.from({ length: leaves }, () => nested(1)) });
  expect((await order(nested(16))).status).toBe(202);
  expect((await order(wide(64))).status).toBe(202);
  expect(await order(nested(17))).toMatchObject({
    status: 400,
    json: { error: { message: "condition: nested 17 deep, more than 16" } },
  });
  expect((await order({ type: "and", conditions: [wide(64), nested(1)] })).text).toContain("65 leaves, more than 64");
  expect((await order(nested(60))).text).toContain("nested deeper than");
  expect((await order(wide(5_000))).status).toBe(413);
  expect(gateway.names("inbox")).toHaveLength(2);
});

test("a change must fit the trigger, and say something", async () => {
  const gateway = await startGateway();
  await stand(gateway.fs, recurringOf("trg-1"));
  const change = (body: unknown) => send(gateway, "PATCH", "/api/triggers/trg-1", body);
  expect((await change({})).text).toContain("nothing to change: set at least one field");
  expect((await change({ runAt: "2126-01-01T00:00:00Z" })).text).toContain("a recurring trigger has no runAt");
  expect((await change({ cron: "nonsense and more" })).text).toContain("is not a cron pattern");
  expect((await change({ type: "recurring" })).status).toBe(400);
  expect(gateway.names("inbox")).toEqual([]);
  expect((await change({ cron: "0 30 7 * * 1-5" })).status).toBe(202);
  const [command] = commandsIn(gateway);
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  expect(command).toMatchObject({ patch: { when: { schedule: { cron: "0 30 7 * * 1-5", timezone } } } });
});

test("triggers are listed by their next moment; those that rest or wait for a condition come last", async () => {
  const gateway = await startGateway();
  await stand(gateway.fs, recurringOf("trg-paused", { paused: true }));
  await stand(gateway.fs, recurringOf("trg-late", { last: "2126-11-21T13:00:00.000Z" }));
  await stand(gateway.fs, recurringOf("trg-soon"));
  expect((await listed(gateway)).map(({ id, next }) => [id, next])).toEqual([
    ["trg-soon", "2126-11-21T13:00:00.000Z"],
    ["trg-late", "2126-11-21T14:00:00.000Z"],
    ["trg-paused", null],
  ]);
  expect((await gateway.ask("/api/status")).json).toMatchObject({
    counts: { triggers: 3 },
    next: { triggerId: "trg-soon", at: "2126-11-21T13:00:00.000Z" },
  });
});

test("one trigger says what it did lately, and what became of the tasks that it started", async () => {
  const gateway = await startGateway();
  const fired = (id: string) => ({ id, at: NOON, outcome: "fired" as const });
  const skip = {
    id: "trg-1--a-skipped",
    from: NOON,
    to: NOON,
    count: 2,
    reason: "missed",
    outcome: "skipped" as const,
  };
  const recent = [fired("trg-1--20261121t120000z"), skip, fired("trg-1--20261121t130000z"), fired("trg-1--run-00ff")];
  await stand(gateway.fs, recurringOf("trg-1", { prompt: "p".repeat(2_000), recent }));
  const ofTrigger = { triggerId: "trg-1" };
  const ended = await queue(gateway.fs, taskOf("trg-1--20261121t120000z", ofTrigger));
  await archive(gateway.fs, await finish(gateway.fs, ended));
  await claim(gateway.fs, await queue(gateway.fs, taskOf("trg-1--20261121t130000z", ofTrigger)));
  const whole = await detail(gateway, "trg-1");
  expect(whole.recent.map((past) => ("state" in past ? past.state : past.outcome))).toEqual([
    "done",
    "skipped",
    "running",
    "fired",
  ]);
  expect(whole.prompt).toHaveLength(2_000);
  expect((await listed(gateway))[0]?.prompt).toHaveLength(500);
});

test("a trigger that is over is gone and says how it ended; an unknown one was never there", async () => {
  const gateway = await startGateway();
  const skip = { id: "s", from: NOON, to: NOON, count: 1, reason: "missed", outcome: "skipped" as const };
  const trigger = recurringOf("trg-1", { recent: [skip] });
  const over: Archived = { kind: "trigger", id: "trg-1", at: NOON, outcome: "spent", trigger };
  await createRecord(gateway.fs, Archived, archivePath("trg-1"), over);
  expect((await gateway.ask("/api/triggers/trg-1")).json).toEqual({
    error: {
      code: "gone",
      message: "this trigger is over (spent)",
      hint: `It skipped ${NOON}: missed.`,
      coded: { message: { code: "trigger_over", params: { how: "spent" } } },
    },
  });
  await stand(gateway.fs, recurringOf("trg-2", { version: 7, over: "cancelled" }));
  expect((await gateway.ask("/api/triggers/trg-2")).json).toMatchObject({
    error: { message: "this trigger is over (cancelled)" },
  });
  for (const path of ["/api/triggers/trg-9", "/api/triggers/trg-9/explain"])
    expect((await gateway.ask(path)).status).toBe(404);
  expect((await send(gateway, "PATCH", "/api/triggers/trg-9", { paused: true })).status).toBe(404);
  expect((await gateway.ask("/api/triggers/%20")).status).toBe(400);
});

test("an explanation is one line and the tree of the condition, with what is seen of tasks and files now", async () => {
  const gateway = await startGateway();
  const done = await queue(gateway.fs, taskOf("t-000001.0"));
  await archive(gateway.fs, await finish(gateway.fs, done));
  writeFileSync(join(gateway.home, "..", "ready.txt"), "");
  const { schedule: _, missed: __, last: ___, ...common } = recurringOf("trg-1");
  const condition: Condition = {
    type: "and",
    conditions: [
      { type: "task_done", params: { taskId: "t-000001.0" } },
      { type: "file_exists", params: { path: join(gateway.home, "..", "ready.txt") } },
      { type: "file_exists", params: { path: "missing.txt" } },
    ],
  };
  await stand(gateway.fs, {
    ...common,
    type: "conditional",
    condition,
    cooldownSec: 0,
    evidence: { baselines: {}, evaluations: {} },
    isArmed: true,
    fired: 0,
  });
  const { json } = await gateway.ask("/api/triggers/trg-1/explain");
  expect(json).toMatchObject({
    id: "trg-1",
    next: null,
    text: expect.stringContaining("missing.txt"),
    condition: { type: "and", holds: false, parts: [{ holds: true }, { holds: true }, { holds: false }] },
  });
});

test("a simulation lists the firings of its time with what they have cost so far, and bounds that time", async () => {
  const gateway = await startGateway();
  const now = new Date().toISOString();
  const schedule = { cron: "0 0 9 * * *", timezone: "Europe/Berlin" };
  const recent = [{ outcome: "fired" as const, id: "trg-1--20261121t120000z", at: now }];
  await stand(gateway.fs, recurringOf("trg-1", { schedule, recent }));
  const usage = { inputTokens: 100, cachedTokens: 0, outputTokens: 20, costUsd: 0.5 };
  const run = {
    at: now,
    taskId: "t-000007",
    attempt: 1,
    role: "teller",
    provider: "openai",
    triggerId: "trg-1",
  } as const;
  recordUsage(gateway.home, { ...run, ...usage });
  const simulate = (from: string, to: string) => gateway.ask(`/api/triggers/simulate?from=${from}&to=${to}`);
  const { json } = await simulate("2127-01-01T00:00:00Z", "2127-01-03T00:00:00Z");
  expect(json).toMatchObject({
    firings: [
      { triggerId: "trg-1", at: "2127-01-01T08:00:00.000Z", local: "2127-01-01 09:00:00 Europe/Berlin" },
      { triggerId: "trg-1", at: "2127-01-02T08:00:00.000Z", expected: { tokens: 120, costUsd: 0.5 } },
    ],
    expected: { tokens: 240, costUsd: 1 },
    isCut: false,
  });
  expect((await gateway.ask("/api/triggers/simulate")).status).toBe(200);
  expect((await simulate("2127-01-01T00:00:00Z", "2128-06-01T00:00:00Z")).text).toContain("366 days");
  expect((await simulate("2127-01-01T00:00:00Z", "2126-01-01T00:00:00Z")).text).toContain("must be after from");
  expect((await gateway.ask("/api/triggers/simulate?from=monday")).text).toContain(
    "from: must be a moment with its time zone",
  );
  expect((await gateway.ask("/api/triggers/simulate?until=x")).status).toBe(400);
});

test("there are a thousand triggers at most, with those that are only asked for", { timeout: 60_000 }, async () => {
  const gateway = await startGateway();
  for (let i = 0; i < 999; i++) {
    const path = join(gateway.home, triggerPath(`trg-${i}`, 1));
    writeFileSync(path, JSON.stringify(recurringOf(`trg-${i}`)));
  }
  const order = () => send(gateway, "POST", "/api/triggers", { prompt: "one more", interval: 60 });
  expect((await order()).status).toBe(202);
  expect(await order()).toMatchObject({ status: 409, json: { error: { code: "conflict" } } });
  const client = await connect(gateway);
  expect((await client.next("snapshot")).triggers).toHaveLength(100);
});

test("the routes want a credential and their methods", async () => {
  const gateway = await startGateway();
  const paths = {
    "/api/triggers": "GET, HEAD, POST",
    "/api/triggers/simulate": "GET, HEAD",
    "/api/triggers/trg-1": "GET, HEAD, PATCH, DELETE",
    "/api/triggers/trg-1/run": "POST",
    "/api/triggers/trg-1/explain": "GET, HEAD",
  };
  for (const [path, allowed] of Object.entries(paths)) {
    for (const method of ["GET", "POST", "PATCH", "DELETE"])
      expect((await gateway.ask(path, { method, signedIn: false })).status, `${method} ${path}`).toBe(401);
    expect(await gateway.ask(path, { method: "PUT" })).toMatchObject({ status: 405, headers: { allow: allowed } });
  }
  for (const [method, path] of [
    ["PATCH", "/api/triggers/a"],
    ["POST", "/api/triggers/a/run"],
    ["POST", "/api/triggers"],
  ] as const)
    expect((await gateway.ask(path, { method, body: "{}" })).status).toBe(415);
});

test("what the status counts is never behind the triggers and questions that a client has been told of", async () => {
  const gateway = await startGateway({ config: { tickMs: 60_000 } });
  const client = await connect(gateway);
  await client.next("snapshot");
  await stand(gateway.fs, recurringOf("trg-1"));
  await client.next("trigger");
  expect((await client.next("status")).data.counts).toMatchObject({ triggers: 1, questions: 0 });
  await ask(gateway.fs, "t-000001.0");
  await client.next("question");
  expect((await client.next("status")).data.counts).toMatchObject({ triggers: 1, questions: 1 });
});

test("a client sees triggers come, change and go, in order with everything else", async () => {
  const gateway = await startGateway();
  await stand(gateway.fs, recurringOf("trg-1"));
  const client = await connect(gateway);
  expect((await client.next("snapshot")).triggers).toMatchObject([{ id: "trg-1" }]);
  await stand(gateway.fs, recurringOf("trg-1", { version: 2, paused: true }));
  expect((await client.next("trigger")).data).toMatchObject({ id: "trg-1", paused: true, isOver: false });
  const id = idOf(await send(gateway, "POST", "/api/triggers", { prompt: "a", interval: 60 }));
  expect((await client.next("trigger")).data).toMatchObject({ id, isOver: false });
  await send(gateway, "DELETE", "/api/triggers/trg-1");
  expect((await client.next("trigger", (frame) => frame.data.isOver)).data).toMatchObject({ id: "trg-1" });
});

test("an order that nobody has given yet says when it would fire, or what is wrong with it", async () => {
  const gateway = await startGateway();
  const asked = async (query: Record<string, string>) => {
    const answer = await gateway.ask(`/api/triggers/upcoming?${new URLSearchParams(query)}`);
    return { status: answer.status, json: answer.json as { upcoming?: string[]; error?: { message: string } } };
  };
  const { json } = await asked({ cron: "0 30 9 * * *", timezone: "Asia/Shanghai" });
  expect(json.upcoming).toHaveLength(3);
  for (const at of json.upcoming ?? []) expect(at).toMatch(/T01:30:00.000Z$/);
  const [first = "", second = ""] = (await asked({ interval: "60" })).json.upcoming ?? [];
  expect(Date.parse(second) - Date.parse(first)).toBe(60_000);
  for (const query of [{}, { interval: "1" }, { cron: "0 0 9 * *  *", interval: "60" }, { cron: "not a calendar" }]) {
    const { status, json } = await asked(query);
    expect(status, JSON.stringify(query)).toBe(400);
    expect(json.error?.message).not.toBe("");
  }
  expect(await listed(gateway)).toEqual([]);
});
