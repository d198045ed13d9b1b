/**
 * Brings the attempts that the worker pool has claimed for other machines there, permits each to begin once, and publishes what comes of it
 * (docs/pools.md). All that it must know is in the state directory: it may be killed at any instant.
 */
import { join } from "node:path";
import {
  type AttemptAnswer,
  type AwayAttempt,
  answerTo,
  dueFor,
  LEASES_OF_SILENCE,
} from "@mimikit/core/pools/attempt-step";
import { type FromPool, OUTCOME_BYTES_MAX, type PoolJob, type ToPool } from "@mimikit/protocol/pools/messages";
import { BeginPermit, type HomeIdentity, PoolOwner, type PoolRecord } from "@mimikit/protocol/pools/pool";
import type { AuditEvent } from "@mimikit/protocol/records/audit";
import type { Death } from "@mimikit/protocol/records/claim";
import type { Task } from "@mimikit/protocol/records/task";
import { jobOf, partsOfJob } from "@mimikit/runtime/pools/names";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { createRecord, readRecord } from "@mimikit/store/disk/record";
import { notedCallsPath, PERMITS, permitPath, queuePath, runPath } from "@mimikit/store/disk/state";
import type { StateCache } from "@mimikit/store/state-cache/state-cache";
import type { Allotted } from "../claim/allot.ts";
import { keepClaimAway } from "../claim/claim.ts";
import type { StreamFile } from "../run/stream-file.ts";
import { type Away, ROLE } from "./away.ts";
import { AwayFacts } from "./away-facts.ts";
import { AwayFiles, type AwayFilesOptions, tooMuch } from "./away-files.ts";
import { conclude, cutOff } from "./end-attempt.ts";
import { CallNotes } from "./noted-calls.ts";
import { type AcceptedOutcome, acceptOutcome } from "./outcome.ts";
import type { CarriedOutput } from "./outputs.ts";
import type { PoolConnection } from "./pool-connection.ts";

/** A job that is not begun is offered again so often: the engine may have lost it. */
const OFFER_EVERY_MS = 5_000;
const PERMIT_FILE = /^(.+)\.a([1-9]\d*)(?:\.calls)?\.json$/;
/** After these answers an attempt is as silent as before: nothing of it was believed. */
const UNHEARD: ReadonlySet<AttemptAnswer> = new Set(["refuse", "stop", "dismiss"]);

type Asked = Extract<FromPool, { kind: "ask" }>;

export interface DispatcherOptions extends AwayFilesOptions {
  fs: FileSystem;
  cache: StateCache;
  identity: HomeIdentity;
  /** Opens the connection to a pool. */
  open(pool: PoolRecord): PoolConnection;
  leaseMs(): number;
  nowMs(): number;
  /** Milliseconds of a clock that never jumps. */
  monotonicMs(): number;
  retryDelaySec(): number;
  jobFor(
    candidate: Allotted,
    pool: string,
    files: PoolJob["files"],
    outputs: readonly CarriedOutput[],
  ): Promise<PoolJob>;
  /** The owner's answers that go with the job are used up from now on. */
  useAnswers(task: Task, pool: string): Promise<void>;
  openStream(taskId: string): StreamFile;
  noteUsage(candidate: Allotted, at: string, accepted: AcceptedOutcome): void;
  audit(event: AuditEvent): void;
  onError(error: unknown): void;
  /** Does this machine serve the home? Resolves when that is known. */
  mayDismiss?(): Promise<boolean>;
  /** A pool was removed, and the engine is there. */
  onDismissed?(pool: PoolRecord): Promise<void>;
}

export class Dispatcher {
  private readonly options: DispatcherOptions;
  private readonly facts: AwayFacts;
  private readonly files: AwayFiles;
  private readonly calls: CallNotes;
  private readonly connections = new Map<string, { connection: PoolConnection; pool: PoolRecord }>();
  private readonly away = new Map<string, Away>();
  /** Steps of one job run one after the other. */
  private readonly lines = new Map<string, Promise<void>>();
  /** Are the pools known? Before, none of them is gone. */
  private isConnected = false;
  private wasThere = new Map<string, boolean>();
  private lastTickMs: number;
  private sweptMs = Number.NEGATIVE_INFINITY;

  constructor(options: DispatcherOptions) {
    this.options = options;
    const { fs, cache, audit } = options;
    this.facts = new AwayFacts(fs, cache);
    this.files = new AwayFiles(options);
    this.calls = new CallNotes({ fs, audit, taskOf: (id) => this.facts.taskOf(id) });
    this.lastTickMs = options.monotonicMs();
  }

