/** Witness of a simulated run: sees attempts on other machines from every side, forgets nothing, and reports violations. */
import { cancelMark } from "@mimikit/protocol/base/id";
import type { FromPool, ToPool } from "@mimikit/protocol/pools/messages";
import { HomeIdentity } from "@mimikit/protocol/pools/pool";
import type { Task } from "@mimikit/protocol/records/task";
import type { StreamLine } from "@mimikit/protocol/wire/stream";
import { partsOfJob, queueOfPool } from "@mimikit/runtime/pools/names";
import {
  AWAY,
  archivePath,
  claimPath,
  failedAttemptPath,
  PERMITS,
  POOLS_HOME_PATH,
  permitPath,
  queuePath,
  resultPath,
  resultsOf,
  runningOf,
} from "@mimikit/store/disk/state";
import type { Purse } from "../purse.ts";
import type { Place, Process, World } from "../world.ts";
import { AWAY_MS, type Engine } from "./engine.ts";
import { BEATS_PER_LEASE, LEASE_MS } from "./machine.ts";

const ROLE = "worker";
const FAILED = /^(.+)\.a(\d+)\.failed\.json$/;
/** So long may the home not reach the engine without noticing: it looks at each tick, which may take some seconds. */
const UNNOTICED_MS = AWAY_MS + 3_000;
/** A decision on what was heard is written within this time, and a run that is told to stop ends. */
const WRITTEN_MS = LEASE_MS;
/** A machine that does not reach the engine for so long has ended what it runs. */
const ALONE_MS = 1.5 * LEASE_MS;
/** A process that stands still for longer than its beat is as good as suspended: it may not notice that a lease has gone by. */
const SUSPENDED_MS = LEASE_MS / BEATS_PER_LEASE;

/** A run on a machine. */
export interface Execution {
  job: string;
  task: Task;
  attempt: number;
  machine: string;
  process: Process;
  /** Tool calls that it has made. */
  calls: number;
  isOver: boolean;
}

export class Witness {
  readonly counts = {
    runs: 0,
    grants: 0,
    refusals: 0,
    results: 0,
    steered: 0,
    calls: 0,
    givenUp: 0,
    lost: 0,
    disowned: 0,
    cutOffThere: 0,
    lateOutcomes: 0,
    stoppedRuns: 0,
    /** Jobs that were encrypted for the machine as it was before. */
    unreadable: 0,
  };
  readonly executions: Execution[] = [];
  /** Tasks that run until they are stopped. */
  readonly endless = new Set<string>();
  /** Tasks that a machine was given. */
  readonly tasks = new Set<string>();
  /** Hears of the moments that a theme is about. */
  onBegun: (execution: Execution) => void = () => undefined;
  onGivenUp: (execution: Execution) => void = () => undefined;
  onCharged: (process: Process) => void = () => undefined;
  /** Machines that this home has let go at some time, each with when that was last. */
  readonly letGoMs = new Map<string, number>();
  /** Machines whose power has failed. */
  readonly powerless = new Set<string>();
  /** The budgets, where the run has such. */
  purse: Purse | undefined;
  private readonly world: World;
  /** Jobs that were permitted to begin: to whom, and when. */
  private readonly granted = new Map<string, { nonce: string; atMs: number }>();
  /** Attempts that have ended, by their names. */
  private readonly ended = new Set<string>();
  /** Attempts whose results were shown, by their names. */
  private readonly charged = new Set<string>();
  /** The text that each attempt handed in, by the attempt's name. */
  private readonly handedIn = new Map<string, string>();
  private readonly lines = new Map<Process, Set<string>>();
  private readonly audited = new Map<string, number>();
  private readonly auditedBy = new Map<Process, Set<string>>();
  /** Attempts whose outcomes their machines had kept. */
  private readonly kept = new Set<string>();
  /** Since when a process stands still, and when one was suspended last, on the clock that never jumps. */
  private readonly stillSinceMs = new Map<Process, number>();
  private readonly suspendedMs = new Map<Process, number>();
  /** When the home heard of a run last, by its job, and when a machine reached the engine last, and came back to it. */
  private readonly heardMs = new Map<string, number[]>();
  private readonly reachingMs = new Map<Place, number>();
  private readonly returnedMs = new Map<Place, number>();
  /** Runs of which the home had heard nothing for two leases, although their machines reached the engine. */
  private readonly unheard = new Set<string>();
  /** Runs that were given up, and should end by themselves just now, each with when that was. */
  private readonly overdue = new Map<Execution, number>();
  private lifeSinceMs = 0;
  /** When the home reached the engine last, since when it has gone on doing so, and when a process of it stood still last. */
  private reachedMs = 0;
  private backMs = 0;
  private stoodStillMs = Number.NEGATIVE_INFINITY;

