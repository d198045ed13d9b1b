/** The processes of a simulated home that has its work done on other machines: the real supervisor, worker pool and dispatcher. */
import type { RunOutcome } from "@mimikit/agent/run/run-task";
import { cancelMark, childId } from "@mimikit/protocol/base/id";
import { byRole } from "@mimikit/protocol/base/kind";
import { NO_USAGE } from "@mimikit/protocol/base/usage";
import { POOLS_PROTOCOL, type PoolJob } from "@mimikit/protocol/pools/messages";
import { PoolRecord } from "@mimikit/protocol/pools/pool";
import type { Effect } from "@mimikit/protocol/records/effect";
import { isForPool, type Task } from "@mimikit/protocol/records/task";
import { createPool, homeIdentity, readPools, removePool } from "@mimikit/runtime/pools/registry";
import { createSigned } from "@mimikit/store/disk/create-command";
import { readRecord } from "@mimikit/store/disk/record";
import { archivePath, PERMITS, POOLS, poolPath, queueOf, SIGNALS } from "@mimikit/store/disk/state";
import { WATCHED } from "@mimikit/store/disk/watch";
import { PendingChanges } from "@mimikit/store/state-cache/pending-changes";
import { StateCache } from "@mimikit/store/state-cache/state-cache";
import type { Allotted } from "../../../apps/worker-pool/src/claim/allot.ts";
import { keepClaim } from "../../../apps/worker-pool/src/claim/claim.ts";
import { loadOf, placeAway } from "../../../apps/worker-pool/src/claim/place-away.ts";
import { Dispatcher } from "../../../apps/worker-pool/src/dispatcher/dispatcher.ts";
import { lineOnce } from "../../../apps/worker-pool/src/dispatcher/line-once.ts";
import { openPoolConnection } from "../../../apps/worker-pool/src/dispatcher/pool-connection.ts";
import { Pool } from "../../../apps/worker-pool/src/pool.ts";
import { loading, type Outside, TOKEN, tolerating } from "../outside.ts";
import { below } from "../random.ts";
import { answerQuestion, isNoticed, questionsOn } from "../scenario.ts";
import type { Environment, Program, World } from "../world.ts";
import type { Engine } from "./engine.ts";
import { LEASE_MS, type Machine, SLOTS } from "./machine.ts";
import { Timers } from "./timers.ts";
import type { Witness } from "./witness.ts";

const CONCURRENCY = { ...byRole(() => 1), worker: 2 };
const RETRY_DELAY_SEC = 2;
const LOOK_AT_ALL_CHANCE = 0.3;
const RUN_STEPS = 6;
/** The label of every machine. */
const LABEL = "gpu";
/** Cancels, steers, and machines that are let go, in one run, at most. */
const CANCELS = 4;
const STEERS = 6;
const REMOVALS = 2;
/** Turns of its own for which the dispatcher of a restored home begins late, at most. */
const LATE_TURNS_MAX = 120;
/** The owner of runs on machines, for the budgets: no process here. */
const AWAY = {};

export interface Home {
  outside: Outside;
  witness: Witness;
  engine: Engine;
  machines: readonly Machine[];
  /** Messages name machines, of which one may be let go. */
  removes: boolean;
  restores: boolean;
}

/** Invites each machine, says things to what runs there, cancels, lets a machine go, and restores the home from a backup. */
export function owner(home: Home): Program {
  const { outside, witness, machines } = home;
  let cancels = 0;
  let steers = 0;
  let removals = 0;
  let restores = home.restores ? 1 : 0;
  const letGo = new Map<string, number>();
  return async (environment) => {
    const { fs, world, rest, nowMs, step } = environment;
    const at = () => new Date(nowMs()).toISOString();
    const invite = async (of: Machine) => {
      const { name } = of;
      if ((letGo.get(name) ?? 0) > world.uptimeMs && !world.isCalm) return;
      const { id } = await homeIdentity(fs);
      await createPool(fs, { name, labels: [LABEL], slots: SLOTS }, nowMs());
      const record = await readRecord(fs, PoolRecord, poolPath(name));
      if (record !== null && of.joined?.key !== record.key) of.joined = { home: id, key: record.key };
    };
    for (;;) {
      for (const each of machines)
        if (each.joined === undefined || !world.disk.read(poolPath(each.name))?.includes(each.joined.key))
          await tolerating(environment, () => invite(each));
      const serial = world.counts.steps;
      const dice = await step(() => {
        // Work that is under way may wait for a lease.
        if (world.disk.names(queueOf("worker")).length > 0) world.quiet = 0;
        return world.random();
      });
      const open = [...witness.tasks].filter((id) => world.disk.info(archivePath(id)) === null);
      const task = open[below(world.random, open.length)];
      const isCancelled = (id: string) =>
        world.disk.info(archivePath(cancelMark(id))) !== null || world.disk.info(`inbox/c-${id}.json`) !== null;
      const endless = world.isCalm ? open.find((id) => witness.endless.has(id) && !isCancelled(id)) : undefined;
      const asked = questionsOn(world).find((each) => isNoticed(each, world));
      await tolerating(environment, async () => {
        if (asked !== undefined && dice < 0.3) return answerQuestion(asked, serial, environment, outside);
        if (endless !== undefined || (task !== undefined && dice > 0.99 && cancels < CANCELS)) {
          cancels++;
          const taskId = endless ?? task ?? "";
          const id = `c-${taskId}`;
          await createSigned(fs, TOKEN, { kind: "cancel", id, at: at(), taskId });
          outside.commands.add(id);
        } else if (task !== undefined && dice > 0.97 && steers < STEERS) {
          steers++;
          const id = `s-${serial}`;
          await createSigned(fs, TOKEN, { kind: "steer", id, at: at(), text: `rather ${serial}`, taskId: task });
          outside.steers.add(id);
          outside.commands.add(id);
        } else if (home.removes && dice > 0.966 && removals < REMOVALS && !world.isCalm && task !== undefined) {
          removals++;
          const name = machines[below(world.random, machines.length)]?.name ?? "";
          witness.letGoMs.set(name, Number.POSITIVE_INFINITY);
          letGo.set(name, world.uptimeMs + below(world.random, 2 * LEASE_MS));
          await removePool(fs, name);
        } else if (restores > 0 && dice > 0.964 && witness.executions.length > 0 && !world.isCalm) {
          restores--;
          await step(() => restore(world, witness));
        } else await rest();
      });
    }
  };
}