  /** The connection to a pool by its name; undefined where there is no such pool. */
  linkOf(name: string): PoolConnection | undefined {
    return this.connections.get(name)?.connection;
  }

  /** Connects to the pools that there are now, and leaves those that are gone. */
  async connect(pools: readonly PoolRecord[]): Promise<void> {
    const keys = new Map(pools.map((pool) => [pool.name, pool.key]));
    for (const [name, { connection, pool }] of this.connections) {
      if (keys.get(name) === pool.key) continue;
      this.connections.delete(name);
      // Not waited for: the engine may be away.
      void this.dismiss(pool, connection).catch(this.options.onError);
    }
    for (const pool of pools)
      if (!this.connections.has(pool.name))
        this.connections.set(pool.name, { pool, connection: this.options.open(pool) });
    this.isConnected = true;
  }

  /** The last that a machine hears which this home has let go; a copy of a home lets go of what it does not serve, and says nothing. */
  private async dismiss(pool: PoolRecord, connection: PoolConnection): Promise<void> {
    const jobs = [...this.away.values()].filter(({ owner }) => owner.pool === pool.name).map(({ job }) => job);
    try {
      if (!((await this.options.mayDismiss?.()) ?? true)) return;
      await connection.obliterate();
      for (const job of jobs) await connection.tell(job, { kind: "stop" });
      await this.options.onDismissed?.(pool);
    } finally {
      await connection.close();
    }
  }

  /** Does what is due, once it knows the pools. Call it after the state cache has looked. */
  async tick(): Promise<void> {
    if (!this.isConnected) return;
    const { monotonicMs, leaseMs } = this.options;
    const nowMs = monotonicMs();
    // While this process stood still, or the engine was away, nobody could be heard: that is no silence of the pool.
    const stoodStill = nowMs - this.lastTickMs > leaseMs() / 2;
    this.lastTickMs = nowMs;
    for (const [name, { connection }] of this.connections) {
      if (stoodStill || !connection.isThere || this.wasThere.get(name) !== true)
        for (const each of this.away.values()) if (each.owner.pool === name) each.heardMs = nowMs;
      this.wasThere.set(name, connection.isThere);
    }
    this.follow(nowMs);
    // Not waited for: where the engine is away, that may take hours.
    for (const each of this.away.values())
      if (!this.lines.has(each.job)) void this.inLine(each.job, () => this.doDue(each));
    if (nowMs - this.sweptMs < OFFER_EVERY_MS) return;
    this.sweptMs = nowMs;
    await this.removePermits();
  }

  /** Handles a message of a pool, as it was when it said so. */
  hear(pool: Pick<PoolRecord, "name" | "key">, job: string, said: FromPool): void {
    void this.inLine(job, () => this.answer(pool, job, said));
  }

  /** The owner has said something to a task: its pool is told. */
  steer(): void {
    for (const each of this.away.values()) void this.inLine(each.job, () => this.passOn(each));
  }

  async close(): Promise<void> {
    for (const each of this.away.values()) await each.stream?.end();
    for (const { connection } of this.connections.values()) await connection.close();
  }

  /** Takes up the claims that are new, and lets go of those that are gone. */
  private follow(nowMs: number): void {
    const { unaccounted, attempts } = this.options.cache;
    const open = new Set<string>();
    for (const id of unaccounted.keys())
      for (const { attempt, claim, failed } of attempts.get(id) ?? []) {
        const owner = failed === undefined ? PoolOwner.safeParse(claim?.owner).data : undefined;
        if (owner === undefined || claim === undefined) continue;
        const job = jobOf({ id: this.options.identity.id, epoch: owner.epoch }, id, attempt);
        open.add(job);
        if (this.away.has(job)) continue;
        const offeredMs = Number.NEGATIVE_INFINITY;
        this.away.set(job, { job, id, attempt, claim, owner, heardMs: nowMs, offeredMs, isWithdrawn: false });
      }
    for (const [job, { stream }] of this.away) {
      if (open.has(job)) continue;
      this.away.delete(job);
      void stream?.end();
    }
  }

  private inLine(job: string, work: () => Promise<void>): Promise<void> {
    const line = (this.lines.get(job) ?? Promise.resolve()).then(work).catch(this.options.onError);
    this.lines.set(job, line);
    void line.finally(() => {
      if (this.lines.get(job) === line) this.lines.delete(job);
    });
    return line;
  }

