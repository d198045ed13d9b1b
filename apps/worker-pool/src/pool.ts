/** One tick of the pool: stop what is no longer wanted, claim what may run, and publish one outcome for each run. */
import type { RunOutcome } from "@mimikit/agent/run/run-task";
import { Steering } from "@mimikit/agent/steering";
import { type Candidate, dispatch } from "@mimikit/core/tasks/dispatch";
import { type KnownTasks, WaitingLine } from "@mimikit/core/tasks/line";
import { type Placed, place } from "@mimikit/core/tasks/poison";
import { byRole } from "@mimikit/protocol/base/kind";
import type { Role } from "@mimikit/protocol/base/role";
import type { AuditEvent } from "@mimikit/protocol/records/audit";
import { type Claim, type Excuse, type Identity, isOfThisMachine, type Owner } from "@mimikit/protocol/records/claim";
import { isForPool } from "@mimikit/protocol/records/task";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { overheard, PendingChanges } from "@mimikit/store/state-cache/pending-changes";
import { StateCache } from "@mimikit/store/state-cache/state-cache";
import type { Allotted } from "./claim/allot.ts";
import { claimAttempt } from "./claim/claim.ts";
import { noteJoined, recordDeath } from "./claim/deaths.ts";
import { permitsFor } from "./claim/permits.ts";
import type { Placement } from "./claim/place-away.ts";
import { publish, release } from "./claim/publish.ts";

const RETRY_MS = 1_000;

export interface PoolOptions {
  fs: FileSystem;
  token: string;
  identity: Identity;
  isAlive(owner: Identity): boolean;
  /** Why the death of another pool is no fault of what it ran; null where it may be (SPEC C5). */
  excuseOf(owner: Identity): Excuse | null;
  nowMs(): number;
  /** As the settings are now: how many tasks of each role run at once (SPEC A5), and the pause before a retry. */
  limits(): { concurrency: Record<Role, number>; retryDelaySec: number };
  /** The tasks that may begin now: others wait until a provider of their role can be reached (SPEC G4). */
  admit(candidates: readonly Candidate[]): Candidate[];
  /** Those of them that the budgets have room for, each with what it reserves (SPEC N2). */
  allot(candidates: readonly Candidate[]): Allotted[];
  /** Where those that are for other machines begin now; others of them wait. Not given: none begins. */
  placeAway?(candidates: readonly Allotted[], cache: StateCache): Promise<Placement>;
  /** Runs the attempt; ends soon after `signal` aborts, with all its child processes gone. Never throws. */
  run(candidate: Allotted, steering: Steering, signal: AbortSignal): Promise<RunOutcome>;
  /**
   * Ends every process that an earlier attempt left behind, and returns when they are gone (docs/file-protocol.md R6).
   */
  endEarlier(candidate: Candidate): Promise<void>;
  /** A run has come to its end: there is room for another, which the next tick starts. */
  onRoom(): void;
  audit(event: AuditEvent): void;
  onError(error: unknown): void;
  /** Waits that many milliseconds. */
  pause(ms: number): Promise<void>;
}

interface Running extends Placed {
  attempt: number;
  steering: Steering;
  stop: AbortController;
  ended: Promise<void>;
}

export class Pool {
  readonly cache: StateCache;
  private readonly options: PoolOptions;
  private readonly running = new Map<string, Running>();
  /** Tasks of which a claim failed, so that it may be there or not. */
  private readonly doubtful = new Set<string>();
  private readonly line = new WaitingLine();
  private readonly heard = new PendingChanges();
  private stopping = false;

  constructor(options: PoolOptions) {
    const { token, audit, isAlive } = options;
    const fs = overheard(options.fs, (dir, name) => this.hear(dir, name));
    this.options = { ...options, fs };
    const onBadArchive = (path: string, reason: string) =>
      audit({ event: "archive_damaged", detail: { path, reason } });
    this.cache = new StateCache(fs, { token, durable: false, isAlive, onBadArchive });
  }

  /** Reads what is there, once, before the first tick, and records how earlier pools died. */
  async load(): Promise<void> {
    await this.cache.archiveIndex.load();
    await this.cache.refresh(this.options.nowMs());
    // Whose owners are dead is known from the second look on.
    await this.cache.refresh(this.options.nowMs(), false, new Map());
    // A disk that refuses it now is asked again in each tick.
    await this.recordDeaths().catch(this.options.onError);
    this.cache.watch((id) => this.line.note(id));
    this.line.noteAll(this.cache.queue.keys());
  }

