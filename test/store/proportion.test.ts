/** The reads of a tick, counted: the same however much waits. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { NO_SPENDING } from "@mimikit/core/base/budget";
import { MEMORY_BOUNDS } from "@mimikit/core/base/memory-bounds";
import { byRole } from "@mimikit/protocol/base/kind";
import { NO_USAGE } from "@mimikit/protocol/base/usage";
import type { AuditEvent } from "@mimikit/protocol/records/audit";
import { Message } from "@mimikit/protocol/records/inbox";
import { createRecord } from "@mimikit/store/disk/record";
import { inboxPath } from "@mimikit/store/disk/state";
import { expect, test } from "vitest";
import { MemoryWatch } from "../../apps/supervisor/src/observe/memory-watch.ts";
import { Supervisor } from "../../apps/supervisor/src/supervisor.ts";
import { Pool } from "../../apps/worker-pool/src/pool.ts";
import { dependentOn, message, NOON, NOON_MS, recurring, scheduled, task } from "../core/facts.ts";
import { temporaryState } from "./home.ts";

/** Records that wait: few, and many. */
const SIZES = [20, 400] as const;
/** With many, a look may take so many entries more out of maps than with few: fewer than there are more. */
const MORE_MAX = 40;
const LATER = new Date(NOON_MS + 86_400_000).toISOString();
const ALIVE = { pid: 1, startTime: "1", bootId: "b" };

type Home = ReturnType<typeof temporaryState>;

/** The waiting records of a home, by their reason: its files. */
const WAITING: Record<string, (n: number) => [path: string, record: object][]> = {
  "tasks that wait for their turn": (n) => [[`worker/queue/${idOf(n)}.json`, task(idOf(n))]],
  "tasks that wait for their retry": (n) => [
    [`worker/queue/${idOf(n)}.json`, task(idOf(n))],
    [`worker/running/${idOf(n)}.a1.json`, { id: idOf(n), attempt: 1, owner: ALIVE, at: NOON }],
    [`worker/running/${idOf(n)}.a1.failed.json`, failureOf(idOf(n))],
  ],
  "links of a chain": (n) => [
    [`triggers/${idOf(n)}.v1.json`, dependentOn(task(idOf(n)), { type: "task_done", params: { taskId: idOf(n - 1) } })],
    ...(n === 1 ? ([[`worker/queue/${idOf(0)}.json`, task(idOf(0))]] as [string, object][]) : []),
  ],
  "triggers that are not due": (n) => [
    [
      `triggers/trg-${n}.v1.json`,
      n % 2 === 0 ? scheduled(`trg-${n}`, { runAt: LATER }) : recurring(`trg-${n}`, { schedule: { interval: 86_400 } }),
    ],
  ],
};

function idOf(n: number): string {
  return `t-000001.0.${n}`;
}

function failureOf(id: string) {
  const failure = { failureReason: "error", error: "exit 1", retryable: true, usage: NO_USAGE };
  return { id, attempt: 1, at: NOON, retryAt: LATER, ...failure };
}

function supervisorOf({ fs }: Home): Supervisor {
  const nowMs = () => NOON_MS;
  return new Supervisor({
    fs,
    token: "token",
    nowMs,
    isAlive: () => true,
    lock: (_path, work) => work(),
    audit: () => {},
    onError: (error) => {
      throw error;
    },
    restart: async () => {},
    rereadMs: 3_600_000,
    world: {
      stampsOf: async () => new Map(),
      timeZone: "UTC",
      selfImprove: () => ({ isEnabled: false, lacks: null, idleSec: 300, limit: {}, startedMs: 0 }),
      memory: new MemoryWatch({ fs, bounds: MEMORY_BOUNDS, nowMs, canSummarize: () => true }),
      spending: () => ({ ceiling: null, spentByTrigger: () => NO_SPENDING }),
    },
  });
}

/** @param onAudit hears of what the pool has done. */
function poolOf({ fs }: Home, onAudit: (event: AuditEvent) => void): Pool {
  return new Pool({
    fs,
    token: "token",
    identity: { ...ALIVE, pid: 2 },
    isAlive: () => true,
    excuseOf: () => null,
    nowMs: () => NOON_MS,
    limits: () => ({ concurrency: { ...byRole(() => 1), worker: 2 }, retryDelaySec: 60 }),
    admit: ([first]) => (first?.task.role === "teller" ? [first] : []),
    allot: (candidates) => [...candidates],
    run: async () => ({
      status: "done",
      resultType: "turn",
      result: {},
      retryable: false,
      effects: [{ type: "reply", text: "hi" }],
      steers: [],
      usage: NO_USAGE,
      provider: "test",
    }),
    endEarlier: async () => {},
    onRoom: () => {},
    audit: onAudit,
    onError: (error) => {
      throw error;
    },
    pause: async () => {},
  });
}

/** How many entries are taken out of maps while something is done, one by one. */
async function entriesTaken(work: () => Promise<unknown>): Promise<number> {
  const { entries, keys, values } = Map.prototype;
  let taken = 0;
  function counted<T>(iterate: (this: Map<unknown, unknown>) => Iterable<T>) {
    return function* (this: Map<unknown, unknown>) {
      for (const each of iterate.call(this)) {
        taken++;
        yield each;
      }
    };
  }
  const originals = { entries, keys, values, [Symbol.iterator]: entries };
  Object.assign(Map.prototype, {
    entries: counted(entries),
    keys: counted(keys),
    values: counted(values),
    [Symbol.iterator]: counted(entries),
  });
  try {
    await work();
  } finally {
    Object.assign(Map.prototype, originals);
  }
  return taken;
}

/** One message, from its record to its reply in the archive. */
async function answered({ fs }: Home, supervisor: Supervisor, pool: Pool, isPublished: Promise<void>): Promise<void> {
  await createRecord(fs, Message, inboxPath("m-1"), message("m-1"));
  await supervisor.tick();
  await pool.tick();
  await isPublished;
  for (let ticks = 0; ticks < 3; ticks++) await supervisor.tick();
  await pool.tick();
}

test.each(Object.entries(WAITING))("%s cost a tick nothing, however many they are", async (_what, filesOf) => {
  const costs: { idle: number; hello: number }[] = [];
  for (const size of SIZES) {
    const home = temporaryState();
    for (let n = 1; n <= size; n++)
      for (const [path, record] of filesOf(n)) writeFileSync(join(home.home, path), JSON.stringify(record));
    const { promise: isPublished, resolve } = Promise.withResolvers<void>();
    const supervisor = supervisorOf(home);
    const pool = poolOf(home, ({ event }) => event === "task_done" && resolve());
    await supervisor.load();
    await pool.load();
    const look = async () => {
      await supervisor.tick();
      await pool.tick();
    };
    // Before the second look nobody is dead, and each directory is listed once more.
    for (let looks = 0; looks < 3; looks++) await look();
    const idle = await entriesTaken(look);
    const hello = await entriesTaken(() => answered(home, supervisor, pool, isPublished));
    expect(supervisor.cache.archiveIndex.has("t-000001")).toBe(true);
    await pool.drain();
    costs.push({ idle, hello });
  }
  const [few, many] = costs;
  expect(many?.idle).toBeLessThanOrEqual((few?.idle ?? 0) + MORE_MAX);
  expect(many?.hello).toBeLessThanOrEqual((few?.hello ?? 0) + MORE_MAX);
});
