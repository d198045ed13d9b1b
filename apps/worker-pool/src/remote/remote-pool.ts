/**
 * The attempts that this machine runs for a home elsewhere (docs/pools.md). Each begins with a permit of the home; what came of it is on the
 * disk here until the home has taken it. A pool that reaches nobody for a lease ends what it runs, because the home gives it up after two.
 */
import { randomBytes } from "node:crypto";
import type { Outcome } from "@mimikit/agent/run/run-task";
import { Steering } from "@mimikit/agent/steering";
import {
  BegunAway,
  EndedAway,
  type FromPool,
  LINES_MAX,
  type PoolJob,
  PoolOutcome,
  type ToPool,
} from "@mimikit/protocol/pools/messages";
import type { StreamLine } from "@mimikit/protocol/wire/stream";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { createRecord, readRecord } from "@mimikit/store/disk/record";
import { AWAY, begunAwayPath, endedAwayPath } from "@mimikit/store/disk/state";
import { z } from "zod";

const NONCE_BYTES = 8;
const ASK_EVERY_MS = 1_000;
/** Stream lines are sent so often. */
const LINES_EVERY_MS = 50;
/** Lines that wait to be sent; older ones are lost, as a stream may be. */
const WAITING_LINES_MAX = 2_000;
const TEXT_CHARS_MAX = 4_000;
const RECORD = /^(.+)\.(begun|ended)\.json$/;

/** The pool's connection to its home. */
export interface HomeLink {
  /** Milliseconds since the engine has answered last. */
  readonly silentMs: number;
  tell(job: string, said: FromPool): Promise<void>;
  putOutcome(job: string, outcome: PoolOutcome): Promise<void>;
}

export interface RemotePoolOptions {
  fs: FileSystem;
  link: HomeLink;
  leaseMs: number;
  /** Runs an attempt; ends soon after `stop` aborts, with all its processes gone. Never throws. */
  run(
    job: PoolJob,
    steering: Steering,
    stop: AbortSignal,
    onLine: (line: StreamLine) => void,
  ): Promise<{ outcome: Outcome; isBegun: boolean }>;
  /** The home needs no more of this attempt. @param goesOn another attempt may go on where it was. */
  forget(job: string, goesOn: boolean): Promise<void>;
  audit(event: string, job: string, detail?: Record<string, unknown>): void;
  onError(error: unknown): void;
}

interface Running {
  nonce: string;
  hasPermit: boolean;
  answered: PromiseWithResolvers<boolean>;
  stop: AbortController;
  steering: Steering;
  lines: StreamLine[];
  ended: Promise<void>;
}

/** Not yet taken by the home: an outcome, or that the process which ran it is gone. */
interface Kept {
  nonce: string;
  outcome: PoolOutcome | null;
}

