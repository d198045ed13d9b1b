/** One tick of the pool: stop what is no longer wanted, claim what may run, and publish one outcome for each run. */
import type { Outcome } from "@mimikit/agent/run/run-task";
import { Steering } from "@mimikit/agent/steering";
import { type Candidate, dispatch } from "@mimikit/core/tasks/dispatch";
import { type Known, Line } from "@mimikit/core/tasks/line";
import { byRole } from "@mimikit/protocol/base/kind";
import type { Role } from "@mimikit/protocol/base/role";
import type { AuditEvent } from "@mimikit/protocol/records/audit";
import type { Claim, Identity } from "@mimikit/protocol/records/claim";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { Heard, overheard } from "@mimikit/store/mirror/heard";
import { Mirror } from "@mimikit/store/mirror/mirror";
import type { Allotted } from "./claim/allot.ts";
import { claimAttempt } from "./claim/claim.ts";
import { permitsFor } from "./claim/permits.ts";
import { publish, release } from "./claim/publish.ts";

const RETRY_MS = 1_000;

export interface PoolOptions {
  fs: FileSystem;
  token: string;
  identity: Identity;
  isAlive(owner: Identity): boolean;
  nowMs(): number;
  /** As the settings are now: how many tasks of each role run at once (SPEC A5), and the pause before a retry. */
  limits(): { concurrency: Record<Role, number>; retryDelaySec: number };
  /** Those that may begin now: others wait until somebody can be reached who answers for their role (SPEC G4). */
  admit(candidates: readonly Candidate[]): Candidate[];
  /** Those of them that the budgets have room for, each with what it reserves (SPEC N2). */
  allot(candidates: readonly Candidate[]): Allotted[];
  /** Runs the attempt; ends soon after `signal` aborts, with all its child processes gone. Never throws. */
  run(candidate: Allotted, steering: Steering, signal: AbortSignal): Promise<Outcome>;
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

interface Running {
  role: Role;
  steering: Steering;
  stop: AbortController;
  ended: Promise<void>;
}

export class Pool {
  readonly mirror: Mirror;
  private readonly options: PoolOptions;
  private readonly running = new Map<string, Running>();
  /** Tasks of which a claim failed, so that it may be there or not. */
  private readonly doubtful = new Set<string>();
  private readonly line = new Line();
  private readonly heard = new Heard();
  private stopping = false;

  constructor(options: PoolOptions) {
    const { token, audit, isAlive } = options;
    const fs = overheard(options.fs, (dir, name) => this.hear(dir, name));
    this.options = { ...options, fs };
    const onBadArchive = (path: string, reason: string) =>
      audit({ event: "archive_damaged", detail: { path, reason } });
    this.mirror = new Mirror(fs, { token, durable: false, isAlive, onBadArchive });
  }

  /** Reads what is there, once, before the first tick: whose owners are dead is known from the second look on. */
  async load(): Promise<void> {
    await this.mirror.ledger.load();
    await this.mirror.refresh(this.options.nowMs());
    this.mirror.watch((id) => this.line.note(id));
    this.line.noteAll(this.mirror.queue.keys());
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
    await this.mirror.refresh(this.options.nowMs(), full, where === "heard" ? heard : undefined);
    if (full) this.line.noteAll(this.mirror.queue.keys());
    const { results, queue } = this.mirror;
    for (const [id, run] of this.running) if (results.has(id) || !queue.has(id)) run.stop.abort("cancelled");
    for (const [id, { steering }] of this.running) this.passOn(id, steering);
    await this.releaseLeftovers();
    if (this.stopping) return;
    const { admit, allot, nowMs } = this.options;
    this.line.update(this.known(), nowMs());
    const permits = await permitsFor(this.line.askedAbout, this.mirror);
    const candidates = allot(admit(this.next(permits, nowMs())));
    // Every claim has come to an end before the next tick counts what runs, whatever became of the others.
    const claims = await Promise.allSettled(candidates.map((candidate) => this.claimAndStart(candidate)));
    for (const claim of claims) if (claim.status === "rejected") throw claim.reason;
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
      this.options.limits().concurrency[role] - [...this.running.values()].filter((run) => run.role === role).length
    );
  }

  /** Those that may begin now, in their order: a look at what has changed, and at the first few of each lane. */
  private next(permits: ReadonlySet<string>, nowMs: number): Candidate[] {
    const known = this.known();
    const free = byRole((role) => this.freeOf(role));
    this.line.update(known, nowMs);
    return dispatch({ ...known, permits, queue: this.line.first(known, free, nowMs) }, free, nowMs);
  }

  private known(): Known {
    const { queue, results, ledger, attemptFacts: attempts } = this.mirror;
    const hasOutcome = (id: string) => results.has(id) || ledger.has(id) || this.running.has(id);
    return { queue, attempts, hasOutcome };
  }

  /** Tells a run what the user has said to it, in the order in which it was said. */
  private passOn(id: string, steering: Steering): void {
    const own = [...this.mirror.signals.values()].filter(({ taskId }) => taskId === id);
    for (const signal of own.sort((a, b) => Date.parse(a.at) - Date.parse(b.at))) steering.offer(signal);
  }

  /** A disk error may leave a claim of ours behind that nobody runs: it is handed back, or its task would wait for ever. */
  private async releaseLeftovers(): Promise<void> {
    for (const id of this.doubtful) {
      for (const { role, attempt, claim, failed } of this.mirror.attempts.get(id) ?? []) {
        if (claim === undefined || failed !== undefined || !this.isOwn(claim.owner)) continue;
        await release({ id, role }, attempt, this.options);
      }
      this.doubtful.delete(id);
    }
  }

  private isOwn(owner: Identity): boolean {
    const { pid, startTime, bootId } = this.options.identity;
    return owner.pid === pid && owner.startTime === startTime && owner.bootId === bootId;
  }

  private async claimAndStart(candidate: Allotted): Promise<void> {
    const { id, role, traceId, parentId } = candidate.task;
    this.doubtful.add(id);
    const claim = await claimAttempt(candidate, { ...this.options, ledger: this.mirror.ledger });
    this.doubtful.delete(id);
    if (claim === null) return;
    this.options.audit({
      event: "task_started",
      taskId: id,
      traceId,
      ...(parentId && { parentId }),
      attempts: candidate.attempt,
    });
    const stop = new AbortController();
    const steering = new Steering();
    this.passOn(id, steering);
    const ended = this.runAndPublish(candidate, claim, steering, stop.signal).finally(() => {
      this.running.delete(id);
      this.line.note(id);
      this.options.onRoom();
    });
    this.running.set(id, { role, steering, stop, ended });
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
          event: written.outage === true ? "task_unreached" : "task_retry",
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