  /** Something changed in `dir`. @param name null where it may be any. */
  hear(dir: string, name: string | null): void {
    this.heard.note(dir, name);
  }

  /**
   * Looks once and starts what may start; does not wait for the runs.
   * @param where what was heard, `all` directories, or all whatever they look like (`full`).
   */
  async tick(where: "heard" | "all" | "full" = "all"): Promise<void> {
    const full = where === "full";
    const heard = this.heard.take();
    await this.cache.refresh(this.options.nowMs(), full, where === "heard" ? heard : undefined);
    if (full) this.line.noteAll(this.cache.queue.keys());
    const { results, queue } = this.cache;
    for (const [id, run] of this.running) if (results.has(id) || !queue.has(id)) run.stop.abort("cancelled");
    for (const [id, { steering }] of this.running) this.passOn(id, steering);
    await this.releaseLeftovers();
    await this.recordDeaths();
    if (this.stopping) return;
    const { admit, allot, nowMs } = this.options;
    this.line.update(this.known(), nowMs());
    const permits = await permitsFor(this.line.askedAbout, this.cache);
    const allotted = allot(admit(this.next(permits, nowMs())));
    const away = await this.placeAway(allotted.filter(({ task }) => isForPool(task)));
    const here = [...allotted.filter(({ task }) => !isForPool(task)), ...away.nowhere];
    const candidates = place(here, [...this.running.values()]);
    // Every claim has come to an end before the next tick counts what runs, whatever became of the others.
    const claims = await Promise.allSettled([
      ...candidates.map((candidate) => this.claimAndStart(candidate)),
      ...away.placed.map(({ candidate, owner }) => this.claimAway(candidate, owner)),
    ]);
    for (const claim of claims) if (claim.status === "rejected") throw claim.reason;
  }

  private async placeAway(candidates: readonly Allotted[]): Promise<Placement> {
    const { placeAway } = this.options;
    return candidates.length === 0 || placeAway === undefined
      ? { placed: [], nowhere: [] }
      : placeAway(candidates, this.cache);
  }

  /** Starts nothing more, stops every run and hands its attempt back. */
  async drain(): Promise<void> {
    this.stopping = true;
    for (const run of this.running.values()) run.stop.abort("interrupted");
    await Promise.all([...this.running.values()].map((run) => run.ended));
  }

  /** Does a task run here, its end still to come? */
  runs(id: string): boolean {
    return this.running.has(id);
  }

  private freeOf(role: Role): number {
    return (
      this.options.limits().concurrency[role] -
      [...this.running.values()].filter(({ task }) => task.role === role).length
    );
  }

  /** Those that may begin now, in their order: a look at what has changed, and at the first few of each lane. */
  private next(permits: ReadonlySet<string>, nowMs: number): Candidate[] {
    const known = this.known();
    const free = byRole((role) => this.freeOf(role));
    this.line.update(known, nowMs);
    return dispatch({ ...known, permits, queue: this.line.first(known, free, nowMs) }, free, nowMs);
  }

  private known(): KnownTasks {
    const { queue, results, archiveIndex, attemptFacts: attempts } = this.cache;
    const hasOutcome = (id: string) => results.has(id) || archiveIndex.has(id) || this.running.has(id);
    return { queue, attempts, hasOutcome };
  }

  /** Tells a run what the user has said to it, in the order in which it was said. */
  private passOn(id: string, steering: Steering): void {
    const own = [...this.cache.signals.values()].filter(({ taskId }) => taskId === id);
    for (const signal of own.sort((a, b) => Date.parse(a.at) - Date.parse(b.at))) steering.offer(signal);
  }

  /** A disk error may leave a claim of ours behind that is not run: it is handed back, or its task would wait for ever. */
  private async releaseLeftovers(): Promise<void> {
    for (const id of this.doubtful) {
      for (const { role, attempt, claim, failed } of this.cache.attempts.get(id) ?? []) {
        if (claim === undefined || failed !== undefined || !this.isOwn(claim.owner)) continue;
        await release({ id, role }, attempt, this.options);
      }
      this.doubtful.delete(id);
    }
  }

