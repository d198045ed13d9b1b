/**
 * Brings the attempts that the worker pool has claimed for other machines there, permits each to begin once, and publishes what comes of it
 * (docs/pools.md). All that it must know is in the state directory: it may be killed at any instant.
 */
import { join } from "node:path";
import type { Outcome } from "@mimikit/agent/run/run-task";
import { type Attempt, wasCutOff } from "@mimikit/core/base/snapshot";
import { type AwayAttempt, answerTo, dueFor, LEASES_OF_SILENCE } from "@mimikit/core/pools/attempt-step";
import { outagesOf } from "@mimikit/core/tasks/retry";
import { ancestorsOf, cancelMark } from "@mimikit/protocol/base/id";
import {
  FILES_BYTES_MAX,
  type FromPool,
  OUTCOME_BYTES_MAX,
  type Piece,
  type PoolJob,
} from "@mimikit/protocol/pools/messages";
import { type HomeIdentity, NotedCalls, Permit, PoolOwner, type PoolRecord } from "@mimikit/protocol/pools/pool";
import type { AuditEvent } from "@mimikit/protocol/records/audit";
import { Claim, type Death, FailedAttempt } from "@mimikit/protocol/records/claim";
import { Task } from "@mimikit/protocol/records/task";
import { jobOf, partsOfJob } from "@mimikit/runtime/pools/names";
import { addPiece, BadFile, missingPiece, readPiece } from "@mimikit/runtime/pools/pieces";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { createRecord, readRecord, replaceView } from "@mimikit/store/disk/record";
import {
  attachmentPath,
  claimPath,
  failedAttemptPath,
  notedCallsPath,
  PERMITS,
  permitPath,
  queuePath,
  resultPath,
  runPath,
} from "@mimikit/store/disk/state";
import type { Mirror } from "@mimikit/store/mirror/mirror";
import type { Allotted } from "../claim/allot.ts";
import { publish } from "../claim/publish.ts";
import type { StreamFile } from "../run/stream-file.ts";
import type { Link } from "./link.ts";
import { type Accepted, acceptOutcome, failedOutcome, invalid } from "./outcome.ts";
import type { CarriedOutput } from "./outputs.ts";

/** A job that is not begun is offered again so often: the engine may have lost it. */
const OFFER_EVERY_MS = 5_000;
const PERMIT_FILE = /^(.+)\.a([1-9]\d*)(?:\.calls)?\.json$/;
const ROLE = "worker";
const MEBIBYTE = 1_048_576;

export interface DispatcherOptions {
  home: string;
  fs: FileSystem;
  mirror: Mirror;
  identity: HomeIdentity;
  /** Opens the connection to a pool. */
  open(pool: PoolRecord): Link;
  leaseMs(): number;
  nowMs(): number;
  /** Milliseconds of a clock that never jumps. */
  monotonicMs(): number;
  retryDelaySec(): number;
  jobFor(candidate: Allotted, files: PoolJob["files"], outputs: readonly CarriedOutput[]): Promise<PoolJob>;
  /** The files of its messages. */
  filesOf(task: Task): Promise<PoolJob["files"]>;
  /** Whole outputs of the tasks before it, of at most so many bytes; none where not given. */
  outputsOf?(task: Task, bytesMax: number): Promise<CarriedOutput[]>;
  /** The owner's answers that go with the job are used up from now on. */
  useAnswers(task: Task): Promise<void>;
  openStream(taskId: string): StreamFile;
  noteUsage(candidate: Allotted, at: string, accepted: Accepted): void;
  audit(event: AuditEvent): void;
  onError(error: unknown): void;
}

/** One attempt that another machine has, as this process follows it. */
interface Away {
  job: string;
  id: string;
  attempt: number;
  claim: Claim;
  owner: PoolOwner;
  heardMs: number;
  offeredMs: number;
  isWithdrawn: boolean;
  stream?: StreamFile;
  /** The files of its messages, once they are known. */
  files?: PoolJob["files"];
  /** The outputs that go with it, once they are known. */
  outputs?: CarriedOutput[];
  /** Its outcome, while files of it are still to come. */
  accepted?: Accepted;
}

