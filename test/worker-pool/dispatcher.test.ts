/** The dispatcher on a real disk, with a machine that says what it is told to. */
import { CALLS_MAX, CALLS_NOTED_MAX, type FromPool, PoolCall, type ToPool } from "@mimikit/protocol/pools/messages";
import { BeginPermit, ENGINE, NotedCalls, type PoolRecord } from "@mimikit/protocol/pools/pool";
import type { AuditEvent } from "@mimikit/protocol/records/audit";
import { Claim } from "@mimikit/protocol/records/claim";
import { Task } from "@mimikit/protocol/records/task";
import { jobOf } from "@mimikit/runtime/pools/names";
import { homeIdentity } from "@mimikit/runtime/pools/registry";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { createRecord } from "@mimikit/store/disk/record";
import { claimPath, notedCallsPath, PERMITS, permitPath, queuePath, resultPath } from "@mimikit/store/disk/state";
import { StateCache } from "@mimikit/store/state-cache/state-cache";
import { expect, test } from "vitest";
import { Dispatcher } from "../../apps/worker-pool/src/dispatcher/dispatcher.ts";
import { NOON, NOON_MS, task } from "../core/facts.ts";
import { temporaryState } from "../store/home.ts";

const POOL: PoolRecord = { name: "gpu-box", labels: [], slots: 1, key: Buffer.alloc(32).toString("base64"), at: NOON };
const NONCE = "e".repeat(16);
const work = { ...task("t-000001.0.0"), pool: POOL.name };

/** @param fsOf how the dispatcher sees the disk. */
async function household(fsOf: (fs: FileSystem) => FileSystem = (fs) => fs, monotonicMs = () => 0) {
  const { home, fs } = temporaryState();
  const identity = await homeIdentity(fs);
  const job = jobOf(identity, work.id, 1);
  const cache = new StateCache(fs, { token: "t", durable: false, isAlive: () => true, onBadArchive: () => {} });
  const audited: AuditEvent[] = [];
  const told: ToPool[] = [];
  const errors: unknown[] = [];
  const dispatcher = new Dispatcher({
    home,
    fs: fsOf(fs),
    cache,
    identity,
    open: () => ({
      isThere: true,
      add: async () => {},
      remove: async () => {},
      outcome: async () => null,
      dropOutcome: async () => {},
      putPiece: async () => {},
      takePiece: async () => null,
      tell: async (_job, said) => void told.push(said),
      obliterate: async () => {},
      close: async () => {},
    }),
    leaseMs: () => 60_000,
    nowMs: () => NOON_MS,
    monotonicMs,
    retryDelaySec: () => 1,
    jobFor: () => Promise.reject(new Error("nothing is offered")),
    filesOf: async () => [],
    useAnswers: async () => {},
    openStream: () => ({ write: () => {}, end: async () => {} }),
    noteUsage: () => {},
    audit: (event) => void audited.push(event),
    onError: (error) => void errors.push(error),
  });
  const claim = async (invitedAt?: string) => {
    await createRecord(fs, Task, queuePath("worker", work.id), work);
    const owner = { engine: ENGINE, pool: POOL.name, epoch: identity.epoch, ...(invitedAt && { invitedAt }) } as const;
    await createRecord(fs, Claim, claimPath("worker", work.id, 1), { id: work.id, attempt: 1, owner, at: NOON });
    await cache.refresh(NOON_MS, true);
  };
  const permit = () =>
    createRecord(fs, BeginPermit, permitPath(work.id, 1), { job, pool: POOL.name, nonce: NONCE, at: NOON });
  return { fs, dispatcher, job, audited, told, errors, claim, permit };
}

test("a dispatcher that could not read yet which machines there are concludes nothing about their work", async () => {
  const looked: string[] = [];
  const { fs, dispatcher, claim, permit, audited } = await household((disk) => ({
    ...disk,
    read(path) {
      looked.push(path);
      return disk.read(path);
    },
  }));
  await claim();
  await permit();
  await dispatcher.tick();
  expect(looked).toEqual([]);
  await dispatcher.connect([POOL]);
  await dispatcher.tick();
  await expect.poll(() => looked).toContain(permitPath(work.id, 1));
  await dispatcher.close();
  expect(audited).toEqual([]);
  expect(await fs.list("worker/running")).toEqual([`${work.id}.a1.json`]);
});

test("a call of a tool that is said again while the permit goes is not noted again", async () => {
  const call = PoolCall.parse({ tool: "bash", requestId: "call_1", ok: true, durationMs: 1 });
  const said: FromPool = { kind: "calls", nonce: NONCE, first: 0, calls: [call] };
  let hear = () => {};
  // The machine says it again in the moment in which the first of the two files goes.
  const { fs, dispatcher, job, audited, told, permit } = await household((disk) => ({
    ...disk,
    async unlink(path) {
      await disk.unlink(path);
      const before = told.length;
      hear();
      await expect.poll(() => told.length).toBeGreaterThan(before);
    },
  }));
  await dispatcher.connect([POOL]);
  await permit();
  await createRecord(fs, NotedCalls, notedCallsPath(work.id, 1), { calls: 1 });
  hear = () => dispatcher.hear(POOL, job, said);
  await dispatcher.tick();
  expect(audited).toEqual([]);
  expect(await fs.list(PERMITS)).toEqual([]);
});

