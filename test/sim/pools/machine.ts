/** A machine that works for the simulated home: the real pool, on a disk of its own, whose runs do anything that a run may do. */
import type { RunOutcome } from "@mimikit/agent/run/run-task";
import type { Steering } from "@mimikit/agent/steering";
import { NO_USAGE } from "@mimikit/protocol/base/usage";
import { BegunAway, type FromPool, OUTCOME_CARRIED_CHARS_MAX, type PoolJob } from "@mimikit/protocol/pools/messages";
import { jobOf, partsOfJob } from "@mimikit/runtime/pools/names";
import { AWAY, begunAwayPath } from "@mimikit/store/disk/state";
import { openHomeConnection } from "../../../apps/worker-pool/src/remote/home-connection.ts";
import { type EndedRun, type HomeOfRun, RemotePool } from "../../../apps/worker-pool/src/remote/remote-pool.ts";
import { loading } from "../outside.ts";
import { below } from "../random.ts";
import { type Environment, Place, type Program } from "../world.ts";
import type { Engine } from "./engine.ts";
import type { Manner } from "./themes.ts";
import { Timers } from "./timers.ts";
import type { Execution, Witness } from "./witness.ts";

export const LEASE_MS = 6_000;
export const SLOTS = 2;
export const BEATS_PER_LEASE = 6;
/** That it is told to stop, at each beat: as `systemctl restart` does. */
const STOP_CHANCE = 0.004;
const HAND_IN_MS = 2_000;
/** A run takes fewer steps than this, a long one so many more. */
const RUN_STEPS = 12;
const LONG_STEPS = 150;
const LIE_EVERY_MS = 1_500;
/** That a machine which lies calls a job lost that it has not asked for yet. */
const LOST_UNASKED_CHANCE = 0.3;
/** That a result is too long for a message. */
const LONG_CHANCE = 0.2;
/** That a run which fails cannot say what it has cost. */
const UNTOLD_CHANCE = 0.4;

/** The home never hears of it. */
const NOT_BEGUN: EndedRun = {
  outcome: {
    status: "failed",
    failureReason: "cancelled",
    error: "it was not permitted to begin",
    retryable: false,
    resultType: "text",
    result: null,
    effects: [],
    steers: [],
    usage: NO_USAGE,
    provider: "simulated",
  },
  isBegun: false,
  files: [],
  tools: null,
};
const NO_NONCE = "0".repeat(16);

/** Given with the code of an invitation. */
export interface Joined {
  home: string;
  key: string;
}

export class Machine {
  readonly name: string;
  readonly place = new Place();
  /** The home it has joined, with the key for it; a new invitation gives another key. */
  joined: Joined | undefined;
  /** It says things of attempts that it was never given. */
  readonly lies: boolean;
  /** How its runs are. */
  readonly manner: Manner;

  constructor(name: string, lies: boolean, manner: Manner) {
    this.name = name;
    this.lies = lies;
    this.manner = manner;
  }
}

/** @param place another disk than its own, for a copy of it. */
export function machine(of: Machine, place: Place, engine: Engine, witness: Witness): Program {
  return async (environment) => {
    const { world, process, fs, rest } = environment;
    while (of.joined === undefined) await rest();
    const { joined, name } = of;
    const timers = new Timers(environment);
    const side = engine.openPoolSide({ environment, timers }, joined.home, name);
    const connection = openHomeConnection({ side, homeId: joined.home, pool: { key: joined.key, name } });
    const { handIn } = connection;
    connection.handIn = (job, ...rest) => {
      engine.onHandIn(job, process);
      return handIn(job, ...rest);
    };
    const onError = (error: unknown) => {
      if (!world.isOfDisk(error)) world.violate(`${name} failed: ${String(error)}`);
    };
    const pool = new RemotePool({
      home: "/machine",
      homeId: joined.home,
      identity: process.identity,
      fs,
      connection,
      leaseMs: LEASE_MS,
      // Where the world comes to rest, an answer takes more turns than a lease has.
      monotonicMs: () => (world.isCalm ? 0 : world.uptimeMs),
      every: (ms, work) => timers.every(ms, work),
      wait: (ms) => timers.wait(ms),
      append(path, text) {
        world.quiet = 0;
        place.disk.append(path, text, world.now());
        place.disk.syncContent(path);
      },
      async remove(path) {
        place.disk.unlink(path);
      },
      run: (record, steering, stop, told) =>
        run(record, steering, stop, told, { ...joined, ...of }, environment, witness),
      async forget(job) {
        if (place.disk.info(begunAwayPath(job)) !== null) witness.forgotten(job);
      },
      audit: () => undefined,
      onError,
    });
    await loading(environment, () => pool.load());
    timers.every(LEASE_MS / BEATS_PER_LEASE, () => pool.beat());
    await connection.onTold((job, told) => pool.hear(job, told));
    connection.start(
      async (job, record) => {
        const isNew = place.disk.info(begunAwayPath(job)) === null;
        if (of.lies && isNew && !world.isCalm && world.random() < LOST_UNASKED_CHANCE)
          await connection.tell(job, { kind: "lost", nonce: NO_NONCE, calls: 0, death: "alone" });
        return pool.run(job, record);
      },
      SLOTS,
      LEASE_MS,
      () => {
        witness.counts.unreadable++;
      },
    );
    if (of.lies)
      timers.every(LIE_EVERY_MS, () => lie({ name, ...joined }, connection, environment, witness).catch(onError));
    while (of.joined === joined && (world.isCalm || world.random() >= STOP_CHANCE)) await rest();
    if (of.joined === joined) await pool.stop(HAND_IN_MS);
    return world.leave(process);
  };
}