  constructor(world: World) {
    this.world = world;
    const { disk } = world;
    const before = disk.onChange;
    disk.onChange = (dir, name) => {
      before(dir, name);
      if (disk.info(`${dir}/${name}`) === null) return;
      if (dir === runningOf(ROLE)) this.failedHere(name);
      if (dir === resultsOf(ROLE)) this.resultHere(name.replace(/\.json$/, ""));
    };
  }

  /** The home is restored: what it is to machines begins anew. */
  newLife(): void {
    this.lifeSinceMs = this.world.uptimeMs;
  }

  /** Looks between two turns at what stands still, and from where the engine is reached. */
  look(reaches: (place: Place) => boolean): void {
    const { processes, uptimeMs, home } = this.world;
    for (const process of processes) {
      const { place } = process;
      if (reaches(place)) {
        if (uptimeMs - (this.reachingMs.get(place) ?? 0) > ALONE_MS) this.returnedMs.set(place, uptimeMs);
        this.reachingMs.set(place, uptimeMs);
      }
      if (process.paused === 0) {
        this.stillSinceMs.delete(process);
        continue;
      }
      const sinceMs = this.stillSinceMs.get(process) ?? uptimeMs;
      this.stillSinceMs.set(process, sinceMs);
      if (uptimeMs - sinceMs > SUSPENDED_MS) this.suspendedMs.set(process, uptimeMs);
      if (process.place === home) this.stoodStillMs = uptimeMs;
    }
    for (const [run, sinceMs] of this.overdue) {
      if (this.isLive(run) && uptimeMs - sinceMs < WRITTEN_MS) continue;
      this.overdue.delete(run);
      if (this.isLive(run) && !this.mayOverlap(run)) this.world.violate(`${nameOf(run)} was given up, and still runs`);
    }
    if (!reaches(home)) return;
    if (uptimeMs - this.reachedMs > UNNOTICED_MS) this.backMs = uptimeMs;
    this.reachedMs = uptimeMs;
  }

  /** An outcome is handed in. @returns whether that is new. */
  isHandedIn(job: string): boolean {
    return !this.kept.has(job) && this.kept.add(job) !== undefined;
  }

  /** A job is about to be offered. */
  offered(job: string): void {
    const parts = partsOfJob(job);
    if (parts === null) return;
    this.tasks.add(parts.task);
    if (this.world.disk.info(permitPath(parts.task, parts.attempt)) !== null)
      this.world.violate(`${job} is offered, and has a permit`);
  }

  /** A home tells something of an attempt. */
  told(job: string, said: ToPool): void {
    if (said.kind !== "permit") return;
    if (!said.granted) {
      this.counts.refusals++;
      return;
    }
    const before = this.granted.get(job);
    if (before === undefined) this.counts.grants++;
    else if (before.nonce !== said.nonce) this.world.violate(`${job} was permitted to two runs`);
    this.granted.set(job, before ?? { nonce: said.nonce, atMs: this.world.uptimeMs });
    const identity = HomeIdentity.parse(JSON.parse(this.world.disk.read(POOLS_HOME_PATH) ?? "null"));
    if (partsOfJob(job)?.epoch !== identity.epoch) this.world.violate(`${job} is permitted, and is of a former life`);
  }

