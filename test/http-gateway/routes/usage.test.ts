/** The cost of runs, as the API and the status give it. */
import { appendFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dayOf, type UsageLine } from "@mimikit/protocol/base/usage";
import { Claim } from "@mimikit/protocol/records/claim";
import type { Status, UsageRow } from "@mimikit/protocol/wire/api";
import { createRecord } from "@mimikit/store/disk/record";
import { claimPath, usagePath } from "@mimikit/store/disk/state";
import { expect, test } from "vitest";
import { recordUsage } from "../../../apps/worker-pool/src/usage-file.ts";
import { type Started, startGateway } from "../gateway.ts";

const DAY_MS = 86_400_000;
const NOW_MS = Date.now();
const TODAY = dayOf(NOW_MS);

function line(taskId: string, more: Partial<UsageLine> = {}): UsageLine {
  return {
    at: new Date(NOW_MS).toISOString(),
    taskId,
    attempt: 1,
    role: "worker",
    provider: "openai",
    model: "m",
    inputTokens: 100,
    cachedTokens: 60,
    outputTokens: 7,
    costUsd: 0.5,
    ...more,
  };
}

const rowsOf = async (gateway: Started, query = "") =>
  ((await gateway.ask(`/api/usage${query}`)).json as { rows: UsageRow[] }).rows;
const statusOf = async (gateway: Started) => (await gateway.ask("/api/status")).json as Status;

test("each attempt counts once, by day, role, provider and model, as it is written", async () => {
  const gateway = await startGateway();
  expect(await rowsOf(gateway)).toEqual([]);
  recordUsage(gateway.home, line("t-000001.0.0"));
  recordUsage(gateway.home, line("t-000001.0.0"));
  recordUsage(gateway.home, line("t-000001.0.0", { attempt: 2 }));
  expect((await statusOf(gateway)).usage.today).toEqual({
    inputTokens: 200,
    cachedTokens: 120,
    outputTokens: 14,
    costUsd: 1,
  });
  const { model: _, ...unnamed } = line("t-000001", { role: "teller", provider: "codex" });
  recordUsage(gateway.home, unnamed);
  const worker = { day: TODAY, role: "worker", provider: "openai", model: "m", runs: 2, inputTokens: 200 };
  const teller = { day: TODAY, role: "teller", provider: "codex", model: null, runs: 1, inputTokens: 100 };
  expect(await rowsOf(gateway)).toMatchObject([worker, teller]);
});

test("the calls of today are summed by tool", async () => {
  const gateway = await startGateway();
  const tools = (calls: number, failed: number, ms: number) => ({ tools: { bash: { calls, failed, ms } } });
  recordUsage(gateway.home, line("t-000001.0.0", tools(3, 1, 100)));
  recordUsage(gateway.home, line("t-000001.0.1", tools(1, 0, 100)));
  expect((await statusOf(gateway)).tools).toEqual({ bash: { calls: 4, failed: 1, meanMs: 50 } });
});

test("a line that a crash tore off swallows nothing, and counts when it is whole", async () => {
  const gateway = await startGateway();
  const path = join(gateway.home, usagePath(TODAY));
  const text = JSON.stringify(line("t-000001.0.0"));
  writeFileSync(path, text.slice(0, 40));
  recordUsage(gateway.home, line("t-000001.0.1"));
  expect((await statusOf(gateway)).usage.today.inputTokens).toBe(100);
  appendFileSync(path, text);
  expect((await statusOf(gateway)).usage.today.inputTokens).toBe(100);
  appendFileSync(path, "\n");
  expect((await statusOf(gateway)).usage.today.inputTokens).toBe(200);
});

test("other days are told when they are asked for, the newest first, and are not today", async () => {
  const gateway = await startGateway();
  const days = [0, 2, 9].map((ago) => NOW_MS - ago * DAY_MS);
  for (const ms of days) recordUsage(gateway.home, line("t-000001", { at: new Date(ms).toISOString() }));
  expect((await rowsOf(gateway)).map(({ day }) => day)).toEqual([dayOf(NOW_MS), dayOf(NOW_MS - 2 * DAY_MS)]);
  expect(await rowsOf(gateway, "?days=1")).toHaveLength(1);
  expect(await rowsOf(gateway, "?days=10")).toHaveLength(3);
  expect((await statusOf(gateway)).usage.today.inputTokens).toBe(100);
  for (const bad of ["0", "93", "many"]) expect((await gateway.ask(`/api/usage?days=${bad}`)).status).toBe(400);
});

test("what is no file of ours is not read, and what is no line of ours does not count", async () => {
  const gateway = await startGateway();
  const path = join(gateway.home, usagePath(TODAY));
  symlinkSync("/etc/hosts", path);
  expect(await rowsOf(gateway)).toEqual([]);
  expect(() => recordUsage(gateway.home, line("t-000001"))).toThrow("ELOOP");
  const odd = ["{}", "null", '{"taskId":"../x"}', "x".repeat(300_000)];
  writeFileSync(join(gateway.home, usagePath(dayOf(NOW_MS - DAY_MS))), `${odd.join("\n")}\n`);
  recordUsage(gateway.home, line("t-000001", { at: new Date(NOW_MS - DAY_MS).toISOString() }));
  expect(await rowsOf(gateway)).toMatchObject([{ runs: 1 }]);
});

test("budgets are told as far as the settings limit anything: what is spent, what is reserved, and until when work waits", async () => {
  expect((await statusOf(await startGateway())).usage.budget).toEqual({ day: null, month: null });
  const gateway = await startGateway({ limits: { day: { tokens: 200 }, month: {} } });
  const id = "t-000001.0.1";
  const owner = { pid: process.pid, startTime: "1", bootId: "b" };
  const reserved = { tokens: 1_000, costUsd: 0 };
  const at = new Date(NOW_MS).toISOString();
  await createRecord(gateway.fs, Claim, claimPath("worker", id, 1), { id, attempt: 1, owner, at, reserved });
  recordUsage(gateway.home, line("t-000001.0.0"));
  const before = await statusOf(gateway);
  expect(before.usage.budget).toMatchObject({
    day: { limit: { tokens: 200 }, spent: { tokens: 107 }, reserved: { tokens: 1_000 }, isReached: false },
    month: null,
  });
  expect(before.problems.join()).not.toContain("budget");
  recordUsage(gateway.home, line(id));
  const after = await statusOf(gateway);
  expect(after.usage.budget.day).toMatchObject({ spent: { tokens: 214 }, reserved: { tokens: 0 }, isReached: true });
  expect(after.problems.join()).toMatch(/the budget of the day .* is used up: work waits until/);
});
