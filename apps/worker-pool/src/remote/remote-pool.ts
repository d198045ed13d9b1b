/**
 * The attempts that this machine runs for a home elsewhere (docs/pools.md). Each begins with a permit of the home; what came of it is on the
 * disk here until the home has taken it. A pool that reaches nobody for a lease ends what it runs, because the home gives it up after two.
 */

import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import type { AttachmentEvidence } from "@mimikit/agent/prompt/evidence";
import type { RunOutcome } from "@mimikit/agent/run/run-task";
import { Steering } from "@mimikit/agent/steering";
import { tryJson } from "@mimikit/protocol/base/json";
import {
  BegunAway,
  CALLS_MAX,
  type CarriedFile,
  type DeathAway,
  EndedAway,
  type FilePiece,
  type FromPool,
  LINES_MAX,
  PIECE_BYTES,
  PIECES_AHEAD_MAX,
  PoolCall,
  type PoolJob,
  PoolOutcome,
  type ToPool,
} from "@mimikit/protocol/pools/messages";
import type { Identity } from "@mimikit/protocol/records/claim";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import type { StreamLine } from "@mimikit/protocol/wire/stream";
import { partsOfJob } from "@mimikit/runtime/pools/names";
import { addPiece, missingPiece, readPiece } from "@mimikit/runtime/pools/pieces";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { createUnsynced, makeDurableDir, readUnlessTorn } from "@mimikit/store/disk/record";
import {
  AWAY,
  begunAwayPath,
  callsAwayPath,
  endedAwayPath,
  filesAwayPath,
  filesOutPath,
} from "@mimikit/store/disk/state";

const NONCE_BYTES = 8;
const ASK_EVERY_MS = 1_000;
/** Stream lines are sent so often. */
const LINES_EVERY_MS = 50;
/** Lines that wait to be sent; older ones are lost, as a stream may be. */
const WAITING_LINES_MAX = 2_000;
const TEXT_CHARS_MAX = 4_000;
const RECORD = /^(.+)\.(begun|ended)\.json$/;
const FILES = /^(.+)\.(files|out|calls\.jsonl)$/;
/** Characters of the calls of one attempt that are read again. */
const CALLS_BYTES_MAX = 67_108_864;

/** The pool's connection to its home. */
export interface HomeConnection {
  /** Milliseconds since the engine has answered last. */
  readonly silentMs: number;
  tell(job: string, said: FromPool): Promise<void>;
  /** Says that an attempt has this outcome, and has made so many tool calls. */
  handIn(job: string, run: { nonce: string; calls: number }, outcome: PoolOutcome): Promise<void>;
  putPiece(job: string, piece: FilePiece, data: Buffer): Promise<void>;
  /** null where it does not lie there. */
  takePiece(job: string, piece: FilePiece): Promise<Buffer | null>;
}

/** A run, once it has ended. */
export interface EndedRun extends Pick<PoolOutcome, "isBegun" | "files" | "tools"> {
  outcome: RunOutcome;
}

export interface RemotePoolOptions {
  home: string;
  /** The home that it works for. */
  homeId: string;
  fs: FileSystem;
  /** This process. */
  identity: Identity;
  connection: HomeConnection;
  leaseMs: number;
  /** Milliseconds of a clock that never jumps. */
  monotonicMs(): number;
  /** Does it so often, until what it returns is called. */
  every(ms: number, work: () => void): () => void;
  /** Waits that many milliseconds. */
  wait(ms: number): Promise<void>;
  /** Adds to the end of a file of the state directory, which outlives this process. */
  append(path: string, text: string): void;
  /** Removes a file of the state directory, or a directory with all that is in it. */
  remove(path: string): Promise<void>;
  /**
   * Prepares an attempt, and runs it once `told.begin` says that it may begin, with the files of its messages and the outputs of the tasks
   * before it; copies those of its result to `outDir`. Ends soon after `stop` aborts, with all its processes gone. Never throws.
   */
  run(
    job: PoolJob,
    steering: Steering,
    stop: AbortSignal,
    home: HomeOfRun,
    files: { evidence: readonly AttachmentEvidence[]; outputs: ReadonlyMap<string, string>; outDir: string },
  ): Promise<EndedRun>;
  /** The home needs no more of this attempt. @param goesOn another attempt may go on where it was. @param fileIds those of its messages. */
  forget(job: string, goesOn: boolean, fileIds: readonly string[]): Promise<void>;
  audit(event: string, job: string, detail?: Record<string, unknown>): void;
  onError(error: unknown): void;
}

