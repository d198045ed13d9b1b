/** Admission: which attempts may begin beside which, and the reservation of one that died before it could report its cost. */

import type { Limit, Spending } from "@mimikit/core/base/budget";
import type { Candidate } from "@mimikit/core/tasks/dispatch";
import { byRole } from "@mimikit/protocol/base/kind";
import { Claim, FailedAttempt, type Identity } from "@mimikit/protocol/records/claim";
import { Result } from "@mimikit/protocol/records/result";
import { Task } from "@mimikit/protocol/records/task";
import { TriggerRecord } from "@mimikit/protocol/records/trigger";
import { createRecord } from "@mimikit/store/disk/record";
import { claimPath, failedAttemptPath, queuePath, resultPath, triggerPath } from "@mimikit/store/disk/state";
import { StateCache } from "@mimikit/store/state-cache/state-cache";
import { UsageLog } from "@mimikit/store/views/usage-log";
import { expect, test } from "vitest";
import { allot, linesOfDead } from "../../apps/worker-pool/src/claim/allot.ts";
import { recordUsage } from "../../apps/worker-pool/src/usage-file.ts";
import { done, failed, message, NOON, NOON_MS, recurring, task, turn } from "../core/facts.ts";
import { temporaryState } from "../store/home.ts";

const DEAD: Identity = { pid: 1, startTime: "1", bootId: "b" };
const RESERVATIONS: Record<Task["role"], Spending> = {
  ...byRole(() => ({ tokens: 50, costUsd: 0 })),
  teller: { tokens: 20, costUsd: 0 },
  worker: { tokens: 100, costUsd: 0 },
};

const asked = turn("t-000001", { messages: [message("m-1")] });
const plan = task("t-000001.0");
const [first, second] = [task("t-000001.0.0"), task("t-000001.0.1")];

function household() {
  const { home, fs } = temporaryState();
  const isAlive = (owner: Identity) => owner.pid !== DEAD.pid;
  const cache = new StateCache(fs, { token: "t", durable: false, isAlive, onBadArchive: () => {} });
  const usageLog = new UsageLog(home);
  const look = async () => {
    // A dead process is known from the second look on.
    await cache.refresh(NOON_MS, true);
    await cache.refresh(NOON_MS, true);
  };
  const spend = (tokens: number) =>
    recordUsage(home, {
      at: NOON,
      taskId: "t-000000",
      attempt: 1,
      role: "worker",
      provider: "openai",
      inputTokens: tokens,
      cachedTokens: 0,
      outputTokens: 0,
      costUsd: 0,
    });
  const allotted = (dayTokens: number | undefined, ...tasks: Task[]) =>
    allottedWithin({ tokens: dayTokens }, {}, ...tasks);
  const allottedWithin = async (day: Limit, taskLimit: Limit, ...tasks: Task[]) => {
    await look();
    const candidates = tasks.map(
      (each): Candidate => ({ task: each, attempt: 1, company: "all", earlier: [], outages: [], interrupted: false }),
    );
    return allot(candidates, {
      limits: { day, month: {} },
      taskLimit,
      usageLog,
      cache,
      reservationOf: (role) => RESERVATIONS[role],
      nowMs: NOON_MS,
    }).map(({ task: { id }, reserved }) => [id, reserved?.tokens]);
  };
  const claim = (id: string, attempt = 1, owner: Claim["owner"] = DEAD) =>
    createRecord(fs, Claim, claimPath("worker", id, attempt), {
      id,
      attempt,
      owner,
      at: NOON,
      reserved: RESERVATIONS.worker,
    });
  const lost = async () => {
    await look();
    return linesOfDead({ usageLog, cache, nowMs: NOON_MS });
  };
  return { home, fs, spend, claim, allotted, allottedWithin, lost };
}

test("an attempt that another machine did not run to its end has cost what was reserved for it; one that it runs has not yet", async () => {
  const { fs, claim, lost } = household();
  await createRecord(fs, Task, queuePath("worker", first.id), first);
  await claim(first.id, 1, { engine: "bullmq", pool: "gpu-box", epoch: "e".repeat(16) });
  expect(await lost()).toEqual([]);
  const end = { failureReason: "interrupted", error: "it was not heard of", death: "unknown" } as const;
  const record = { id: first.id, attempt: 1, at: NOON, retryAt: NOON, ...end };
  await createRecord(fs, FailedAttempt, failedAttemptPath("worker", first.id, 1), record);
  expect(await lost()).toMatchObject([{ taskId: first.id, attempt: 1, inputTokens: 100, isEstimate: true }]);
});