  /** A machine says something of an attempt, and the home hears it. */
  said(pool: string, job: string, { kind, nonce }: FromPool): void {
    const parts = partsOfJob(job);
    if (kind !== "ask" && nonce === this.nonceOf(job) && this.executions.some((each) => isOf(each, pool, job)))
      this.heardMs.set(job, [...(this.heardMs.get(job) ?? []), this.world.uptimeMs]);
    if (kind === "ended" && parts !== null && this.hasFailed(parts.task, parts.attempt)) this.counts.lateOutcomes++;
  }

  /** The permit of a job, as it was told. */
  nonceOf(job: string): string | undefined {
    return this.granted.get(job)?.nonce;
  }

  begin(execution: Omit<Execution, "calls" | "isOver">, nonce: string | undefined): Execution {
    const { world } = this;
    const { job, task, attempt } = execution;
    this.counts.runs++;
    if (nonce === undefined || this.granted.get(job)?.nonce !== nonce) world.violate(`${job} runs without a permit`);
    const live: Execution = { ...execution, calls: 0, isOver: false };
    for (const other of this.executions) {
      if (other.task.id !== task.id) continue;
      if (other.attempt === attempt) world.violate(`${task.id}.a${attempt} has begun twice`);
      else if (this.isLive(other) && !this.mayOverlap(other) && !this.mayOverlap(live))
        world.violate(`${job} begins beside ${other.job}`);
    }
    this.executions.push(live);
    this.onBegun(live);
    return live;
  }

  end(execution: Execution, told: string): void {
    execution.isOver = true;
    this.handedIn.set(nameOf(execution), told);
  }

  /** A machine forgets an attempt that it has run. */
  forgotten(job: string): void {
    const parts = partsOfJob(job);
    const run = this.executions.find((each) => each.job === job);
    if (parts === null || run === undefined || this.isOfFormerLife(job) || this.letGoMs.has(run.machine)) return;
    if (!this.hasEnded(parts.task, parts.attempt)) this.world.violate(`${job} is forgotten there, and has no end here`);
  }

  /** A line of a stream, as the home shows it. */
  shown(taskId: string, line: StreamLine, process: Process): void {
    const seen = this.lines.get(process) ?? new Set();
    this.lines.set(process, seen);
    const text = JSON.stringify(line);
    if (seen.has(text)) this.world.violate(`${taskId} shows a line twice: ${text}`);
    seen.add(text);
  }

  /** A call of a tool, as the audit log of the home has it. */
  noted(taskId: string, attempt: number, call: number, process: Process): void {
    this.counts.calls++;
    const key = `${taskId}.a${attempt}`;
    const mine = this.auditedBy.get(process) ?? new Set();
    this.auditedBy.set(process, mine);
    // A disk that fails just after a line is as a kill then: the count of the lines is behind.
    if (mine.has(`${key} ${call}`) && this.world.counts.errors === 0)
      this.world.violate(`call ${call} of ${key} is noted twice`);
    mine.add(`${key} ${call}`);
    const made = this.executions.find((each) => nameOf(each) === key)?.calls ?? 0;
    if (call > made) this.world.violate(`call ${call} of ${key} is noted, and it has made ${made}`);
    const before = this.audited.get(key) ?? 0;
    if (call > before + 1) this.world.violate(`call ${call} of ${key} is noted after ${before}`);
    this.audited.set(key, Math.max(before, call));
  }