/** The home, as a run of this machine sees it. */
export interface HomeOfRun {
  /** May it begin? Resolves when the home has answered, which may take hours; the same answer each time. Throws what the disk throws. */
  begin(): Promise<boolean>;
  onLine(line: StreamLine): void;
  onCall(call: PoolCall): void;
}

interface Running {
  nonce: string;
  hasPermit: boolean;
  /** That what it waits for is answered, by the name of that. */
  question?: { of: string; answer(isYes: boolean): void };
  stop: AbortController;
  steering: Steering;
  lines: StreamLine[];
  ended: Promise<void>;
}

/** Not yet taken by the home: an outcome, or how the process died which ran it. */
type Kept = { nonce: string } & ({ outcome: PoolOutcome } | { outcome: null; death: DeathAway });

export class RemotePool {
  private readonly options: RemotePoolOptions;
  private readonly running = new Map<string, Running>();
  private readonly kept = new Map<string, Kept>();
  /** The tool calls of each attempt, and how many of them the home has noted. */
  private readonly calls = new Map<string, { made: PoolCall[]; noted: number }>();
  private isStopping = false;
  private onTaken: () => void = () => {};

  constructor(options: RemotePoolOptions) {
    this.options = options;
  }

  /** Attempts that it has now. */
  get size(): number {
    return this.running.size;
  }

  /** Reads what an earlier process has left. Its processes must be gone. Throws what the disk throws. */
  async load(): Promise<void> {
    const { fs, identity, homeId } = this.options;
    await makeDurableDir(fs, AWAY);
    const lost: BegunAway[] = [];
    for (const file of await fs.list(AWAY)) {
      const [, job, kind] = RECORD.exec(file) ?? [];
      if (job === undefined) continue;
      // A power loss may take the beginning alone.
      if (kind === "ended" && !(await fs.exists(begunAwayPath(job)))) await this.unlinkRecords(job);
      if (kind !== "begun") continue;
      // Of a home that this machine has left: it never asks for it any more.
      if (partsOfJob(job)?.home !== homeId) {
        await this.removeFiles(job, false);
        await this.unlinkRecords(job);
        continue;
      }
      const begun = await readUnlessTorn(fs, BegunAway, begunAwayPath(job));
      if (begun === null) await this.unlinkRecords(job);
      else if (!(await this.keepEnded(begun))) lost.push(begun);
    }
    for (const { job, nonce, owner } of lost) {
      const beside = lost.filter((each) => isSame(each.owner, owner)).length - 1;
      const death = owner.bootId !== identity.bootId ? "reboot" : beside > 0 ? "shared" : "alone";
      this.kept.set(job, { nonce, outcome: null, death });
    }
    // Files for an attempt that never began come again with it; so do calls, where its beginning was lost with the power.
    for (const file of await fs.list(AWAY)) {
      const job = FILES.exec(file)?.[1];
      if (job !== undefined && !this.kept.has(job)) await this.removeFiles(job, false);
    }
  }

  /** Reads the calls and the outcome of an attempt that runs no more. @returns false where it has no outcome. Throws what the disk throws. */
  private async keepEnded({ job, nonce }: BegunAway): Promise<boolean> {
    const { fs } = this.options;
    const ended = await readUnlessTorn(fs, EndedAway, endedAwayPath(job));
    const lines = (await fs.read(callsAwayPath(job), CALLS_BYTES_MAX))?.split("\n") ?? [];
    this.calls.set(job, { made: lines.flatMap((line) => PoolCall.safeParse(tryJson(line)).data ?? []), noted: 0 });
    if (ended !== null) this.kept.set(job, { nonce, outcome: ended.outcome });
    return ended !== null;
  }

  /**
   * Where the disk failed while an attempt began or ended here, the home hears what the disk has of it: its outcome, or that it is lost.
   * @returns false where it has not begun. Throws what the disk throws.
   */
  private async handInRemains(job: string): Promise<boolean> {
    const begun = await readUnlessTorn(this.options.fs, BegunAway, begunAwayPath(job));
    if (begun === null) return false;
    if (!(await this.keepEnded(begun))) this.kept.set(job, { nonce: begun.nonce, outcome: null, death: "shared" });
    this.announce(job);
    return true;
  }