export class Dispatcher {
  private readonly options: DispatcherOptions;
  private readonly links = new Map<string, { link: Link; pool: PoolRecord }>();
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
    this.lastTickMs = options.monotonicMs();
  }

  /** The connection to a pool by its name; undefined where there is no such pool. */
  linkOf(name: string): Link | undefined {
    return this.links.get(name)?.link;
  }

  /** Connects to the pools that there are now, and leaves those that are gone. */
  async connect(pools: readonly PoolRecord[]): Promise<void> {
    const keys = new Map(pools.map((pool) => [pool.name, pool.key]));
    for (const [name, { link, pool }] of this.links) {
      if (keys.get(name) === pool.key) continue;
      this.links.delete(name);
      // Not waited for: the engine may be away.
      void this.dismiss(name, link).catch(this.options.onError);
    }
    for (const pool of pools)
      if (!this.links.has(pool.name)) this.links.set(pool.name, { pool, link: this.options.open(pool) });
    this.isConnected = true;
  }

  /** The last that a machine hears which this home has let go. */
  private async dismiss(name: string, link: Link): Promise<void> {
    const jobs = [...this.away.values()].filter(({ owner }) => owner.pool === name).map(({ job }) => job);
    try {
      for (const job of jobs) await link.tell(job, { kind: "stop" });
      await link.obliterate();
    } finally {
      await link.close();
    }
  }

  /** Does what is due, once it knows the pools. Call it after the mirror has looked. */
  async tick(): Promise<void> {
    if (!this.isConnected) return;
    const { monotonicMs, leaseMs } = this.options;
    const nowMs = monotonicMs();
    // While this process stood still, or the engine was away, nobody could be heard: that is no silence of the pool.
    const stoodStill = nowMs - this.lastTickMs > leaseMs() / 2;
    this.lastTickMs = nowMs;
    for (const [name, { link }] of this.links) {
      if (stoodStill || !link.isThere || this.wasThere.get(name) !== true)
        for (const each of this.away.values()) if (each.owner.pool === name) each.heardMs = nowMs;
      this.wasThere.set(name, link.isThere);
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
    for (const { link } of this.links.values()) await link.close();
  }

  /** Takes up the claims that are new, and lets go of those that are gone. */
  private follow(nowMs: number): void {
    const { unaccounted, attempts } = this.options.mirror;
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
      readRecord(fs, Permit, permitPath(id, attempt)),
      this.isOver(id, attempt),
    ]);
    return {
      isOver,
      isOfThisEpoch: owner.epoch === identity.epoch,
      hasPool: this.links.has(owner.pool),
      permit: permit?.nonce ?? null,
      silentMs: monotonicMs() - heardMs,
    };
  }

  /** By name, because memory may be behind: no attempt begins, and no outcome counts, after there is one (docs/file-protocol.md R4). */
  private async isOver(id: string, attempt: number): Promise<boolean> {
    const { fs, mirror } = this.options;
    if (await fs.exists(resultPath(ROLE, id))) return true;
    if (await fs.exists(failedAttemptPath(ROLE, id, attempt))) return true;
    if (!(await fs.exists(queuePath(ROLE, id)))) return true;
    return mirror.ledger.confirmAny([id, cancelMark(id), ...ancestorsOf(id).map(cancelMark)]);
  }

  private async doDue(each: Away): Promise<void> {
    const { leaseMs, monotonicMs } = this.options;
    const { job, owner } = each;
    if (each.isWithdrawn || this.away.get(job) !== each) return;
    const link = this.linkOf(owner.pool);
    switch (dueFor(await this.factsOf(each), leaseMs())) {
      case "wait":
        return;
      case "add": {
        if (link === undefined || !link.isThere || monotonicMs() - each.offeredMs < OFFER_EVERY_MS) return;
        const candidate = await this.candidateOf(each);
        if (candidate === null) return;
        each.offeredMs = monotonicMs();
        const files = await this.filesOf(each, candidate.task);
        const bytes = bytesOf(files);
        if (bytes > FILES_BYTES_MAX) return this.conclude(each, candidate, tooMuch(candidate.task, owner.pool, bytes));
        const outputs = await this.outputsOf(each, candidate.task, files);
        await link.add(job, await this.options.jobFor(candidate, files, outputs));
        return;
      }
      case "withdraw":
        if (link === undefined || !link.isThere) return;
        each.isWithdrawn = true;
        await link.remove(job);
        return link.tell(job, { kind: "stop" });
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
    const known = this.links.get(pool);
    const parts = partsOfJob(job);
    // Of one that was let go nothing is believed, also where another has its name by now.
    if (known?.pool.key !== key || parts === null || parts.home !== this.options.identity.id) return;
    const { link } = known;
    const each = this.away.get(job);
    // A pool speaks of what it was given, and of nothing else.
    if (each !== undefined && each.owner.pool !== pool) return;
    if (said.kind === "calls") return this.noteCalls(link, { pool, job, ...parts }, said);
    const { nonce } = said;
    if (each === undefined) {
      // Memory may be behind: what is claimed is answered when it is known here, because the pool says it again.
      if (await this.isClaimed(parts, pool)) return;
      if (said.kind === "ask") await link.tell(job, { kind: "permit", nonce, granted: false });
      else await link.tell(job, { kind: ["runs", "lines", "want"].includes(said.kind) ? "stop" : "taken" });
      if (said.kind === "ended") await link.dropOutcome(job);
      return;
    }
    switch (answerTo(said, await this.factsOf(each))) {
      case "grant":
      case "confirm":
        return this.grant(each, link, nonce);
      case "refuse":
        return link.tell(job, { kind: "permit", nonce, granted: false });
      case "stop":
        return link.tell(job, { kind: "stop" });
      case "note":
        each.heardMs = this.options.monotonicMs();
        return this.passOn(each);
      case "show": {
        each.heardMs = this.options.monotonicMs();
        each.stream ??= this.options.openStream(each.id);
        if (said.kind === "lines") for (const line of said.lines) each.stream.write(line);
        return;
      }
      case "lay":
        if (said.kind === "want") await this.lay(each, link, said);
        return;
      case "take":
        // A piece counts only for an outcome that is known here; the pool says again that it has one.
        if (said.kind === "ended" ? await this.isNoted(each, link, said.calls) : each.accepted !== undefined)
          await this.take(each, link);
        return;
      case "interrupted":
        if (said.kind !== "lost" || !(await this.isNoted(each, link, said.calls))) return;
        await this.cutOff(each, `the pool of ${pool} ended while it ran`, said.death);
        return link.tell(job, { kind: "taken" });
      case "dismiss":
        await link.dropOutcome(job);
        return link.tell(job, { kind: "taken" });
    }
  }

  /** By name: has the pool this attempt, as far as nothing has ended it? */
  private async isClaimed({ task, attempt, epoch }: { task: string; attempt: number; epoch: string }, pool: string) {
    const claim = await readRecord(this.options.fs, Claim, claimPath(ROLE, task, attempt));
    const owner = PoolOwner.safeParse(claim?.owner).data;
    return owner?.pool === pool && owner.epoch === epoch && !(await this.isOver(task, attempt));
  }

  /** Created once: of two runs that ask, in whatever order their questions come, the first begins. */
  private async grant(each: Away, link: Link, nonce: string): Promise<void> {
    const { fs, nowMs, monotonicMs } = this.options;
    const { id, attempt, job, owner } = each;
    const path = permitPath(id, attempt);
    const permit: Permit = { job, pool: owner.pool, nonce, at: new Date(nowMs()).toISOString() };
    const granted =
      (await createRecord(fs, Permit, path, permit)) || (await readRecord(fs, Permit, path))?.nonce === nonce;
    each.heardMs = monotonicMs();
    const task = granted ? await this.taskOf(id) : null;
    if (task !== null) await this.options.useAnswers(task);
    await link.tell(job, { kind: "permit", nonce, granted });
    if (granted) await this.passOn(each);
  }

  private async passOn({ id, job, owner }: Away): Promise<void> {
    const link = this.linkOf(owner.pool);
    if (link === undefined || !link.isThere) return;
    for (const { taskId: _, ...steer } of this.signalsOf(id)) await link.tell(job, { kind: "steer", steer });
  }

  private signalsOf(id: string) {
    const own = [...this.options.mirror.signals.values()].filter(({ taskId }) => taskId === id);
    return own.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  }

  private async take(each: Away, link: Link): Promise<void> {
    const { options } = this;
    const { job, id, attempt, claim, owner } = each;
    each.heardMs = options.monotonicMs();
    const candidate = await this.candidateOf(each);
    const pool = this.links.get(owner.pool)?.pool;
    if (candidate === null || pool === undefined) return;
    const { task } = candidate;
    if (each.accepted === undefined) {
      const found = await link.outcome(job, OUTCOME_BYTES_MAX);
      // The engine has lost it: the pool says it again.
      if (found === null) return;
      const place = { key: pool.key, job, pool: pool.name, task, runDir: join(options.home, runPath(id, attempt)) };
      each.accepted = acceptOutcome(found, place, this.signalsOf(id));
    }
    if (!(await this.hasFiles(each, each.accepted, task, link))) return;
    const { outcome } = each.accepted;
    await each.stream?.end();
    options.noteUsage(candidate, claim.at, each.accepted);
    if (outcome.failureReason === "interrupted") await this.cutOff(each, outcome.error ?? "it was not run to its end");
    else await this.conclude(each, candidate, outcome);
    await link.tell(job, { kind: "taken" });
    await link.dropOutcome(job);
  }

  private async conclude({ id, attempt, claim, owner }: Away, candidate: Allotted, outcome: Outcome): Promise<void> {
    const { fs, nowMs, retryDelaySec, audit } = this.options;
    const written = await publish(candidate, claim, outcome, { fs, nowMs, retryDelaySec: retryDelaySec() });
    const { traceId, parentId } = candidate.task;
    const about = { taskId: id, traceId, ...(parentId && { parentId }), attempts: attempt };
    if (written === null) audit({ event: "outcome_discarded", ...about });
    else if ("retryAt" in written)
      audit({
        event: written.asks === undefined ? "task_retry" : "task_asks",
        ...about,
        failureReason: written.failureReason,
        detail: { error: written.error },
      });
    else
      audit({
        event: `task_${written.status}`,
        ...about,
        ...(written.failureReason && { failureReason: written.failureReason }),
        detail: { pool: owner.pool, ...(written.error && { error: written.error }) },
      });
  }

  private async filesOf(each: Away, task: Task): Promise<PoolJob["files"]> {
    each.files ??= await this.options.filesOf(task);
    return each.files;
  }

  private async outputsOf(each: Away, task: Task, files: PoolJob["files"]): Promise<CarriedOutput[]> {
    each.outputs ??= (await this.options.outputsOf?.(task, FILES_BYTES_MAX - bytesOf(files))) ?? [];
    return each.outputs;
  }

  /** Notes each tool call once, also of what is over meanwhile: the permit says whose they are. */
  private async noteCalls(
    link: Link,
    { pool, job, task: taskId, attempt }: { pool: string; job: string; task: string; attempt: number },
    { nonce, first, calls }: Extract<FromPool, { kind: "calls" }>,
  ): Promise<void> {
    const { fs, audit, monotonicMs } = this.options;
    const path = notedCallsPath(taskId, attempt);
    // Before the permit, which goes before it: a count that a sweep has just removed would be none.
    const noted = (await readRecord(fs, NotedCalls, path))?.calls ?? 0;
    const permit = await readRecord(fs, Permit, permitPath(taskId, attempt));
    // Never permitted, or long over: nothing waits for them.
    if (permit?.job !== job || permit.pool !== pool || permit.nonce !== nonce)
      return link.tell(job, { kind: "noted", calls: first + calls.length });
    const each = this.away.get(job);
    if (each !== undefined) each.heardMs = monotonicMs();
    const fresh = first > noted ? [] : calls.slice(noted - first);
    const traceId = (await this.taskOf(taskId))?.traceId;
    for (const [i, { durationMs, ...call }] of fresh.entries())
      audit({
        event: "tool_call",
        taskId,
        ...(traceId !== undefined && { traceId }),
        attempts: attempt,
        durationMs,
        detail: { ...call, pool, call: noted + i + 1 },
      });
    const all: NotedCalls = { calls: noted + fresh.length };
    if (fresh.length > 0) await replaceView(fs, path, `${JSON.stringify(all)}\n`);
    await link.tell(job, { kind: "noted", ...all });
  }

  /** Are so many of its tool calls noted? Else the pool is told how many are, and says the others again. */
  private async isNoted({ id, job, attempt }: Away, link: Link, calls: number): Promise<boolean> {
    if (calls === 0) return true;
    const noted = (await readRecord(this.options.fs, NotedCalls, notedCallsPath(id, attempt)))?.calls ?? 0;
    if (noted < calls) await link.tell(job, { kind: "noted", calls: noted });
    return noted >= calls;
  }

  /** Lays a piece of a file that the task names, and of no other. */
  private async lay(each: Away, link: Link, { file, piece }: Piece): Promise<void> {
    const { id, job } = each;
    const task = await this.taskOf(id);
    if (task === null) return;
    const files = await this.filesOf(each, task);
    const isNamed = files.some((named) => named.file.id === file && named.isThere);
    const output = (await this.outputsOf(each, task, files)).find((named) => named.file.id === file);
    const path = isNamed ? join(this.options.home, attachmentPath(file)) : output?.path;
    const data = path === undefined ? null : await readPiece(path, piece);
    if (data !== null) await link.putPiece(job, { file, piece }, data);
    await link.tell(job, { kind: "laid", file, piece, isThere: data !== null });
  }

  /** Takes what has come of the files of an outcome, and asks for the next piece. @returns true when all of them are here. */
  private async hasFiles(each: Away, { files }: Accepted, task: Task, link: Link): Promise<boolean> {
    const { job, owner } = each;
    try {
      for (const { to, ...file } of files)
        for (;;) {
          const number = await missingPiece(to);
          if (number === null) break;
          const piece = { file: file.id, piece: number };
          const data = await link.takePiece(job, piece);
          if (data === null) {
            await link.tell(job, { kind: "want", ...piece });
            return false;
          }
          await addPiece(to, file, number, data);
        }
    } catch (error) {
      if (!(error instanceof BadFile)) throw error;
      each.accepted = invalid(task, owner.pool, error.message);
    }
    return true;
  }

  /** The attempt has ended without an outcome; `onInterrupt` says what follows. */
  private async cutOff(
    { id, attempt, job, owner, stream }: Away,
    error: string,
    death: Death = "unknown",
  ): Promise<void> {
    const { fs, nowMs, audit } = this.options;
    const at = new Date(nowMs()).toISOString();
    // With a death, what was reserved for it counts as spent until its usage is known.
    const record: FailedAttempt = {
      id,
      attempt,
      failureReason: "interrupted",
      error,
      at,
      retryAt: at,
      death,
    };
    if (await createRecord(fs, FailedAttempt, failedAttemptPath(ROLE, id, attempt), record))
      audit({ event: "task_cut_off", taskId: id, attempts: attempt, detail: { error, pool: owner.pool } });
    await stream?.end();
    const link = this.linkOf(owner.pool);
    if (link?.isThere === true) await link.remove(job);
  }

  private taskOf(id: string): Promise<Task | null> {
    return readRecord(this.options.fs, Task, queuePath(ROLE, id));
  }

  private async candidateOf({ id, attempt, claim }: Away): Promise<Allotted | null> {
    const task = await this.taskOf(id);
    if (task === null) return null;
    const before: Attempt[] = (this.options.mirror.attemptFacts.get(id) ?? []).filter((each) => each.attempt < attempt);
    const earlier = before.flatMap(({ failed }) =>
      failed === undefined ||
      failed.failureReason === "interrupted" ||
      failed.outage === true ||
      failed.asks !== undefined
        ? []
        : [failed],
    );
    return {
      task,
      attempt,
      earlier,
      outages: outagesOf(before),
      interrupted: before.some(wasCutOff),
      company: "all",
      ...(claim.reserved !== undefined && { reserved: claim.reserved }),
    };
  }

  /** A permit is kept for as long as its claim: without the claim nobody is permitted anything. */
  private async removePermits(): Promise<void> {
    const { fs, mirror } = this.options;
    for (const file of await fs.list(PERMITS)) {
      const [, id = "", digits] = PERMIT_FILE.exec(file) ?? [];
      if (id === "" || mirror.attempts.has(id) || (await fs.exists(queuePath(ROLE, id)))) continue;
      for (const path of [permitPath(id, Number(digits)), notedCallsPath(id, Number(digits))]) await fs.unlink(path);
    }
  }
}

const bytesOf = (files: PoolJob["files"]) =>
  files.reduce((sum, { file, isThere }) => sum + (isThere ? file.bytes : 0), 0);

/** The end of a task whose files are more than may go to a machine. */
function tooMuch(task: Task, pool: string, bytes: number): Outcome {
  const mb = (count: number) => Math.ceil(count / MEBIBYTE);
  const error = `the files of this task have ${mb(bytes)} MB, and at most ${mb(FILES_BYTES_MAX)} MB go to another machine: send fewer or smaller ones, copy them to ${pool} yourself and say where they are, or name no machine`;
  return failedOutcome(task, "error", error);
}