/**
 * A backup has all but the machines: what is restored from it is another home to them. The dispatcher may begin only when they have been
 * invited again.
 */
export function restore(world: World, witness: Witness): void {
  const { disk } = world;
  for (const dir of [PERMITS, POOLS]) {
    for (const name of disk.names(dir)) if (name.endsWith(".json")) disk.unlink(`${dir}/${name}`);
    disk.syncDir(dir);
  }
  witness.newLife();
  world.restart();
  for (const process of world.processes)
    if (process.kind === "dispatcher") process.paused = below(world.random, LATE_TURNS_MAX);
}

/** The worker pool of the home: it claims for the machines, and runs what stays here. */
export function workers({ outside, machines }: Home): Program {
  return async (environment) => {
    const { world, process, fs, nowMs, isAlive, excuseOf, rest } = environment;
    const usageLog = outside.purse?.open();
    const context: Pool = new Pool({
      fs,
      token: TOKEN,
      identity: process.identity,
      isAlive,
      excuseOf,
      nowMs,
      limits: () => ({ concurrency: CONCURRENCY, retryDelaySec: RETRY_DELAY_SEC }),
      admit: (candidates) => [...candidates],
      allot: (candidates) =>
        usageLog && outside.purse ? outside.purse.allot(candidates, usageLog, context.cache, process) : [...candidates],
      placeAway: async (candidates, cache) => {
        const pools = await readPools(fs);
        // The owner invites them before anything else.
        if (pools.length < machines.length) return { placed: [], nowhere: [] };
        return placeAway(candidates, pools, loadOf(cache), await homeIdentity(fs));
      },
      run: (candidate, _steering, signal) => runHere(candidate, signal, environment, outside),
      onRoom: () => undefined,
      endEarlier: async () => undefined,
      audit: () => undefined,
      onError: (error) => {
        if (!world.isOfDisk(error)) world.violate(`publishing failed: ${String(error)}`);
      },
      pause: rest,
    });
    process.hear = (dir, name) => context.hear(dir, name);
    await loading(environment, () => context.load());
    for (;;) {
      await tolerating(environment, () => context.tick(world.random() < LOOK_AT_ALL_CHANCE ? "all" : "heard"));
      await rest();
    }
  };
}

async function runHere(
  candidate: Allotted,
  signal: AbortSignal,
  { fs, world, process, step }: Environment,
  { purse }: Outside,
): Promise<RunOutcome> {
  await step(() => {
    world.quiet = 0;
    purse?.begin(candidate, process);
  });
  for (let left = below(world.random, RUN_STEPS); left > 0 && !signal.aborted; left--) await step(() => undefined);
  const outcome = await step(() => invent(candidate.task, signal.aborted, world.random));
  if (purse === undefined) return outcome;
  const usage = purse.cost(candidate);
  await keepClaim(candidate, fs).catch((error: unknown) => {
    if (!world.isOfDisk(error)) throw error;
  });
  await step(() => purse.end(candidate, { outcome: { ...outcome, usage }, isBegun: true, isFree: false, tools: null }));
  return { ...outcome, usage };
}