  /** Runs the attempt, once the home permits it. Resolves when nothing more is to be done for the job; never throws. */
  run(job: string, record: PoolJob): Promise<void> {
    const before = this.running.get(job);
    // The engine has taken it for stalled, and offers it to the pool that runs it.
    if (before !== undefined) return before.ended;
    if (this.isStopping || this.kept.has(job)) return Promise.resolve();
    const running: Running = {
      nonce: randomBytes(NONCE_BYTES).toString("hex"),
      hasPermit: false,
      stop: new AbortController(),
      steering: new Steering(),
      lines: [],
      ended: Promise.resolve(),
    };
    running.stop.signal.addEventListener("abort", () => running.question?.answer(false));
    running.ended = this.askAndRun(job, record, running)
      .catch(async (error: unknown) => {
        this.options.onError(error);
        await this.handInRemains(job);
      })
      .catch(this.options.onError)
      .finally(() => this.running.delete(job));
    this.running.set(job, running);
    return running.ended;
  }

  /** Handles a message of the home. */
  hear(job: string, told: ToPool): void {
    const running = this.running.get(job);
    switch (told.kind) {
      case "permit":
        if (running?.nonce !== told.nonce || running.question?.of !== PERMIT) return;
        // An old permit, as after a suspension, may be of an attempt that was given up meanwhile: it asks again.
        if (!told.granted || !this.isOld(told.askedMs)) running.question.answer(told.granted);
        return;
      case "laid":
        if (running?.question?.of === nameOf(told)) running.question.answer(told.isThere);
        return;
      case "want":
        void this.lay(job, told).catch(this.options.onError);
        return;
      case "stop":
        running?.stop.abort("cancelled");
        // Remains of an earlier process are reported without being asked for.
        if (running === undefined && this.kept.has(job)) void this.letGo(job).catch(this.options.onError);
        return;
      case "noted": {
        const calls = this.calls.get(job);
        if (calls === undefined) return;
        calls.noted = Math.min(told.calls, calls.made.length);
        if (this.kept.has(job) && calls.noted < calls.made.length) this.announce(job);
        else this.sayCalls(job);
        return;
      }
      case "steer":
        running?.steering.offer(told.steer);
        return;
      case "taken":
        // Of another run of this job it says nothing about this one's outcome.
        if (this.kept.get(job)?.nonce === told.nonce) void this.letGo(job).catch(this.options.onError);
    }
  }

  /** Says what runs and what is kept, and ends what runs where nobody was reached for too long. */
  beat(): void {
    const { connection, leaseMs, audit } = this.options;
    for (const [job, running] of this.running) {
      if (!running.hasPermit) continue;
      if (connection.silentMs > leaseMs && !running.stop.signal.aborted) {
        audit("pool_unreached", job, { silentMs: Math.round(connection.silentMs) });
        running.stop.abort("interrupted");
        continue;
      }
      this.say(job, { kind: "runs", nonce: running.nonce });
      this.sayCalls(job);
    }
    for (const job of this.kept.keys()) this.announce(job);
  }

  /** Ends all that runs, and resolves when the home has taken what came of it, or after `msMax`. */
  async stop(msMax: number): Promise<void> {
    this.isStopping = true;
    const all = [...this.running.values()];
    for (const { stop } of all) stop.abort("interrupted");
    await Promise.all(all.map(({ ended }) => ended));
    if (this.kept.size === 0) return;
    const taken = new Promise<void>((resolve) => {
      this.onTaken = resolve;
    });
    await Promise.race([taken, this.options.wait(msMax)]);
  }

