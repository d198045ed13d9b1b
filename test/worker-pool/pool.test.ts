import type { Outcome } from "@mimikit/agent/run/run-task";
import { byRole } from "@mimikit/protocol/base/kind";
import { Signal } from "@mimikit/protocol/base/signal";
import { NO_USAGE } from "@mimikit/protocol/base/usage";
import { Task } from "@mimikit/protocol/records/task";
import { createRecord } from "@mimikit/store/disk/record";
import { queuePath, resultPath, signalPath } from "@mimikit/store/disk/state";
import { expect, test } from "vitest";
import { Pool, type PoolOptions } from "../../apps/worker-pool/src/pool.ts";
import { NOON_MS, task } from "../core/facts.ts";
import { temporaryState } from "../store/home.ts";

const DONE: Outcome = {
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
function poolWith(part: Pick<PoolOptions, "fs" | "run">): Pool {
  return new Pool({
    token: "token",
    identity: { pid: 1, startTime: "1", bootId: "b" },
    isAlive: () => true,
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