test("nothing that a machine said before it was let go is believed of the one that is invited again by its name", async () => {
  const { dispatcher, job, audited, told, claim, permit } = await household();
  const again: PoolRecord = { ...POOL, key: Buffer.alloc(32, 1).toString("base64") };
  await claim();
  await permit();
  await dispatcher.connect([POOL]);
  await dispatcher.tick();
  await dispatcher.connect([again]);
  dispatcher.hear(POOL, job, { kind: "lost", nonce: NONCE, calls: 0, death: "alone" });
  // It is answered behind the other.
  dispatcher.hear(again, job, { kind: "ask", nonce: "f".repeat(16), askedMs: 7 });
  const refusal: ToPool = { kind: "permit", nonce: "f".repeat(16), granted: false, askedMs: 7 };
  await expect.poll(() => told).toContainEqual(refusal);
  expect(audited).toEqual([]);
});

test("a machine that makes calls without an end fills no audit log: they are counted, and one line says so", async () => {
  const call = PoolCall.parse({ tool: "bash", requestId: "call_1", ok: true, durationMs: 1 });
  const { dispatcher, job, audited, told, permit, claim } = await household();
  await claim();
  await permit();
  await dispatcher.connect([POOL]);
  for (let first = 0; first < CALLS_NOTED_MAX + 3 * CALLS_MAX; first += CALLS_MAX) {
    dispatcher.hear(POOL, job, { kind: "calls", nonce: NONCE, first, calls: Array(CALLS_MAX).fill(call) });
    await expect.poll(() => told, { interval: 1 }).toContainEqual({ kind: "noted", calls: first + CALLS_MAX });
  }
  const events = audited.map(({ event }) => event);
  expect(events.filter((event) => event === "tool_call")).toHaveLength(CALLS_NOTED_MAX);
  expect(events.filter((event) => event !== "tool_call")).toEqual(["tool_calls_unlisted"]);
  await dispatcher.close();
});

test("a machine whose outcome waits for its tool calls to be noted is not silent", async () => {
  let atMs = 0;
  const { fs, dispatcher, job, told, claim, permit } = await household(undefined, () => atMs);
  await claim();
  await permit();
  await dispatcher.connect([POOL]);
  // Each step is less than half a lease, so that the dispatcher has not stood still; together they are more than two leases.
  for (; atMs <= 150_000; atMs += 25_000) {
    const before = told.length;
    await dispatcher.tick();
    dispatcher.hear(POOL, job, { kind: "ended", nonce: NONCE, calls: 1 });
    await expect.poll(() => told.slice(before)).toContainEqual({ kind: "noted", calls: 0 });
  }
  expect(await fs.list("worker/running")).toEqual([`${work.id}.a1.json`]);
});

test("a machine that asks for what another was given is refused: a power loss may have taken the claim for it", async () => {
  const { fs, dispatcher, job, told, claim } = await household();
  const other: PoolRecord = { ...POOL, name: "other" };
  await claim();
  await dispatcher.connect([POOL, other]);
  await dispatcher.tick();
  dispatcher.hear(other, job, { kind: "ask", nonce: NONCE, askedMs: 7 });
  await expect.poll(() => told).toEqual([{ kind: "permit", nonce: NONCE, granted: false, askedMs: 7 }]);
  expect(await fs.list(PERMITS)).toEqual([]);
});

test("a machine that asks for a claim which a power loss has torn is refused", async () => {
  const { fs, dispatcher, job, told, errors } = await household();
  await dispatcher.connect([POOL]);
  await fs.makeDir("worker/running");
  await fs.writeUnsynced(claimPath("worker", work.id, 1), "");
  dispatcher.hear(POOL, job, { kind: "ask", nonce: NONCE, askedMs: 7 });
  await expect.poll(() => told).toEqual([{ kind: "permit", nonce: NONCE, granted: false, askedMs: 7 }]);
  expect(errors).toEqual([]);
});

test("an outcome whose result a power loss has torn is not taken", async () => {
  const { fs, dispatcher, job, told, claim, permit } = await household();
  await claim();
  await permit();
  await dispatcher.connect([POOL]);
  await dispatcher.tick();
  await fs.makeDir("worker/results");
  await fs.writeUnsynced(resultPath("worker", work.id), "{");
  dispatcher.hear(POOL, job, { kind: "ended", nonce: NONCE, calls: 0 });
  // It is answered behind the other.
  dispatcher.hear(POOL, job, { kind: "ask", nonce: "f".repeat(16), askedMs: 7 });
  await expect.poll(() => told).toEqual([{ kind: "permit", nonce: "f".repeat(16), granted: false, askedMs: 7 }]);
});

test("what a machine had that was removed goes on elsewhere at once, though another one has its name by now", async () => {
  const { dispatcher, audited, claim, permit } = await household();
  const again: PoolRecord = { ...POOL, key: Buffer.alloc(32, 1).toString("base64"), at: "2026-11-22T11:59:00.000Z" };
  await claim(NOON);
  await permit();
  await dispatcher.connect([again]);
  await dispatcher.tick();
  await expect
    .poll(() => audited)
    .toMatchObject([
      { event: "task_cut_off", taskId: work.id, detail: { error: "gpu-box is no machine of this home any more" } },
    ]);
});

test("what a machine has that was invited once, in whichever version, stays with it", async () => {
  for (const invitedAt of [undefined, NOON]) {
    const { dispatcher, audited, claim, permit } = await household();
    await claim(invitedAt);
    await permit();
    await dispatcher.connect([POOL]);
    await dispatcher.tick();
    await dispatcher.tick();
    await dispatcher.close();
    expect(audited).toEqual([]);
  }
});