  private async askAndRun(job: string, record: PoolJob, running: Running): Promise<void> {
    const { fs, audit } = this.options;
    const { nonce, stop, steering } = running;
    // The engine offers it again, and the disk failed when its outcome was to be kept.
    if (await this.handInRemains(job)) return;
    for (const { file, isThere } of record.files) if (isThere) await this.fetch(job, file, running);
    for (const { file } of record.outputs ?? []) await this.fetch(job, file, running);
    if (stop.signal.aborted) return this.removeFiles(job, false);
    // While the home decides, the run is prepared.
    const begun = this.begin(job, running);
    begun.catch(() => undefined);
    const endSending = this.options.every(LINES_EVERY_MS, () => this.sendLines(job, running));
    const ran = await this.options
      .run(
        record,
        steering,
        stop.signal,
        {
          begin: () => begun,
          onLine: (line) => {
            running.lines.push(line);
            if (running.lines.length > WAITING_LINES_MAX) running.lines.shift();
          },
          onCall: (call) => this.noteCall(job, call),
        },
        {
          evidence: record.files.map(({ messageId, file }) => {
            const path = this.pathOf(job, file.id);
            return { messageId, file, path: existsSync(path) ? path : null };
          }),
          outputs: new Map((record.outputs ?? []).map(({ taskId, file }) => [taskId, this.pathOf(job, file.id)])),
          outDir: join(this.options.home, filesOutPath(job)),
        },
      )
      .finally(endSending);
    if (!(await begun)) return this.removeFiles(job, false);
    this.sendLines(job, running);
    const outcome = outcomeOf(ran);
    await createUnsynced(fs, EndedAway, endedAwayPath(job), { job, nonce, outcome });
    audit("attempt_ended", job, { status: outcome.status });
    this.kept.set(job, { nonce, outcome });
    await this.layAhead(job, outcome);
    this.announce(job);
  }

  /** Asks the home, and notes that the attempt begins. @returns false where it may not, or was stopped before. */
  private async begin(job: string, running: Running): Promise<boolean> {
    const { fs, audit, identity, monotonicMs } = this.options;
    const { nonce, stop } = running;
    const question = (): FromPool => ({ kind: "ask", nonce, askedMs: monotonicMs() });
    const isPermitted = await this.ask(job, running, question, PERMIT);
    if (!isPermitted || stop.signal.aborted) return false;
    await createUnsynced(fs, BegunAway, begunAwayPath(job), { job, nonce, owner: identity });
    running.hasPermit = true;
    this.calls.set(job, { made: [], noted: 0 });
    audit("attempt_begun", job);
    return true;
  }

  /** Asks until there is an answer: the home may be away for as long as it likes. No where it is stopped. */
  private async ask(job: string, running: Running, question: () => FromPool, of: string): Promise<boolean> {
    const answered = Promise.withResolvers<boolean>();
    running.question = { of, answer: answered.resolve };
    if (running.stop.signal.aborted) return false;
    const ask = () => this.say(job, question());
    const endAsking = this.options.every(ASK_EVERY_MS, ask);
    ask();
    try {
      return await answered.promise;
    } finally {
      endAsking();
      delete running.question;
    }
  }

  /** The home gives an attempt up two leases after its answer: within one of the question, it has not done so. */
  private isOld(askedMs: number): boolean {
    return this.options.monotonicMs() - askedMs > this.options.leaseMs;
  }

  /** Gets a file piece by piece, as far as the home has it. */
  private async fetch(job: string, file: CarriedFile, running: Running): Promise<void> {
    const { nonce } = running;
    const path = this.pathOf(job, file.id);
    for (;;) {
      const number = await missingPiece(path);
      if (number === null) return;
      const piece = { file: file.id, piece: number };
      if (!(await this.ask(job, running, () => ({ kind: "want", nonce, ...piece }), nameOf(piece)))) return;
      const data = await this.options.connection.takePiece(job, piece);
      if (data !== null) await addPiece(path, file, number, data);
    }
  }

  private pathOf(job: string, id: string): string {
    return join(this.options.home, filesAwayPath(job), id);
  }

  /** Lays a piece of a file of the outcome where the home reads it. */
  private async lay(job: string, { file, piece }: FilePiece): Promise<void> {
    const nonce = this.kept.get(job)?.nonce;
    const data = await readPiece(join(this.options.home, filesOutPath(job), file), piece);
    if (nonce === undefined || data === null) return;
    await this.options.connection.putPiece(job, { file, piece }, data);
    this.say(job, { kind: "laid", nonce, file, piece });
  }

  /** Lays the first pieces of the files of an outcome, so that the home need not ask for them. */
  private async layAhead(job: string, { files }: PoolOutcome): Promise<void> {
    const pieces = files.flatMap(({ id, bytes, data }) =>
      data !== undefined
        ? []
        : Array.from({ length: Math.max(1, Math.ceil(bytes / PIECE_BYTES)) }, (_, piece) => ({ file: id, piece })),
    );
    for (const piece of pieces.slice(0, PIECES_AHEAD_MAX)) {
      const data = await readPiece(join(this.options.home, filesOutPath(job), piece.file), piece.piece);
      // Not waited for: the engine does it before it hears of the outcome. The home asks for a piece that is lost.
      if (data !== null) void this.options.connection.putPiece(job, piece, data).catch(this.options.onError);
    }
  }

