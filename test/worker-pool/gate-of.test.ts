/** Whose runs ask: not those of triggers that are older than the setting, nor any where nothing asks. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { triggerOf } from "@mimikit/core/triggers/triggers";
import type { AskedCall, Autonomy } from "@mimikit/protocol/approvals/approval";
import { approvalPermit } from "@mimikit/protocol/base/id";
import type { Task } from "@mimikit/protocol/records/task";
import type { Trigger } from "@mimikit/protocol/records/trigger";
import { archivePath, failedAttemptPath, queuePath, triggerPath } from "@mimikit/store/disk/state";
import { StateCache } from "@mimikit/store/state-cache/state-cache";
import { expect, test } from "vitest";
import { answersTo, gateOf } from "../../apps/worker-pool/src/run/gate-of.ts";
import { NOON, NOON_MS, recurring, task } from "../core/facts.ts";
import { temporaryState } from "../store/home.ts";

const OLD = "trg-00000000000000000000000000000001";
const NEW = "trg-00000000000000000000000000000002";

async function poolWith(...triggers: Trigger[]) {
  const { home, fs } = temporaryState();
  for (const each of triggers) writeFileSync(join(home, triggerPath(each.id, each.version)), JSON.stringify(each));
  const cache = new StateCache(fs, { token: "token", durable: false, onBadArchive: () => {} });
  await cache.archiveIndex.load();
  await cache.refresh(NOON_MS, true);
  const onError = (error: unknown) => {
    throw error;
  };
  const of = (work: Task, autonomy: Autonomy = "workspace") =>
    gateOf(work, "/w", { fs, cache, autonomy, isOwnersWords: false, onError });
  return { home, fs, of };
}

test("a trigger that is made now asks; one that was there before does not; one that is not known does", async () => {
  const order = { order: { prompt: "x" }, when: { type: "recurring" as const, schedule: { interval: 60 } } };
  const made = triggerOf(NEW, order, { createdAt: NOON, traceId: NEW, depth: 0, target: "worker" });
  expect(made.asks).toBe(true);
  const { of } = await poolWith(recurring(OLD), made);
  expect(await of(task("t-1", { triggerId: OLD }))).toBeUndefined();
  expect(await of(task("t-1", { triggerId: NEW }))).toBeDefined();
  expect(await of(task("t-1", { triggerId: "trg-00000000000000000000000000000003" }))).toBeDefined();
});

test("a trigger that has ended meanwhile is known by the archive", async () => {
  const { home, of } = await poolWith();
  const trigger = recurring(OLD, { over: "deleted" });
  const ended = { kind: "trigger", id: OLD, at: NOON, outcome: "deleted", trigger };
  writeFileSync(join(home, "archive", `${OLD}.json`), JSON.stringify(ended));
  expect(await of(task("t-1", { triggerId: OLD }))).toBeUndefined();
});

test("nothing asks where the setting is full, and only the Worker of an order can wait for an answer", async () => {
  const { of } = await poolWith();
  expect(await of(task("t-1"), "full")).toBeUndefined();
  const mayAsk = async (work: Task) => (await of(work))?.leave.mayAsk;
  expect(await mayAsk(task("t-1", { kind: "work", role: "worker" }))).toBe(true);
  expect(await mayAsk(task("t-1", { kind: "plan", role: "planner" }))).toBe(false);
  const condition = { id: "e-1", triggerId: NEW, leaf: 0, prompt: "x" };
  const evaluation = task("eval-000001", { kind: "evaluation", role: "worker", evaluation: [condition] });
  expect(await mayAsk(evaluation)).toBe(false);
});

test("a yes is used once, and what says so is there for good before the call is made, with its folder", async () => {
  const { home, fs, of } = await poolWith();
  const gate = await of(task("t-1"));
  const synced: string[] = [];
  const { syncDir } = fs;
  fs.syncDir = async (dir) => {
    await syncDir(dir);
    synced.push(dir);
  };
  expect(await gate?.leave.use(1)).toBe(true);
  expect(existsSync(join(home, "runs/t-1.a1/used-yes"))).toBe(true);
  expect(synced).toEqual(["runs/t-1.a1", "runs"]);
  expect(await gate?.leave.use(1)).toBe(false);
});

test("a yes is for the machine that asked: it is none at home, on another machine, or the other way round", async () => {
  const { home, fs } = temporaryState();
  const work = task("t-1", { kind: "work", role: "worker", pool: "gpu" });
  const asks: AskedCall = { tool: "bash", digest: "a".repeat(64), shown: "x", cwd: "/w", reaches: ["network"] };
  const write = (path: string, record: object) => {
    mkdirSync(join(home, dirname(path)), { recursive: true });
    writeFileSync(join(home, path), JSON.stringify(record));
  };
  for (const [attempt, pool] of [
    [1, "box"],
    [2, undefined],
  ] as const) {
    const failed = { id: work.id, attempt, failureReason: "needs_approval", error: "waits", at: NOON, retryAt: NOON };
    write(failedAttemptPath("worker", work.id, attempt), { ...failed, asks: { ...asks, ...(pool && { pool }) } });
    const id = approvalPermit(work.id, attempt);
    write(archivePath(id), { kind: "permit", id, at: NOON, taskId: work.id, attempt, verdict: "task" });
  }
  write(queuePath("worker", work.id), work);
  const cache = new StateCache(fs, { token: "token", durable: false, onBadArchive: () => {} });
  await cache.archiveIndex.load();
  await cache.refresh(NOON_MS, true);
  const attempts = async (pool?: string) => (await answersTo(pool, work, fs, cache)).map(({ attempt }) => attempt);
  expect(await attempts("box")).toEqual([1]);
  expect(await attempts("other")).toEqual([]);
  expect(await attempts()).toEqual([2]);
});
