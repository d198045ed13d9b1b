import type { RunOutcome } from "@mimikit/agent/run/run-task";
import { byRole } from "@mimikit/protocol/base/kind";
import { Signal } from "@mimikit/protocol/base/signal";
import { NO_USAGE } from "@mimikit/protocol/base/usage";
import { Claim, type Death, FailedAttempt, type Identity, Joined } from "@mimikit/protocol/records/claim";
import { Task } from "@mimikit/protocol/records/task";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { createRecord } from "@mimikit/store/disk/record";
import { claimPath, failedAttemptPath, joinedPath, queuePath, resultPath, signalPath } from "@mimikit/store/disk/state";
import { expect, test } from "vitest";
import { Pool, type PoolOptions } from "../../apps/worker-pool/src/pool.ts";
import { NOON, NOON_MS, task } from "../core/facts.ts";
import { temporaryState } from "../store/home.ts";

const DONE: RunOutcome = {
  status: "done",
  resultType: "text",
  result: { text: "output" },
  retryable: false,
  effects: [],
  steers: [],
  usage: NO_USAGE,
  provider: "test",
};

/** A pool that does nothing but what a test says. */
function poolWith(part: Pick<PoolOptions, "fs" | "run"> & Partial<PoolOptions>): Pool {
  return new Pool({
    token: "token",
    identity: { pid: 1, startTime: "1", bootId: "b" },
    isAlive: () => true,
    excuseOf: () => null,
    nowMs: () => NOON_MS,
    limits: () => ({ concurrency: { ...byRole(() => 1), worker: 2 }, retryDelaySec: 60 }),
    admit: (candidates) => [...candidates],
    allot: (candidates) => [...candidates],
    endEarlier: async () => {},
    onRoom: () => {},
    audit: () => {},
    onError: () => {},
    pause: async () => {},
    ...part,
  });
}

test("a tick ends only when all its claims have, also when one of them fails: the next one counts what runs", async () => {
  const { fs } = temporaryState();
  for (const id of ["t-000001.0.0", "t-000001.0.1"]) await createRecord(fs, Task, queuePath("worker", id), task(id));
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const started: string[] = [];
  const pool = poolWith({
    fs: {
      ...fs,
      async link(from, to) {
        if (to.endsWith("t-000001.0.0.a1.json"))
          throw Object.assign(new Error("too many open files"), { code: "EMFILE" });
        if (to.endsWith("t-000001.0.1.a1.json")) await gate;
        return fs.link(from, to);
      },
    },
    run: async ({ task: { id } }) => {
      started.push(id);
      return DONE;
    },
  });
  await pool.load();
  let hasEnded = false;
  const tick = pool.tick().finally(() => {
    hasEnded = true;
  });
  const failure = expect(tick).rejects.toThrow("too many open files");
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  expect(hasEnded).toBe(false);
  open();
  await failure;
  expect(started).toEqual(["t-000001.0.1"]);
  await pool.drain();
});

test("what was said to a task before its run began reaches the run in the order in which it was said", async () => {
  const { fs } = temporaryState();
  const taskId = "t-000001.0.0";
  await createRecord(fs, Task, queuePath("worker", taskId), task(taskId));
  for (const nth of [3, 1, 4, 0, 2]) {
    const id = `s-${(nth * 7) % 5}`;
    const at = new Date(NOON_MS + nth).toISOString();
    await createRecord(fs, Signal, signalPath(id), { id, at, text: `words ${nth}`, taskId });
  }
  const heard: string[] = [];
  const pool = poolWith({
    fs,
    run: async (_, steering) => {
      heard.push(...steering.take().map(({ text }) => text));
      return DONE;
    },
  });
  await pool.load();
  await pool.tick();
  await pool.drain();
  expect(heard).toEqual([0, 1, 2, 3, 4].map((nth) => `words ${nth}`));
});

test("a task that has ended leaves its claim and its outcome, and no record of an interruption", async () => {
  const { fs } = temporaryState();
  const id = "t-000001.0.0";
  await createRecord(fs, Task, queuePath("worker", id), task(id));
  const pool = poolWith({ fs, run: async () => DONE });
  await pool.load();
  await pool.tick();
  await pool.drain();
  // The supervisor has not taken the outcome yet, and then has, but not the claim.
  await pool.tick();
  await fs.unlink(resultPath("worker", id));
  await pool.tick();
  expect(await fs.list("worker/running")).toEqual([`${id}.a1.json`]);
});

test("a claim that a disk error has kept from being run is handed back", async () => {
  const { fs } = temporaryState();
  const id = "t-000001.0.0";
  await createRecord(fs, Task, queuePath("worker", id), task(id, { onInterrupt: "fail" }));
  let isBroken = true;
  const pool = poolWith({
    fs: {
      ...fs,
      async syncDir(dir) {
        if (dir === "worker/running" && isBroken) throw Object.assign(new Error("broken"), { code: "EIO" });
        return fs.syncDir(dir);
      },
    },
    run: async () => DONE,
  });
  await pool.load();
  await expect(pool.tick()).rejects.toThrow("broken");
  isBroken = false;
  await pool.tick();
  expect(await fs.list("worker/running")).toEqual(expect.arrayContaining([`${id}.a1.json`, `${id}.a1.failed.json`]));
});

const OWNER: Identity = { pid: 7, startTime: "7", bootId: "b" };

