/** Rows about jobs: Mimikit's tasks beside the jobs of queues. */
import { setTimeout as wait } from "node:timers/promises";
import { NO_USAGE } from "@mimikit/protocol/base/usage";
import { EFFECTS_MAX } from "@mimikit/protocol/records/effect";
import { Result } from "@mimikit/protocol/records/result";
import { createRecord } from "@mimikit/store/disk/record";
import { resultPath } from "@mimikit/store/disk/state";
import { sharedMs } from "../measure/clock.ts";
import { type Figures, latencies } from "../measure/figures.ts";
import { cpuMs } from "../measure/processes.ts";
import { bullmq } from "../queues/bullmq.ts";
import { graphile } from "../queues/graphile.ts";
import { jobId, jobTask, MimikitQueue, mimikit } from "../queues/mimikit.ts";
import type { Queue, QueueMaker } from "../queues/queue.ts";
import { sqlite } from "../queues/sqlite.ts";
import type { Contestant, Row } from "./row.ts";

const SEQUENTIAL = 150;
const WARM_UP = 10;
const OPEN_LOOP = 200;
const OPEN_LOOP_EVERY_MS = 20;
const DRAINED = 3_000;
const CONCURRENCY = 20;
const PLANNED = 100;
const PLANS = 5;

const peers = (): QueueMaker[] => [bullmq("always"), bullmq("everysec"), graphile(), sqlite()];

/** Opens the queue, measures, and closes it. */
function contestant(maker: QueueMaker, concurrency: number, measure: (queue: Queue) => Promise<Figures>): Contestant {
  return {
    name: maker.name,
    missing: maker.missing,
    async round() {
      const queue = await maker.open(concurrency);
      try {
        return await measure(queue);
      } finally {
        await queue.close();
      }
    },
  };
}

const dispatch: Row = {
  name: "dispatch",
  about: `${SEQUENTIAL} jobs one after the other, from the call that adds a job to its result, durable, in the process that has added it`,
  contestants: () =>
    [mimikit({ settles: false }), ...peers()].map((maker) => contestant(maker, CONCURRENCY, roundTrips)),
};

async function roundTrips(queue: Queue): Promise<Figures> {
  await queue.run();
  const times: number[] = [];
  for (let n = 0; n < WARM_UP + SEQUENTIAL; n++) {
    const done = queue.whenDone(jobId(n));
    const startMs = performance.now();
    await queue.add(jobId(n));
    await done;
    if (n >= WARM_UP) times.push(performance.now() - startMs);
  }
  return latencies("dispatch to result", times);
}

const pickUp: Row = {
  name: "pick-up",
  about: `a job every ${OPEN_LOOP_EVERY_MS} ms, from the call that adds it to its handler in the worker`,
  contestants: () => [mimikit({ settles: false }), ...peers()].map((maker) => contestant(maker, CONCURRENCY, pickUps)),
};

async function pickUps(queue: Queue): Promise<Figures> {
  await queue.run();
  const added: [id: string, atMs: number][] = [];
  const adding: Promise<void>[] = [];
  const startMs = performance.now();
  for (let n = 0; n < WARM_UP + OPEN_LOOP; n++) {
    const id = jobId(n);
    const done = queue.whenDone(id);
    added.push([id, sharedMs()]);
    adding.push(queue.add(id).then(() => done));
    await wait(Math.max(0, startMs + (n + 1) * OPEN_LOOP_EVERY_MS - performance.now()));
  }
  await Promise.all(adding);
  const starts = await queue.starts();
  const times = added.slice(WARM_UP).map(([id, atMs]) => (starts[id] ?? Number.NaN) - atMs);
  return latencies("pick-up", times);
}

const drain: Row = {
  name: "drain",
  about: `${DRAINED} jobs that wait, ${CONCURRENCY} at once, until the last is over; ours until it is in the archive, where the supervisor has put it`,
  contestants: () => [mimikit({ settles: true }), ...peers()].map((maker) => contestant(maker, CONCURRENCY, drained)),
};

async function drained(queue: Queue): Promise<Figures> {
  const ids = Array.from({ length: DRAINED }, (_, n) => jobId(n));
  const addedMs = performance.now();
  await queue.addMany(ids);
  const addMs = performance.now() - addedMs;
  const cpuBefore = cpuMs(queue.pids());
  const startMs = performance.now();
  await queue.run();
  await queue.whenOver(DRAINED);
  const ms = performance.now() - startMs;
  const ran = Object.keys(await queue.starts()).length;
  if (ran !== DRAINED) throw new Error(`${ran} of ${DRAINED} jobs were run`);
  return {
    "drained, jobs/s": DRAINED / (ms / 1_000),
    "CPU of worker and server, ms/job": (cpuMs(queue.pids()) - cpuBefore) / DRAINED,
    "added at once, jobs/s": DRAINED / (addMs / 1_000),
  };
}

const plan: Row = {
  name: "plan",
  about: `${PLANNED} jobs that belong together: ours from the result of plans that ask for them, through the supervisor, until the pool has all of them before it; of the others the call that adds them all`,
  contestants: () => [
    contestant(mimikit({ settles: true }), CONCURRENCY, plansSeen),
    ...peers().map((maker) => contestant(maker, CONCURRENCY, bulks)),
  ],
};

async function bulks(queue: Queue): Promise<Figures> {
  const times: number[] = [];
  for (let n = 0; n < PLANS; n++) {
    const ids = Array.from({ length: PLANNED }, (_, k) => jobId(n * PLANNED + k));
    const startMs = performance.now();
    await queue.addMany(ids);
    times.push(performance.now() - startMs);
  }
  return planFigures(times);
}

async function plansSeen(queue: Queue): Promise<Figures> {
  if (!(queue instanceof MimikitQueue)) throw new Error("this is Mimikit's own row");
  const times: number[] = [];
  for (let n = 0; n < PLANS; n++) {
    const startMs = performance.now();
    // A result has no more effects than that, so a plan of 100 is two.
    const parts = Math.ceil(PLANNED / EFFECTS_MAX);
    const made = Array.from({ length: parts }, (_, part) => publishPlan(queue, n * parts + part, PLANNED / parts));
    await Promise.all(made);
    await queue.pool.call("sees", (n + 1) * PLANNED);
    times.push(performance.now() - startMs);
  }
  return planFigures(times);
}

/** Publishes the result of a planner as the pool does. */
async function publishPlan({ disk }: MimikitQueue, n: number, count: number): Promise<void> {
  const task = jobTask(jobId(n));
  await createRecord(disk, Result, resultPath("planner", task.id), {
    id: task.id,
    task,
    status: "done",
    resultType: "plan",
    result: { tasks: Array.from({ length: count }, (_, k) => `${task.id}.${k}`) },
    effects: Array.from({ length: count }, (_, k) => ({
      type: "delegate" as const,
      title: `step ${k}`,
      prompt: "x".repeat(100),
    })),
    attempts: 1,
    completedAt: new Date().toISOString(),
    usage: NO_USAGE,
    provider: "bench",
  });
}

function planFigures(times: readonly number[]): Figures {
  const figures = latencies(`${PLANNED} jobs`, times);
  return { [`${PLANNED} jobs, p50, ms`]: figures[`${PLANNED} jobs, p50, ms`] ?? Number.NaN };
}

export const QUEUE_ROWS: readonly Row[] = [dispatch, pickUp, drain, plan];
