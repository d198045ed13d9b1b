import type { Outcome } from "@mimikit/agent/run-task";
import { Task } from "@mimikit/protocol/task";
import { NO_USAGE } from "@mimikit/protocol/usage";
import { createRecord } from "@mimikit/store/record";
import { queuePath } from "@mimikit/store/state";
import { expect, test } from "vitest";
import { Pool } from "../../apps/worker-pool/src/pool.ts";
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

test("a tick ends only when all its claims have, also when one of them fails: the next one counts what runs", async () => {
  const { fs } = temporaryState();
  for (const id of ["t-000001.0.0", "t-000001.0.1"]) await createRecord(fs, Task, queuePath("worker", id), task(id));
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const started: string[] = [];
  const pool = new Pool({
    fs: {
      ...fs,
      async link(from, to) {
        if (to.endsWith("t-000001.0.0.a1.json"))
          throw Object.assign(new Error("too many open files"), { code: "EMFILE" });
        if (to.endsWith("t-000001.0.1.a1.json")) await gate;
        return fs.link(from, to);
      },
    },
    token: "token",
    identity: { pid: 1, startTime: "1", bootId: "b" },
    isAlive: () => true,
    nowMs: () => NOON_MS,
    limits: () => ({ concurrency: { teller: 1, planner: 1, worker: 2 }, retryDelaySec: 60 }),
    admit: (candidates) => [...candidates],
    run: async ({ task: { id } }) => {
      started.push(id);
      return DONE;
    },
    endEarlier: async () => {},
    audit: () => {},
    onError: () => {},
    pause: async () => {},
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