  private async factsOf({ id, attempt, owner, heardMs }: Away): Promise<AwayAttempt> {
    const { fs, identity, monotonicMs } = this.options;
    const [permit, isOver] = await Promise.all([
      readRecord(fs, BeginPermit, permitPath(id, attempt)),
      this.facts.isOver(id, attempt),
    ]);
    return {
      isOver,
      isOfThisEpoch: owner.epoch === identity.epoch,
      hasPool: this.hasPool(owner),
      permit: permit?.nonce ?? null,
      silentMs: monotonicMs() - heardMs,
    };
  }

  /** A machine that was invited anew under the name of another has nothing of what that one had. */
  private hasPool({ pool, invitedAt }: PoolOwner): boolean {
    const known = this.connections.get(pool);
    return known !== undefined && (invitedAt === undefined || invitedAt === known.pool.at);
  }

  private async doDue(each: Away): Promise<void> {
    const { leaseMs, monotonicMs } = this.options;
    const { job, owner } = each;
    if (each.isWithdrawn || this.away.get(job) !== each) return;
    const connection = this.linkOf(owner.pool);
    switch (dueFor(await this.factsOf(each), leaseMs())) {
      case "wait":
        return;
      case "add": {
        if (connection === undefined || !connection.isThere || monotonicMs() - each.offeredMs < OFFER_EVERY_MS) return;
        const candidate = await this.facts.candidateOf(each);
        if (candidate === null) return;
        each.offeredMs = monotonicMs();
        // While the job is on its way.
        void this.keep(each).catch(this.options.onError);
        const files = await this.files.filesOf(each, candidate.task);
        const end = tooMuch(files, candidate.task, owner.pool);
        if (end !== null) return conclude(each, candidate, end, this.options);
        const outputs = await this.files.outputsOf(each, candidate.task, files);
        await connection.add(job, await this.options.jobFor(candidate, owner.pool, files, outputs));
        return;
      }
      case "withdraw":
        if (connection === undefined || !connection.isThere) return;
        each.isWithdrawn = true;
        await connection.remove(job);
        return connection.tell(job, { kind: "stop" });
      case "disown":
        return this.cutOff(each, `${owner.pool} is no machine of this home any more`);
      case "give-up":
        return this.cutOff(each, `${owner.pool} was not heard of for ${(LEASES_OF_SILENCE * leaseMs()) / 1_000} s`);
    }
  }

  private async answer(
    { name: pool, key }: Pick<PoolRecord, "name" | "key">,
    job: string,
    said: FromPool,
  ): Promise<void> {
    const known = this.connections.get(pool);
    const parts = partsOfJob(job);
    // Of one that was let go nothing is believed, also where another has its name by now.
    if (known?.pool.key !== key || parts === null || parts.home !== this.options.identity.id) return;
    const { connection } = known;
    const each = this.away.get(job);
    // A pool speaks of what it was given, and of nothing else. Before a power loss took its claim, it may have been given this.
    if (each !== undefined && each.owner.pool !== pool) {
      if (said.kind === "ask") await connection.tell(job, permitFor(said, false));
      return;
    }
    if (said.kind === "calls") {
      if ((await this.calls.note(connection, { pool, job, ...parts }, said)) && each !== undefined)
        each.heardMs = this.options.monotonicMs();
      return;
    }
    const { nonce } = said;
    if (each === undefined) {
      // Memory may be behind: what is claimed is answered when it is known here, because the pool says it again.
      if (await this.facts.isClaimed(parts, pool)) return;
      if (said.kind === "ask") await connection.tell(job, permitFor(said, false));
      else if (["runs", "lines", "want"].includes(said.kind)) await connection.tell(job, { kind: "stop" });
      else await connection.tell(job, { kind: "taken", nonce });
      if (said.kind === "ended") await connection.dropOutcome(job);
      return;
    }
    const answer = answerTo(said, await this.factsOf(each));
    if (!UNHEARD.has(answer)) each.heardMs = this.options.monotonicMs();
    switch (answer) {
      case "grant":
      case "confirm":
        if (said.kind === "ask") await this.grant(each, connection, said);
        return;
      case "refuse":
        if (said.kind === "ask") await connection.tell(job, permitFor(said, false));
        return;
      case "stop":
        return connection.tell(job, { kind: "stop" });
      case "note":
        return this.passOn(each);
      case "show": {
        each.stream ??= this.options.openStream(each.id);
        if (said.kind === "lines") for (const line of said.lines) each.stream.write(line);
        return;
      }
      case "lay": {
        const task = await this.facts.taskOf(each.id);
        if (said.kind === "want" && task !== null) await this.files.lay(each, task, connection, said);
        return;
      }
      case "take":
        // A piece counts only for an outcome that is known here; the pool says again that it has one.
        if (
          said.kind === "ended" ? await this.calls.areNoted(each, connection, said.calls) : each.accepted !== undefined
        )
          await this.take(each, connection, nonce, said.kind === "ended" ? said.sealed : undefined);
        return;
      case "interrupted":
        if (said.kind !== "lost" || !(await this.calls.areNoted(each, connection, said.calls))) return;
        await this.cutOff(each, `the pool of ${pool} ended while it ran`, said.death);
        return connection.tell(job, { kind: "taken", nonce });
      case "dismiss":
        await connection.dropOutcome(job);
        return connection.tell(job, { kind: "taken", nonce });
    }
  }