  /** Each attempt whose pool died is judged before anything follows from it, once: a later look might find other evidence. */
  private async recordDeaths(): Promise<void> {
    const { unaccounted, attempts, results, archiveIndex } = this.cache;
    for (const [id, facts] of unaccounted) {
      if (results.has(id) || archiveIndex.has(id)) continue;
      for (const { role, attempt, ownerAlive, failed } of facts) {
        if (ownerAlive || failed !== undefined) continue;
        const claim = attempts.get(id)?.find((each) => each.attempt === attempt)?.claim;
        if (claim === undefined || !isOfThisMachine(claim.owner) || this.isOwn(claim.owner)) continue;
        const death = await recordDeath(role, claim, this.options.excuseOf(claim.owner), this.options);
        if (death !== null)
          this.options.audit({ event: "task_cut_off", taskId: id, attempts: attempt, detail: { death } });
      }
    }
  }

  private isOwn(owner: Owner): boolean {
    if (!isOfThisMachine(owner)) return false;
    const { pid, startTime, bootId } = this.options.identity;
    return owner.pid === pid && owner.startTime === startTime && owner.bootId === bootId;
  }

  /** The claim is all that is done here: the dispatcher brings the attempt to its machine, and publishes what comes of it. */
  private async claimAway(candidate: Allotted, owner: Owner): Promise<void> {
    const { archiveIndex, attempts } = this.cache;
    const hear = (dir: string, name: string) => this.hear(dir, name);
    const claim = await claimAttempt(candidate, { ...this.options, archiveIndex, attempts, hear }, owner);
    if (claim === null) return;
    const { id, traceId, parentId } = candidate.task;
    this.options.audit({
      event: "task_started",
      taskId: id,
      traceId,
      ...(parentId && { parentId }),
      attempts: candidate.attempt,
      detail: { owner },
    });
  }

  private async claimAndStart(candidate: Allotted): Promise<void> {
    const { task, attempt, company } = candidate;
    const { id, traceId, parentId } = task;
    for (const run of this.running.values())
      if (run.company !== "all") await noteJoined(run.task, run.attempt, this.options);
    this.doubtful.add(id);
    const { archiveIndex, attempts } = this.cache;
    const hear = (dir: string, name: string) => this.hear(dir, name);
    const claim = await claimAttempt(candidate, { ...this.options, archiveIndex, attempts, hear });
    this.doubtful.delete(id);
    if (claim === null) return;
    this.options.audit({
      event: "task_started",
      taskId: id,
      traceId,
      ...(parentId && { parentId }),
      attempts: attempt,
      ...(company !== "all" && { detail: { alone: true } }),
    });
    const stop = new AbortController();
    const steering = new Steering();
    this.passOn(id, steering);
    const ended = this.runAndPublish(candidate, claim, steering, stop.signal).finally(() => {
      this.running.delete(id);
      this.line.note(id);
      this.options.onRoom();
    });
    this.running.set(id, { task, attempt, company, steering, stop, ended });
    // Turns may begin beside it.
    if (company === "turns") this.options.onRoom();
  }

  private async runAndPublish(
    candidate: Allotted,
    claim: Claim,
    steering: Steering,
    signal: AbortSignal,
  ): Promise<void> {
    const { options } = this;
    if (candidate.attempt > 1) await this.untilDone(() => options.endEarlier(candidate));
    const startedMs = options.nowMs();
    const outcome = await options.run(candidate, steering, signal);
    if (signal.reason === "interrupted" && outcome.status === "failed")
      return this.untilDone(() => release(candidate.task, candidate.attempt, options));
    await this.untilDone(async () => {
      const written = await publish(candidate, claim, outcome, { ...options, ...options.limits() });
      const { id, traceId, parentId } = candidate.task;
      const common = {
        taskId: id,
        traceId,
        ...(parentId && { parentId }),
        attempts: candidate.attempt,
        durationMs: options.nowMs() - startedMs,
      };
      if (written === null) options.audit({ event: "outcome_discarded", ...common });
      else if ("retryAt" in written)
        options.audit({
          event: written.asks !== undefined ? "task_asks" : written.outage === true ? "task_unreached" : "task_retry",
          ...common,
          failureReason: written.failureReason,
          detail: { error: written.error },
        });
      else {
        const { status, failureReason, error } = written;
        options.audit({
          event: `task_${status}`,
          ...common,
          ...(failureReason && { failureReason }),
          ...(error && { detail: { error } }),
        });
      }
    });
  }

  /** A full disk must not cost the outcome of a run: what must be done is tried again until it is. */
  private async untilDone(step: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await step();
      } catch (error) {
        this.options.onError(error);
        await this.options.pause(RETRY_MS);
      }
    }
  }
}
