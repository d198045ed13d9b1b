/** `noop-pool.ts HOME CONCURRENCY`: the pool of the product in a process of its own, whose runs do nothing. */
import { setTimeout as wait } from "node:timers/promises";
import type { RunOutcome } from "@mimikit/agent/run/run-task";
import { byRole } from "@mimikit/protocol/base/kind";
import { NO_USAGE } from "@mimikit/protocol/base/usage";
import { readToken } from "@mimikit/runtime/home/home";
import { isAlive, ownIdentity } from "@mimikit/runtime/process/identity";
import { runLoop } from "@mimikit/runtime/process/loop";
import { openDisk } from "@mimikit/store/disk/disk";
import { WATCHED, watchState } from "@mimikit/store/disk/watch";
import { Pool } from "../../../apps/worker-pool/src/pool.ts";
import { serve } from "./serve.ts";
import { Tally } from "./tally.ts";

/** As in the product. */
const TICK_MS = 1_000;
const REREAD_MS = 30_000;
const LOOK_EVERY_MS = 1;

const [home = "", concurrency] = process.argv.slice(2);
const tally = new Tally();
let isRunning = false;

const DONE: RunOutcome = {
  status: "done",
  resultType: "plan",
  result: { tasks: [] },
  retryable: false,
  effects: [],
  steers: [],
  usage: NO_USAGE,
  provider: "bench",
};

const identity = ownIdentity();
const pool = new Pool({
  fs: openDisk(home, `workers-${identity.pid}-${identity.startTime}`),
  token: readToken(home),
  identity,
  isAlive,
  excuseOf: () => "unknown",
  nowMs: () => Date.now(),
  limits: () => ({
    concurrency: byRole((role) => (isRunning && role === "planner" ? Number(concurrency) : 0)),
    retryDelaySec: 60,
  }),
  admit: (candidates) => [...candidates],
  allot: (candidates) => [...candidates],
  run: async ({ task }) => {
    tally.begin(task.id);
    return DONE;
  },
  endEarlier: async () => {},
  onRoom: () => loop.nudge(),
  audit: () => {},
  onError: (error) => process.stderr.write(`${String(error)}\n`),
  pause: (ms) => wait(ms),
});
await pool.load();

let rereadAtMs = 0;
let lookedAtMs = Number.NEGATIVE_INFINITY;
const loop = runLoop({
  tickMs: TICK_MS,
  tick: () => {
    const nowMs = performance.now();
    const isFull = nowMs >= rereadAtMs;
    const looksAtAll = isFull || nowMs - lookedAtMs >= TICK_MS;
    if (isFull) rereadAtMs = nowMs + REREAD_MS;
    if (looksAtAll) lookedAtMs = nowMs;
    return pool.tick(isFull ? "full" : looksAtAll ? "all" : "heard");
  },
  onError: (error) => process.stderr.write(`${String(error)}\n`),
});
watchState(home, WATCHED.workers, {
  onChange: (dir, name) => {
    pool.hear(dir, name);
    loop.nudge();
  },
  onReplaced: () => undefined,
  onProblem: (error) => process.stderr.write(`${String(error)}\n`),
});

serve({
  run() {
    isRunning = true;
    loop.nudge();
  },
  starts: () => tally.starts(),
  /** Resolves when the pool has so many tasks of Workers before it. */
  async sees(count) {
    while ([...pool.cache.queue.values()].filter(({ role }) => role === "worker").length < Number(count))
      await wait(LOOK_EVERY_MS);
  },
});