  /** @returns one sentence for each thing that is left over, or has never ended. */
  check(places: ReadonlyMap<string, Place[]>, engine: Engine): string[] {
    const violations: string[] = [];
    const { disk } = this.world;
    for (const each of this.executions) if (this.isLive(each)) violations.push(`${each.job} runs at the end`);
    for (const job of this.granted.keys()) {
      const { task = "", attempt = 0 } = partsOfJob(job) ?? {};
      if (!this.hasEnded(task, attempt)) violations.push(`${job} was permitted and has no end`);
    }
    for (const name of disk.names(PERMITS)) violations.push(`the permit ${name} is left over`);
    // A disk that fails while an attempt begins or ends leaves that, until the machine starts again: home gives the attempt up.
    for (const [machine, all] of places)
      for (const place of all)
        for (const name of place.disk.names(AWAY))
          if (this.world.counts.errors === 0 || !/\.(begun\.json|calls\.jsonl)$/.test(name))
            violations.push(`${machine} has ${name} left over`);
    const { id } = HomeIdentity.parse(JSON.parse(disk.read(POOLS_HOME_PATH) ?? "null"));
    for (const machine of places.keys())
      for (const name of engine.names)
        if (name.startsWith(`${queueOfPool(id, machine)}:job:`)) violations.push(`the engine has ${name} left over`);
    return violations;
  }

  private failedHere(name: string): void {
    const [, id = "", digits] = FAILED.exec(name) ?? [];
    if (!this.tasks.has(id)) return;
    const attempt = Number(digits);
    const key = `${id}.a${attempt}`;
    const text = this.world.disk.read(failedAttemptPath(ROLE, id, attempt)) ?? "";
    this.ended.add(key);
    const run = this.executions.find((each) => nameOf(each) === key);
    if (!text.includes('"failureReason":"interrupted"')) return;
    if (text.includes("was not heard of for")) {
      this.counts.givenUp++;
      this.checkSilence(key, run);
      if (run !== undefined) this.onGivenUp(run);
    } else if (text.includes("ended while it ran")) {
      this.counts.lost++;
      if (![...this.granted.keys()].some((job) => job.endsWith(`.${key}`)))
        this.world.violate(`${key} was lost, and was never permitted`);
      if (run !== undefined && this.kept.has(run.job) && !this.powerless.has(run.machine) && !this.isLetGo(run))
        this.world.violate(`${key} was lost, and its outcome was there`);
    } else if (text.includes("is no machine of this home")) this.counts.disowned++;
    else this.counts.cutOffThere++;
    if (run === undefined || !this.isLive(run) || this.mayOverlap(run)) return;
    if (text.includes("was not heard of for")) this.overdue.set(run, this.world.uptimeMs);
    else this.world.violate(`${key} is given up while it runs: ${text.slice(0, 300)}`);
  }

  private resultHere(id: string): void {
    const { world } = this;
    if (!this.tasks.has(id)) return;
    const text = world.disk.read(resultPath(ROLE, id)) ?? "";
    const { attempts, status, result, error, provider } = JSON.parse(text);
    const key = `${id}.a${attempts}`;
    this.ended.add(key);
    // The supervisor has ended it: no outcome of a machine.
    if (provider === undefined) return;
    this.counts.results++;
    if (this.hasFailed(id, attempts)) world.violate(`${key} was given up, and has a result`);
    const told = status === "done" ? String(result?.text) : String(error);
    if (this.handedIn.get(key) !== told) world.violate(`${key} has a result that it did not hand in: ${told}`);
    const run = this.executions.find((each) => nameOf(each) === key);
    if (run === undefined) {
      world.violate(`${key} has a result, and has not run`);
      return;
    }
    if (this.isOfFormerLife(run.job)) world.violate(`${key} has a result of a former life`);
    if ((this.audited.get(key) ?? 0) < run.calls && !this.powerless.has(run.machine))
      world.violate(`${key} has a result, and ${this.audited.get(key) ?? 0} of ${run.calls} calls are noted`);
    const { reserved } = JSON.parse(world.disk.read(claimPath(ROLE, id, attempts)) ?? "{}");
    // Shown again, as a result is that could not be synced, its line may have gone with the power.
    const isNew = !this.charged.has(key) && this.charged.add(key) !== undefined;
    if (isNew && reserved !== undefined && this.purse?.hasLine(id, attempts) === false)
      world.violate(`${key} has a result, and no line of what it cost`);
  }