test("without a limit everybody begins, and nothing is reserved", async () => {
  const { allotted } = household();
  expect(await allotted(undefined, asked, plan, first)).toEqual([
    [asked.id, undefined],
    [plan.id, undefined],
    [first.id, undefined],
  ]);
});

test("the budget of a task, or of a trigger, is enough to reserve: whoever dies must count there, too", async () => {
  const { fs, allottedWithin } = household();
  expect(await allottedWithin({}, { costUsd: 1 }, asked, plan, first)).toEqual([
    [asked.id, undefined],
    [plan.id, 50],
    [first.id, 100],
  ]);
  for (const trigger of [recurring("trg-1", { budget: { tokens: 1 } }), recurring("trg-2")])
    await createRecord(fs, TriggerRecord, triggerPath(trigger.id, trigger.version), trigger);
  const tasks = [asked, plan, first].map((each, i) => ({ ...each, triggerId: i < 2 ? "trg-1" : "trg-2" }));
  expect(await allottedWithin({}, {}, ...tasks)).toEqual([
    [asked.id, 20],
    [plan.id, 50],
    [first.id, undefined],
  ]);
});

test("each begins as far as its reservation fits beside those before it, and reserves it", async () => {
  const { allotted } = household();
  expect(await allotted(220, asked, plan, first, second)).toEqual([
    [asked.id, 20],
    [plan.id, 50],
    [first.id, 100],
  ]);
});

test("what has no room leaves it to what needs less; something left is enough for one", async () => {
  const { spend, allotted } = household();
  spend(10);
  expect(await allotted(90, asked, first, plan)).toEqual([
    [asked.id, 20],
    [plan.id, 50],
  ]);
  expect(await allotted(11, first, second)).toEqual([[first.id, 100]]);
});

test("where it is used up work waits, and turns begin", async () => {
  const { spend, allotted } = household();
  spend(220);
  expect(await allotted(220, asked, plan, first)).toEqual([[asked.id, 20]]);
});

test("an attempt that died counts for what it had reserved, once: a crash loop is no free lunch", async () => {
  const { home, fs, claim, lost, allotted } = household();
  await createRecord(fs, Task, queuePath("worker", first.id), { ...first, triggerId: "trg-1" });
  await claim(first.id);
  const [line, ...others] = await lost();
  expect(line).toMatchObject({
    at: NOON,
    taskId: first.id,
    attempt: 1,
    inputTokens: 100,
    triggerId: "trg-1",
    isEstimate: true,
  });
  expect(others).toEqual([]);
  if (line !== undefined) recordUsage(home, line);
  expect(await lost()).toEqual([]);
  await claim(first.id, 2);
  const [again] = await lost();
  if (again !== undefined) recordUsage(home, again);
  expect(await allotted(200, second)).toEqual([]);
  expect(await allotted(201, second)).toEqual([[second.id, 100]]);
});

test("an attempt that died after its end has cost what it said, or nothing; one that was ended for its deaths, all of it", async () => {
  const { fs, claim, lost } = household();
  const free = { ...done(first), provider: "openai" };
  await createRecord(fs, Result, resultPath("worker", first.id), free);
  await claim(first.id);
  expect(await lost()).toEqual([]);
  const poison = failed(second, { failureReason: "poison" });
  await createRecord(fs, Result, resultPath("worker", second.id), poison);
  await claim(second.id);
  expect((await lost()).map(({ taskId }) => taskId)).toEqual([second.id]);
});

test("an attempt counts for what it had reserved also when it is recorded how its pool died, and not when it was handed back", async () => {
  const { fs, claim, lost } = household();
  const end = { attempt: 1, failureReason: "interrupted", error: "", at: NOON, retryAt: NOON } as const;
  const record = (id: string, death?: "reboot") =>
    createRecord(fs, FailedAttempt, failedAttemptPath("worker", id, 1), { ...end, id, ...(death && { death }) });
  for (const { id } of [first, second]) await claim(id);
  await record(first.id, "reboot");
  await record(second.id);
  expect((await lost()).map(({ taskId }) => taskId)).toEqual([first.id]);
});