/** A plan names machines for its work. */
function invent(task: Task, isAborted: boolean, random: () => number): RunOutcome {
  const common = { usage: NO_USAGE, provider: "simulated", steers: [], retryable: false };
  const done = { ...common, status: "done", effects: [] as Effect[] } as const;
  if (isAborted || isForPool(task)) {
    const resultType = task.role === "teller" ? "turn" : task.role === "planner" ? "plan" : "text";
    const failed = { status: "failed", failureReason: "error", error: "simulated", result: null } as const;
    return { ...common, ...failed, resultType, effects: [] };
  }
  if (task.rollUp !== undefined)
    return { ...done, resultType: "summary", result: { summary: `summary by ${task.id}`, keyPoints: [] } };
  if (task.role === "teller") {
    const effects: Effect[] = [{ type: "reply", text: `reply ${task.id}` }];
    if (task.turn?.messages.length) effects.push({ type: "delegate", prompt: `plan for ${task.id}` });
    return { ...done, resultType: "turn", result: {}, effects };
  }
  if (task.role === "worker") return { ...done, resultType: "text", result: { text: `here by ${task.id}` } };
  const where = ["a", "b", LABEL] as const;
  const effects = Array.from(
    { length: 1 + below(random, 2) },
    (_, k): Effect => ({
      type: "delegate",
      prompt: `work ${k} of ${task.id}`,
      pool: where[below(random, where.length)] ?? LABEL,
      ...(random() < 0.2 && { onInterrupt: random() < 0.5 ? ("ask" as const) : ("fail" as const) }),
    }),
  );
  const tasks = effects.map((_, k) => childId(task.id, k));
  return { ...done, resultType: "plan", result: { tasks }, effects };
}

export function dispatcher({ outside, witness, engine }: Home): Program {
  return async (environment) => {
    const { world, process, fs, nowMs, isAlive, rest } = environment;
    const usageLog = outside.purse?.open();
    const timers = new Timers(environment);
    const cache = new StateCache(fs, { token: TOKEN, durable: false, isAlive, onBadArchive: () => undefined });
    let identity = { id: "", epoch: "" };
    await loading(environment, async () => {
      await cache.archiveIndex.load();
      await cache.refresh(nowMs());
      identity = await homeIdentity(fs);
    });
    const onError = (error: unknown) => {
      if (!world.isOfDisk(error))
        world.violate(`the dispatcher failed: ${error instanceof Error ? error.stack : error}`);
    };
    const context: Dispatcher = new Dispatcher({
      home: "/home",
      fs,
      cache,
      identity,
      open(pool) {
        const connection = openPoolConnection({
          side: engine.openHomeSide({ environment, timers }, identity.id, pool.name),
          homeId: identity.id,
          pool,
          onSaid(job, said) {
            witness.said(pool.name, job, said);
            context.hear(pool, job, said);
          },
          onHere: () => undefined,
          onError,
        });
        return new Proxy(connection, {
          get: (of, name) =>
            name === "tell"
              ? (...[job, said]: Parameters<typeof connection.tell>) => {
                  witness.told(job, said);
                  return connection.tell(job, said);
                }
              : Reflect.get(of, name),
        });
      },
      leaseMs: () => LEASE_MS,
      nowMs,
      monotonicMs: () => world.uptimeMs,
      retryDelaySec: () => RETRY_DELAY_SEC,
      jobFor: async (candidate) => {
        outside.purse?.begin(candidate, AWAY);
        return jobOf(candidate);
      },
      filesOf: async () => [],
      useAnswers: async () => undefined,
      openStream: (taskId) => ({
        write: (line) => witness.shown(taskId, line, process),
        end: async () => undefined,
      }),
      noteUsage(candidate, at, accepted) {
        if (usageLog === undefined) return;
        const line = lineOnce(candidate, at, accepted, { usageLog, prices: {}, nowMs: nowMs() });
        if (line !== null) outside.purse?.noteNew(line);
        witness.onCharged(process);
      },
      audit({ event, taskId, attempts, detail }) {
        if (event === "tool_call" && taskId !== undefined)
          witness.noted(taskId, attempts ?? 0, Number(detail?.call), process);
      },
      onError,
    });
    const heard = new PendingChanges();
    const watched: readonly string[] = WATCHED.dispatcher;
    process.hear = (dir, name) => {
      if (watched.includes(dir)) heard.note(dir, name);
    };
    for (let looksAtAll = true; ; looksAtAll = world.random() < LOOK_AT_ALL_CHANCE) {
      await tolerating(environment, async () => {
        const changes = heard.take();
        await cache.refresh(nowMs(), false, looksAtAll ? undefined : changes);
        if (looksAtAll || changes.has(POOLS)) await context.connect(await readPools(fs));
        if (changes.has(SIGNALS)) context.steer();
        await context.tick();
      });
      await rest();
    }
  };
}

function jobOf({ task, attempt, earlier, interrupted }: Allotted): PoolJob {
  return {
    protocol: POOLS_PROTOCOL,
    task,
    attempt,
    earlier: [...earlier],
    interrupted,
    timeoutSec: 600,
    autonomy: "full",
    isOwnersWords: false,
    answers: [],
    taskLimit: {},
    spentBefore: { tokens: 0, costUsd: 0 },
    rules: "",
    files: [],
  };
}