  /** Makes its claim durable, once. Throws what the disk throws, and then tries again the next time. */
  private keep(each: Away): Promise<void> {
    each.kept ??= keepClaimAway({ role: ROLE, id: each.id }, each.attempt, this.options.fs).catch((error: unknown) => {
      delete each.kept;
      throw error;
    });
    return each.kept;
  }

  /** Created once: of two runs that ask, in whatever order their questions come, the first begins. */
  private async grant(each: Away, connection: PoolConnection, asked: Asked): Promise<void> {
    const { fs, nowMs } = this.options;
    const { id, attempt, job, owner } = each;
    const path = permitPath(id, attempt);
    const { nonce } = asked;
    const permit: BeginPermit = { job, pool: owner.pool, nonce, at: new Date(nowMs()).toISOString() };
    await this.keep(each);
    const granted =
      (await createRecord(fs, BeginPermit, path, permit)) || (await readRecord(fs, BeginPermit, path))?.nonce === nonce;
    const task = granted ? await this.facts.taskOf(id) : null;
    if (task !== null) await this.options.useAnswers(task, owner.pool);
    await connection.tell(job, permitFor(asked, granted));
    if (granted) await this.passOn(each);
  }

  private async passOn({ id, job, owner }: Away): Promise<void> {
    const connection = this.linkOf(owner.pool);
    if (connection === undefined || !connection.isThere) return;
    for (const { taskId: _, ...steer } of this.signalsOf(id)) await connection.tell(job, { kind: "steer", steer });
  }

  private signalsOf(id: string) {
    const own = [...this.options.cache.signals.values()].filter(({ taskId }) => taskId === id);
    return own.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  }

  /** @param carried the outcome, where the message brought it. */
  private async take(
    each: Away,
    connection: PoolConnection,
    nonce: string,
    carried: string | undefined,
  ): Promise<void> {
    const { options } = this;
    const { job, id, attempt, claim, owner } = each;
    const candidate = await this.facts.candidateOf(each);
    const pool = this.connections.get(owner.pool)?.pool;
    if (candidate === null || pool === undefined) return;
    const { task } = candidate;
    if (each.accepted === undefined) {
      const found = carried === undefined ? await connection.outcome(job, OUTCOME_BYTES_MAX) : { sealed: carried };
      // The engine has lost it: the pool says it again.
      if (found === null) return;
      const place = { key: pool.key, job, pool: pool.name, task, runDir: join(options.home, runPath(id, attempt)) };
      each.accepted = acceptOutcome(found, place, this.signalsOf(id));
    }
    if (!(await this.files.areHere(each, each.accepted, task, connection))) return;
    const { outcome } = each.accepted;
    await each.stream?.end();
    options.noteUsage(candidate, claim.at, each.accepted);
    if (outcome.failureReason === "interrupted") await this.cutOff(each, outcome.error ?? "it was not run to its end");
    else await conclude(each, candidate, outcome, options);
    await connection.tell(job, { kind: "taken", nonce });
    await connection.dropOutcome(job);
  }

  /** It has ended without an outcome: the engine forgets it, too. */
  private async cutOff(each: Away, error: string, death: Death = "unknown"): Promise<void> {
    await cutOff(each, error, death, this.options);
    await each.stream?.end();
    const connection = this.linkOf(each.owner.pool);
    if (connection?.isThere === true) await connection.remove(each.job);
  }

  /** A permit is kept for as long as its claim: without the claim nobody is permitted anything. */
  private async removePermits(): Promise<void> {
    const { fs, cache } = this.options;
    for (const file of await fs.list(PERMITS)) {
      const [, id = "", digits] = PERMIT_FILE.exec(file) ?? [];
      if (id === "" || cache.attempts.has(id) || (await fs.exists(queuePath(ROLE, id)))) continue;
      for (const path of [permitPath(id, Number(digits)), notedCallsPath(id, Number(digits))]) await fs.unlink(path);
    }
  }
}

const permitFor = ({ nonce, askedMs }: Asked, granted: boolean): ToPool => ({
  kind: "permit",
  nonce,
  granted,
  askedMs,
});
