/** Rows about what waits: a turn beside many open tasks, and an idle instance beside many triggers. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Claim, FailedAttempt } from "@mimikit/protocol/records/claim";
import { blankTask, Task } from "@mimikit/protocol/records/task";
import { NO_DECISION, Recurring } from "@mimikit/protocol/records/trigger";
import { prepareHome } from "@mimikit/runtime/home/home";
import { claimPath, failedAttemptPath, queuePath, triggerPath } from "@mimikit/store/disk/state";
import type { Instance } from "../../../test/support/instance.ts";
import { type Figures, latencies } from "../measure/figures.ts";
import { Live } from "../measure/live.ts";
import { cpuMs } from "../measure/processes.ts";
import { instance, pidsOf } from "./instances.ts";
import type { Row } from "./row.ts";

const WARM_UP = 5;
const TURNS = 20;
const DAY_MS = 86_400_000;
/** The first look at everything, and the views that are written every five seconds, are over by then. */
const QUIET_AFTER_MS = 8_000;
/** Some rounds of all that is looked at without being asked. */
const IDLE_MS = 12_000;

const open: Row = {
  name: "open",
  about: `${TURNS} times "hello" while tasks are open that wait for their second attempt, beside the same without any`,
  contestants: ({ open: count }) =>
    [count, 0].map((tasks) =>
      instance(
        `${tasks.toLocaleString("en")} open`,
        () => ({ prepare: async (home) => writeTasks(home, tasks) }),
        turns,
      ),
    ),
};

async function turns(mimikit: Instance): Promise<Figures> {
  const live = await Live.connect(mimikit);
  const [accepted, replied]: [number[], number[]] = [[], []];
  let cpuBefore = 0;
  for (let n = 0; n < WARM_UP + TURNS; n++) {
    if (n === WARM_UP) cpuBefore = cpuMs(pidsOf(mimikit));
    const startMs = performance.now();
    const id = await mimikit.send("hello");
    const acceptedMs = performance.now() - startMs;
    await live.replied(id);
    if (n < WARM_UP) continue;
    accepted.push(acceptedMs);
    replied.push(performance.now() - startMs);
  }
  const cpu = (cpuMs(pidsOf(mimikit)) - cpuBefore) / TURNS;
  live.close();
  return { "CPU a turn, ms": cpu, ...latencies("to 202", accepted), ...latencies("to the reply", replied) };
}

/** Tasks whose first attempt has failed, and whose second is due in a day. */
function writeTasks(home: string, count: number): void {
  prepareHome(home);
  const at = new Date().toISOString();
  const retryAt = new Date(Date.now() + DAY_MS).toISOString();
  for (let n = 0; n < count; n++) {
    const id = `waiting-${n}`;
    const task = { ...blankTask("work"), id, title: `task ${n}`, prompt: "x".repeat(100), priority: 5, createdAt: at };
    write(home, queuePath("worker", id), Task.parse({ ...task, traceId: id }));
    const owner = { pid: 1, startTime: "0", bootId: "an earlier one" };
    write(home, claimPath("worker", id, 1), Claim.parse({ id, attempt: 1, owner, at }));
    const failed = { id, attempt: 1, failureReason: "error", error: "it did not work", at, retryAt };
    write(home, failedAttemptPath("worker", id, 1), FailedAttempt.parse(failed));
  }
}

const idle: Row = {
  name: "idle",
  about: `what three processes take of one processor while nothing happens, over ${IDLE_MS / 1_000} s: beside many triggers that are not due, and without any`,
  contestants: ({ open: count }) =>
    [count, 0].map((triggers) =>
      instance(
        `${triggers.toLocaleString("en")} triggers`,
        () => ({ prepare: async (home) => writeTriggers(home, triggers) }),
        async (mimikit) => {
          await wait(QUIET_AFTER_MS);
          const before = cpuMs(pidsOf(mimikit));
          await wait(IDLE_MS);
          return { "idle, % of a processor": (100 * (cpuMs(pidsOf(mimikit)) - before)) / IDLE_MS };
        },
      ),
    ),
};

/** Triggers that fire on the first of January, each an hour of its own. */
function writeTriggers(home: string, count: number): void {
  prepareHome(home);
  const at = new Date().toISOString();
  for (let n = 0; n < count; n++) {
    const id = `trg-${n}`;
    const trigger = {
      id,
      version: 1,
      type: "recurring",
      createdAt: at,
      title: `trigger ${n}`,
      prompt: "say that it is January",
      target: "worker",
      priority: 5,
      timeoutSec: null,
      onInterrupt: "rerun",
      traceId: id,
      depth: 0,
      paused: false,
      applied: [],
      decision: NO_DECISION,
      recent: [],
      schedule: { cron: `${n % 60} ${n % 24} 1 1 *`, timezone: "UTC" },
      missed: "none",
      last: at,
    };
    write(home, triggerPath(id, 1), Recurring.parse(trigger));
  }
}

function write(home: string, path: string, record: unknown): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), `${JSON.stringify(record)}\n`, { mode: 0o600 });
}

export const TRIGGER_ROWS: readonly Row[] = [open, idle];