async function run(
  record: PoolJob,
  steering: Steering,
  stop: AbortSignal,
  { begin, onLine, onCall }: HomeOfRun,
  { name, manner, home }: Joined & Pick<Machine, "name" | "manner">,
  environment: Environment,
  witness: Witness,
): Promise<EndedRun> {
  const { world, process, step } = environment;
  const { task, attempt } = record;
  const { disk } = process.place;
  if (!(await begin())) return NOT_BEGUN;
  const begun = await step((): Execution => {
    const suffix = `.${task.id}.a${attempt}.begun.json`;
    const file = disk.names(AWAY).find((each) => each.startsWith(`${home}.`) && each.endsWith(suffix));
    const job = file?.slice(0, -".begun.json".length) ?? suffix;
    const nonce = BegunAway.safeParse(JSON.parse(disk.read(begunAwayPath(job)) ?? "null")).data?.nonce;
    return witness.begin({ job, task, attempt, machine: name, process }, nonce);
  });
  const kind = world.random();
  if (kind < manner.endless) witness.endless.add(task.id);
  const isEndless = witness.endless.has(task.id);
  const more = manner.stepsMin + (kind < manner.long ? below(world.random, LONG_STEPS) : 0);
  // Work that is left ends soon once there are no faults.
  const steps = below(world.random, RUN_STEPS) + (world.isCalm ? 0 : more);
  for (let left = steps; (left > 0 || isEndless) && !stop.aborted; left--)
    await step(() => {
      const dice = world.random();
      if (left <= 0 || dice < 0.1) witness.counts.steered += steering.take().length;
      else if (dice < 0.1 + manner.line) onLine({ type: "delta", text: `${begun.job} ${left} ${world.counts.steps}` });
      else if (dice < 0.1 + manner.line + manner.call) {
        begun.calls++;
        onCall({ tool: "bash", requestId: `call_${begun.calls}`, ok: true, durationMs: 1 });
      }
    });
  return step(() => {
    const { outcome, told } = invent(begun, stop, name, steering, world.random());
    witness.end(begun, told);
    if (stop.aborted) witness.counts.stoppedRuns++;
    const isUntold = outcome.status === "failed" && world.random() < UNTOLD_CHANCE;
    const usage = { ...NO_USAGE, inputTokens: isUntold ? 0 : 1 + below(world.random, 900) };
    return { outcome: { ...outcome, usage }, isBegun: true, files: [], tools: null };
  });
}

/** How it ends, and what its result then says. */
function invent(
  { job }: Execution,
  stop: AbortSignal,
  name: string,
  { taken }: Steering,
  dice: number,
): { outcome: RunOutcome; told: string } {
  const common = { effects: [], steers: [...taken], usage: NO_USAGE, provider: "simulated" };
  if (!stop.aborted && dice < 0.7) {
    const text = `out of ${job}${dice < LONG_CHANCE ? ".".repeat(OUTCOME_CARRIED_CHARS_MAX) : ""}`;
    return {
      outcome: { ...common, resultType: "text", status: "done", retryable: false, result: { text } },
      told: text,
    };
  }
  const failureReason = stop.aborted ? (stop.reason === "interrupted" ? "interrupted" : "cancelled") : "error";
  const error = `${job} failed`;
  const retryable = failureReason === "error" && dice < 0.85;
  const outcome = {
    ...common,
    status: "failed",
    failureReason,
    error,
    retryable,
    resultType: "text",
    result: null,
  } as const;
  return { outcome, told: `${name}: ${error}` };
}

/** Another machine would know neither a job nor its number; this one knows both. */
async function lie(
  { name, home }: Joined & { name: string },
  connection: ReturnType<typeof openHomeConnection>,
  { world }: Environment,
  witness: Witness,
): Promise<void> {
  const others = witness.executions.filter(
    (each) => each.machine !== name && each.job.startsWith(`${home}.`) && !each.isOver && !each.process.dead,
  );
  const victim = others[below(world.random, others.length)];
  if (world.isCalm || victim === undefined) return;
  const { job } = victim;
  const nonce = witness.nonceOf(job) ?? NO_NONCE;
  const lies: readonly FromPool[] = [
    { kind: "ask", nonce, askedMs: 0 },
    { kind: "runs", nonce },
    { kind: "ended", nonce, calls: 0 },
    { kind: "lost", nonce, calls: 0, death: "alone" },
  ];
  const said = lies[below(world.random, lies.length)];
  if (said === undefined) return;
  // One of an attempt that has not begun yet, too.
  const parts = partsOfJob(job);
  const next = parts && jobOf({ id: parts.home, epoch: parts.epoch }, parts.task, parts.attempt + 1);
  await connection.tell(world.random() < 0.5 && next !== null ? next : job, said);
}