export class RemotePool {
  private readonly options: RemotePoolOptions;
  private readonly running = new Map<string, Running>();
  private readonly kept = new Map<string, Kept>();
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
    const { fs } = this.options;
    await fs.makeDir(AWAY);
    for (const file of await fs.list(AWAY)) {
      const [, job, kind] = RECORD.exec(file) ?? [];
      if (job === undefined || kind !== "begun") continue;
      const begun = await readRecord(fs, BegunAway, begunAwayPath(job));
      const ended = await readRecord(fs, EndedAway, endedAwayPath(job));
      if (begun !== null) this.kept.set(job, { nonce: begun.nonce, outcome: ended?.outcome ?? null });
    }
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
      answered: Promise.withResolvers(),
      stop: new AbortController(),
      steering: new Steering(),
      lines: [],
      ended: Promise.resolve(),
    };
    running.stop.signal.addEventListener("abort", () => running.answered.resolve(false));
    running.ended = this.askAndRun(job, record, running)
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
        if (running?.nonce === told.nonce && !running.hasPermit) running.answered.resolve(told.granted);
        return;
      case "stop":
        running?.stop.abort("cancelled");
        // Remains of an earlier process are reported without being asked for.
        if (running === undefined && this.kept.has(job)) void this.letGo(job).catch(this.options.onError);
        return;
      case "steer":
        running?.steering.offer(told.steer);
        return;
      case "taken":
        void this.letGo(job).catch(this.options.onError);
    }
  }

  /** Says what runs and what is kept, and ends what runs where nobody was reached for too long. */
  beat(): void {
    const { link, leaseMs, audit } = this.options;
    for (const [job, running] of this.running) {
      if (!running.hasPermit) continue;
      if (link.silentMs > leaseMs && !running.stop.signal.aborted) {
        audit("pool_unreached", job, { silentMs: Math.round(link.silentMs) });
        running.stop.abort("interrupted");
      } else this.say(job, { kind: "runs", nonce: running.nonce });
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
    await Promise.race([taken, new Promise((resolve) => setTimeout(resolve, msMax))]);
  }

  private async askAndRun(job: string, record: PoolJob, running: Running): Promise<void> {
    const { fs, audit } = this.options;
    const { nonce, stop, steering } = running;
    if (!(await this.permitted(job, running)) || stop.signal.aborted) return;
    await createRecord(fs, BegunAway, begunAwayPath(job), { job, nonce });
    running.hasPermit = true;
    audit("attempt_begun", job);
    const sending = setInterval(() => this.sendLines(job, running), LINES_EVERY_MS);
    const ran = await this.options
      .run(record, steering, stop.signal, (line) => {
        running.lines.push(line);
        if (running.lines.length > WAITING_LINES_MAX) running.lines.shift();
      })
      .finally(() => clearInterval(sending));
    this.sendLines(job, running);
    const outcome = outcomeOf(ran.outcome, ran.isBegun);
    await createRecord(fs, EndedAway, endedAwayPath(job), { job, nonce, outcome });
    audit("attempt_ended", job, { status: outcome.status });
    this.kept.set(job, { nonce, outcome });
    this.announce(job);
  }

  /** Asks until there is an answer: the home may be away for as long as it likes. */
  private async permitted(job: string, { nonce, answered }: Running): Promise<boolean> {
    const ask = () => this.say(job, { kind: "ask", nonce });
    const asking = setInterval(ask, ASK_EVERY_MS);
    ask();
    try {
      return await answered.promise;
    } finally {
      clearInterval(asking);
    }
  }

  private sendLines(job: string, { nonce, lines }: Running): void {
    while (lines.length > 0) this.say(job, { kind: "lines", nonce, lines: lines.splice(0, LINES_MAX) });
  }

  /** Laid in the engine each time: it may have lost it. */
  private announce(job: string): void {
    const kept = this.kept.get(job);
    if (kept === undefined || this.options.link.silentMs > this.options.leaseMs) return;
    const { nonce, outcome } = kept;
    const laid = outcome === null ? Promise.resolve() : this.options.link.putOutcome(job, outcome);
    laid.then(() => this.say(job, { kind: outcome === null ? "lost" : "ended", nonce })).catch(this.options.onError);
  }

  /** It is not awaited: a message that is not heard is repeated. */
  private say(job: string, said: FromPool): void {
    this.options.link.tell(job, said).catch(this.options.onError);
  }

  private async letGo(job: string): Promise<void> {
    const kept = this.kept.get(job);
    if (kept === undefined) return;
    const { fs, forget } = this.options;
    const { outcome } = kept;
    await forget(job, outcome === null || outcome.asks !== undefined || outcome.failureReason === "interrupted");
    // The beginning last: without it there is nothing to be said.
    await fs.unlink(endedAwayPath(job));
    await fs.unlink(begunAwayPath(job));
    await fs.syncDir(AWAY);
    this.kept.delete(job);
    if (this.kept.size === 0) this.onTaken();
  }
}

const WithArtifact = z.looseObject({ artifact: z.string() });

/** The messages about a run that go to the home. */
function outcomeOf(outcome: Outcome, isBegun: boolean): PoolOutcome {
  const { error, question, steers, result, isOutage: _, effects: _effects, shown: _shown, ...rest } = outcome;
  const withFile = WithArtifact.safeParse(result).data;
  const { artifact: _file, ...withoutFile } = withFile ?? {};
  const handed = {
    ...rest,
    // The file stays here, and goes with the folder of the run.
    result: withFile === undefined ? result : withoutFile,
    isBegun,
    steers: steers.map(({ id }) => id),
    ...(error !== undefined && { error: error.slice(0, TEXT_CHARS_MAX) }),
    ...(question !== undefined && { question: question.slice(0, TEXT_CHARS_MAX) }),
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
  });
}