  /** Two leases of silence are two leases in which the machine could be heard. */
  private checkSilence(key: string, run: Execution | undefined): void {
    const { world, backMs, reachedMs, stoodStillMs } = this;
    if (run !== undefined && !this.wasAlone(run)) this.unheard.add(run.job);
    // A record that is written now may have been decided on before the process stood still.
    if (world.isCalm || world.uptimeMs - stoodStillMs < 2 * LEASE_MS) return;
    const sinceMs = world.uptimeMs - (run === undefined ? Number.NEGATIVE_INFINITY : this.lastHeardMs(run));
    if (sinceMs < 2 * LEASE_MS) world.violate(`${key} is given up ${sinceMs} ms after it was heard of`);
    if (world.uptimeMs - reachedMs > UNNOTICED_MS) world.violate(`${key} is given up while the engine is away`);
    else if (world.uptimeMs - backMs < 2 * LEASE_MS && backMs > 0)
      world.violate(`${key} is given up ${world.uptimeMs - backMs} ms after the engine was back`);
  }

  /** When the home had heard of a run last, as a record that is written now may say. */
  private lastHeardMs({ job }: Execution): number {
    const untilMs = this.world.uptimeMs - WRITTEN_MS;
    return this.heardMs.get(job)?.findLast((atMs) => atMs <= untilMs) ?? Number.NEGATIVE_INFINITY;
  }

  /** Has its machine not reached the engine for longer than a lease since the home heard of the run last? */
  private wasAlone(run: Execution): boolean {
    const { place } = run.process;
    const sinceMs = Math.max(this.lastHeardMs(run), this.granted.get(run.job)?.atMs ?? 0);
    const isAlone = this.world.uptimeMs - (this.reachingMs.get(place) ?? 0) > ALONE_MS;
    return isAlone || (this.returnedMs.get(place) ?? -1) >= sinceMs;
  }

  private hasFailed(id: string, attempt: number): boolean {
    return this.world.disk.info(failedAttemptPath(ROLE, id, attempt)) !== null;
  }

  /** Has this attempt an end at home, of whatever kind? */
  private hasEnded(id: string, attempt: number): boolean {
    const { disk } = this.world;
    const isThere = [resultPath(ROLE, id), archivePath(id), archivePath(cancelMark(id))].some(
      (path) => disk.info(path) !== null,
    );
    return this.ended.has(`${id}.a${attempt}`) || isThere || disk.info(queuePath(ROLE, id)) === null;
  }

  private isLive({ process, isOver }: Execution): boolean {
    return !isOver && !process.dead;
  }

  /**
   * A machine that was suspended, or let go, may go on, or begin with the permit that it had heard before, for a moment; so may one of a former life, and one whose messages were all lost: the
   * home hears that it runs, and tells it to stop.
   */
  private mayOverlap(run: Execution): boolean {
    const { job, process } = run;
    const sinceMs = this.granted.get(job)?.atMs ?? 0;
    const isSuspended = (this.suspendedMs.get(process) ?? -1) >= sinceMs;
    return isSuspended || this.isLetGo(run) || this.isOfFormerLife(job) || this.unheard.has(job);
  }

  /** Has its home let its machine go since it was permitted? */
  private isLetGo({ job, machine }: Execution): boolean {
    return (this.letGoMs.get(machine) ?? -1) >= (this.granted.get(job)?.atMs ?? 0);
  }

  private isOfFormerLife(job: string): boolean {
    return (this.granted.get(job)?.atMs ?? 0) < this.lifeSinceMs;
  }
}

const isOf = ({ machine, job }: Execution, pool: string, other: string) => machine === pool && job === other;
const nameOf = ({ task, attempt }: Pick<Execution, "task" | "attempt">) => `${task.id}.a${attempt}`;