  private async removeFiles(job: string, goesOn: boolean): Promise<void> {
    const { fs, forget, remove } = this.options;
    const ids = (await fs.exists(filesAwayPath(job))) ? await fs.list(filesAwayPath(job)) : [];
    await forget(
      job,
      goesOn,
      ids.map((name) => basename(name, ".part")),
    );
    for (const path of [filesAwayPath(job), filesOutPath(job), callsAwayPath(job)]) await remove(path);
  }

  /** In its file before it is said: the home hears each call, also of a run whose process is killed. */
  private noteCall(job: string, call: PoolCall): void {
    this.options.append(callsAwayPath(job), `${JSON.stringify(call)}\n`);
    this.calls.get(job)?.made.push(call);
    this.sayCalls(job);
  }

  /** Says the next of those that are not noted. @returns how many there are, and whether all of them are said. */
  private sayCalls(job: string): { made: number; areSaid: boolean } {
    const { made, noted: first } = this.calls.get(job) ?? { made: [], noted: 0 };
    const nonce = (this.running.get(job) ?? this.kept.get(job))?.nonce;
    const calls = made.slice(first, first + CALLS_MAX);
    if (calls.length > 0 && nonce !== undefined) this.say(job, { kind: "calls", nonce, first, calls });
    return { made: made.length, areSaid: first + calls.length === made.length };
  }

  private sendLines(job: string, { nonce, lines }: Running): void {
    while (lines.length > 0) this.say(job, { kind: "lines", nonce, lines: lines.splice(0, LINES_MAX) });
  }

  /** With its outcome each time: the message, or what the engine had, may be lost. */
  private announce(job: string): void {
    const kept = this.kept.get(job);
    if (kept === undefined || this.options.connection.silentMs > this.options.leaseMs) return;
    const { made: calls, areSaid } = this.sayCalls(job);
    if (!areSaid) return;
    const { nonce } = kept;
    if (kept.outcome === null) this.say(job, { kind: "lost", nonce, calls, death: kept.death });
    else this.options.connection.handIn(job, { nonce, calls }, kept.outcome).catch(this.options.onError);
  }

  /** It is not awaited: a message that is not heard is repeated. */
  private say(job: string, said: FromPool): void {
    this.options.connection.tell(job, said).catch(this.options.onError);
  }

  private async letGo(job: string): Promise<void> {
    const kept = this.kept.get(job);
    if (kept === undefined) return;
    const { outcome } = kept;
    await this.removeFiles(
      job,
      outcome === null || outcome.asks !== undefined || outcome.failureReason === "interrupted",
    );
    await this.unlinkRecords(job);
    this.kept.delete(job);
    this.calls.delete(job);
    if (this.kept.size === 0) this.onTaken();
  }

  /** The beginning last: without it there is nothing to be said. */
  private async unlinkRecords(job: string): Promise<void> {
    const { fs } = this.options;
    await fs.unlink(endedAwayPath(job));
    await fs.unlink(begunAwayPath(job));
  }
}

const isSame = (a: Identity, b: Identity) => a.pid === b.pid && a.startTime === b.startTime && a.bootId === b.bootId;

/** The question for a permit. */
const PERMIT = "permit";
const nameOf = ({ file, piece }: FilePiece) => `${file}.${piece}`;

/** The outcome of a run as it goes to the home. */
function outcomeOf(ran: EndedRun): PoolOutcome {
  const { error, question, steers, isOutage: _, effects: _effects, shown: _shown, ...rest } = ran.outcome;
  const handed = {
    ...rest,
    files: ran.files,
    tools: ran.tools,
    isBegun: ran.isBegun,
    steers: steers.map(({ id }) => id),
    ...(error !== undefined && { error: beginningOf(error, TEXT_CHARS_MAX) }),
    ...(question !== undefined && { question: beginningOf(question, TEXT_CHARS_MAX) }),
  };
  const checked = PoolOutcome.safeParse(handed);
  if (checked.success) return checked.data;
  return PoolOutcome.parse({
    ...handed,
    status: "failed",
    failureReason: "invalid_result",
    error: "the run ended in no outcome that can be handed in",
    retryable: false,
    resultType: "text",
    result: null,
    files: [],
  });
}
