/** The budgets as they are on disk: usage/ says what is spent, running/ what is reserved. */
import { appendFileSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SpendingLimits } from "@mimikit/core/base/budget";
import { dayOf, type UsageLine } from "@mimikit/protocol/base/usage";
import { Claim, type Identity } from "@mimikit/protocol/records/claim";
import { Result } from "@mimikit/protocol/records/result";
import { Task } from "@mimikit/protocol/records/task";
import type { PastOccurrence } from "@mimikit/protocol/records/trigger";
import { createRecord } from "@mimikit/store/disk/record";
import { claimPath, queuePath, resultPath, USAGE, usagePath } from "@mimikit/store/disk/state";
import { StateCache } from "@mimikit/store/state-cache/state-cache";
import { accountsAt } from "@mimikit/store/views/accounts";
import { meanCost } from "@mimikit/store/views/mean-cost";
import { UsageLog } from "@mimikit/store/views/usage-log";
import { expect, test } from "vitest";
import { done, NOON, NOON_MS, task } from "../../core/facts.ts";
import { temporaryState } from "../home.ts";

const DAY_MS = 86_400_000;
const OWNER: Identity = { pid: 1, startTime: "1", bootId: "b" };
const NO_LIMITS = { day: {}, month: {} };
const LIMITS = { day: { tokens: 1_000 }, month: { costUsd: 5 } };

function bookkeeping() {
  const { home, fs } = temporaryState();
  const cache = new StateCache(fs, { token: "t", durable: false, onBadArchive: () => {} });
  const usageLog = new UsageLog(home);
  const spend = (taskId: string, ago = 0, part: Partial<UsageLine> = {}) => {
    const at = NOON_MS - ago * DAY_MS;
    const path = join(home, usagePath(dayOf(at)));
    const line = { at: new Date(at).toISOString(), taskId, attempt: 1, role: "worker", provider: "openai" } as const;
    const usage = { inputTokens: 100, cachedTokens: 60, outputTokens: 7, costUsd: 0.5 };
    mkdirSync(dirname(path), { recursive: true });
    appendFileSync(path, `${JSON.stringify({ ...line, ...usage, ...part })}\n`);
  };
  const claim = (id: string, attempt = 1) =>
    createRecord(fs, Claim, claimPath("worker", id, attempt), {
      id,
      attempt,
      owner: OWNER,
      at: NOON,
      reserved: { tokens: 300, costUsd: 1 },
    });
  const accounts = async (limits: SpendingLimits = LIMITS) => {
    await cache.refresh(NOON_MS, true);
    return accountsAt(limits, usageLog, cache, NOON_MS);
  };
  return { home, fs, book: usageLog, spend, claim, accounts };
}

test("a day and a month are counted as usage/ has them, by the server's calendar", async () => {
  const { spend, accounts } = bookkeeping();
  spend("t-000001");
  spend("t-000002");
  spend("t-000002");
  spend("t-000003", 1);
  spend("t-000004", 40);
  const [day, month] = await accounts();
  expect(day).toMatchObject({ scope: "day", period: "2026-11-22", spent: { tokens: 214, costUsd: 1 } });
  expect(month).toMatchObject({ scope: "month", period: "2026-11", spent: { tokens: 321, costUsd: 1.5 } });
});

test("where nothing is limited nothing is read", async () => {
  const { home, accounts } = bookkeeping();
  rmSync(join(home, USAGE), { recursive: true });
  expect(await accounts(NO_LIMITS)).toEqual([]);
});

test("a claim reserves until its attempt has said what it cost, whoever lives", async () => {
  const { fs, spend, claim, accounts } = bookkeeping();
  const reserved = async () => (await accounts()).map((account) => account.reserved.tokens);
  for (const id of ["t-000001.0.0", "t-000001.0.1", "t-000001.0.2"]) {
    await createRecord(fs, Task, queuePath("worker", id), task(id));
    await claim(id);
  }
  expect(await reserved()).toEqual([900, 900]);
  spend("t-000001.0.0");
  expect(await reserved()).toEqual([600, 600]);
  const ended = done(task("t-000001.0.1"));
  await createRecord(fs, Result, resultPath("worker", ended.id), ended);
  expect(await reserved()).toEqual([300, 300]);
  await claim("t-000001.0.2", 2);
  expect(await reserved()).toEqual([600, 600]);
});

test("what a trigger and a task have cost is told by day, over all days of a task's attempts", () => {
  const { book: usageLog, spend } = bookkeeping();
  spend("t-000001.0.0", 1, { triggerId: "trg-1" });
  spend("t-000001.0.0", 0, { triggerId: "trg-1", attempt: 2 });
  spend("t-000001.0.1");
  const days = usageLog.readSince(NOON_MS - DAY_MS, NOON_MS);
  expect(days.map((day) => day.spentByTask("t-000001.0.0").tokens)).toEqual([107, 107]);
  expect(days.map((day) => day.hasAttempt("t-000001.0.0", 2))).toEqual([true, false]);
  expect(usageLog.readDay(dayOf(NOON_MS)).spentByTrigger("trg-1")).toEqual({ tokens: 107, costUsd: 0.5 });
});

test("a firing costs the mean of all that came of those which are remembered: work, plans and what was told", () => {
  const { book: usageLog, spend } = bookkeeping();
  const fired = (ago: number, id: string) => ({
    outcome: "fired" as const,
    id: `trg-1--${id}`,
    at: new Date(NOON_MS - ago * DAY_MS).toISOString(),
  });
  const skip = { id: "trg-1--s", from: NOON, to: NOON, count: 1, reason: "missed", outcome: "skipped" as const };
  const mean = (...recent: PastOccurrence[]) => meanCost({ id: "trg-1", recent }, usageLog, NOON_MS);
  expect(mean(fired(0, "3"))).toBeNull();
  // Its firing is not remembered.
  spend("trg-1--0", 5, { triggerId: "trg-1" });
  spend("trg-1--1", 2, { triggerId: "trg-1" });
  spend("t-000007", 2, { triggerId: "trg-1", role: "teller" });
  spend("trg-1--2", 1, { triggerId: "trg-1" });
  spend("trg-2--2", 1, { triggerId: "trg-2" });
  expect(mean(fired(2, "1"), skip, fired(1, "2"))).toEqual({ tokens: Math.round((3 * 107) / 2), costUsd: 0.75 });
  expect(mean(skip)).toBeNull();
  // A cost that usage/ no longer has is not counted as if it had been nothing.
  expect(mean(fired(60, "00"), fired(1, "2"))).toEqual({ tokens: 107, costUsd: 0.5 });
});