/** A task whose pool died in attempts that were claimed so, each with the death that is recorded of it; `null`: none yet. */
async function diedIn(
  fs: FileSystem,
  of: Task,
  attempts: readonly { alone?: true; joined?: true; death: Death | null }[],
): Promise<void> {
  const { id, role } = of;
  await createRecord(fs, Task, queuePath(role, id), of);
  for (const [i, { alone, joined, death }] of attempts.entries()) {
    const attempt = i + 1;
    const claim = { id, attempt, owner: OWNER, at: NOON, ...(alone && { alone }) };
    await createRecord(fs, Claim, claimPath(role, id, attempt), claim);
    if (joined) await createRecord(fs, Joined, joinedPath(role, id, attempt), { id, attempt, at: NOON });
    const end = { id, attempt, failureReason: "interrupted", error: "", at: NOON, retryAt: NOON } as const;
    if (death !== null) await createRecord(fs, FailedAttempt, failedAttemptPath(role, id, attempt), { ...end, death });
  }
}

const deathOn = async (fs: FileSystem, id: string, attempt: number) =>
  JSON.parse((await fs.readText(failedAttemptPath("worker", id, attempt), 10_000)) ?? "null")?.death;

test("how the pool before died is recorded before anything is claimed, once for each attempt, and stays what it is", async () => {
  const { fs } = temporaryState();
  const [a, b, c] = ["t-000001.0.0", "t-000001.0.1", "t-000001.0.2"] as const;
  await diedIn(fs, task(a), [{ death: null }]);
  await diedIn(fs, task(b), [{ death: "reboot" }, { death: "shared" }, { alone: true, death: null }]);
  await diedIn(fs, task(c), [{ alone: true, joined: true, death: null }]);
  const isAlive = ({ pid }: Identity) => pid !== OWNER.pid;
  const pool = poolWith({ fs, run: async () => DONE, isAlive });
  await pool.load();
  expect([await deathOn(fs, a, 1), await deathOn(fs, b, 3), await deathOn(fs, c, 1)]).toEqual([
    "shared",
    "alone",
    "shared",
  ]);
  // The next pool may find other evidence.
  const next = poolWith({ fs, run: async () => DONE, isAlive, excuseOf: () => "role" });
  await next.load();
  expect([await deathOn(fs, a, 1), await deathOn(fs, b, 1)]).toEqual(["shared", "reboot"]);
});

test("an attempt that ended long ago, and that the supervisor removes at this moment, is no death of its pool", async () => {
  const { fs } = temporaryState();
  const work = task("t-000001.0.0");
  const [claim, end] = [claimPath("worker", work.id, 2), failedAttemptPath("worker", work.id, 2)];
  await diedIn(fs, work, [{ death: "reboot" }, { alone: true, death: "shared" }]);
  const before = await fs.read(claim, 10_000);
  const recorded: string[] = [];
  const pool = poolWith({
    fs: {
      ...fs,
      // The claim was read before it went, which in the order of the supervisor is before its end goes.
      async read(path, bytesMax) {
        if (path === claim) return before;
        if (path === end) for (const each of [claim, end]) await fs.unlink(each);
        return fs.read(path, bytesMax);
      },
    },
    run: async () => DONE,
    isAlive: ({ pid }) => pid !== OWNER.pid,
    audit: ({ event }) => recorded.push(event),
  });
  await pool.load();
  expect(recorded).toEqual([]);
  expect((await fs.list("worker/running")).filter((name) => name.includes(".a2."))).toEqual([]);
});

test("a pool that has not heard how an earlier attempt ended looks there before it begins the next", async () => {
  const { fs } = temporaryState();
  const work = task("t-000001.0.0");
  const begun: unknown[] = [];
  const pool = poolWith({
    fs,
    run: async ({ attempt, outages }) => {
      begun.push([attempt, outages.map((outage) => outage.attempt)]);
      return DONE;
    },
  });
  await pool.load();
  await createRecord(fs, Task, queuePath("worker", work.id), work);
  const end = { id: work.id, failureReason: "provider", error: "", at: NOON, retryAt: NOON, outage: true } as const;
  for (const attempt of [1, 7])
    await createRecord(fs, FailedAttempt, failedAttemptPath("worker", work.id, attempt), { ...end, attempt });
  pool.hear("worker/queue", `${work.id}.json`);
  pool.hear("worker/running", `${work.id}.a7.failed.json`);
  await pool.tick("heard");
  const isClaimed = await fs.exists(claimPath("worker", work.id, 8));
  await pool.tick("heard");
  await pool.drain();
  expect(isClaimed).toBe(false);
  expect(begun).toEqual([[8, [1, 7]]]);
});

test("a suspect runs alone, and its claim says so; of a turn that begins beside it a record tells first", async () => {
  const { fs } = temporaryState();
  const [suspect, other, said] = ["t-000001.0.0", "t-000001.0.1", "t-000002"] as const;
  await diedIn(fs, task(suspect), [{ death: "shared" }, { death: "shared" }]);
  await createRecord(fs, Task, queuePath("worker", other), task(other, { priority: 10 }));
  const started: string[] = [];
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const pool = poolWith({
    fs,
    isAlive: ({ pid }) => pid !== OWNER.pid,
    run: async ({ task: { id } }) => {
      started.push(id);
      if (id === said) expect(await fs.exists(joinedPath("worker", suspect, 3))).toBe(true);
      await ended;
      return DONE;
    },
  });
  await pool.load();
  await pool.tick();
  await pool.tick();
  expect(started).toEqual([suspect]);
  const claim = JSON.parse((await fs.readText(claimPath("worker", suspect, 3), 10_000)) ?? "null");
  expect(claim).toMatchObject({ alone: true });
  expect(await fs.exists(joinedPath("worker", suspect, 3))).toBe(false);
  await createRecord(fs, Task, queuePath("teller", said), task(said));
  await pool.tick();
  await expect.poll(() => started).toEqual([suspect, said]);
  end();
  await pool.drain();
});
