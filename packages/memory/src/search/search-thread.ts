/**
 * A thread that searches, as its process sees it: started when it is first asked, started again when it died, and given up
 * on for one search that takes it too long. It never keeps its process from ending.
 */
import { Worker } from "node:worker_threads";
import type { MemoryAnswer, MemoryIndexState } from "@mimikit/protocol/wire/api";
import { letThreadsHaveBounds } from "@mimikit/runtime/process/v8-flags";
import type { MemoryPlace, MemoryQuery } from "../sources/memory-query.ts";
import type { ReadNotice, SearchReply, SearchRequest, SourceVersion } from "./search-message.ts";

/** A caller that waits longer searches without an index; the thread goes on, so that the next search finds the index built. */
const ANSWER_MS_MAX = 2_000;
/** A thread that has been silent for this long while it was asked is stuck. */
const SILENCE_MS_MAX = 60_000;
/** A thread that dies again before it has answered is left alone for a while: what killed it is still on the disk. */
const REST_MS = 30_000;
const HEAP_MB_MAX = 512;
/** Megabytes for what is made and soon dropped: a search makes little. Left to V8, it grows to 48. */
const YOUNG_MB_MAX = 4;

export interface ThreadLimits {
  answerMs: number;
  silenceMs: number;
  restMs: number;
}

/** Documents left out because a thread that read them hung or died; another version of one is read again. */
export type LeftOut = Map<string, SourceVersion>;

type Without<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

export class SearchThread {
  /** Is told what goes wrong in the thread, in one line. The caller is answered all the same: with null. */
  onFailure: (reason: string) => void = () => undefined;
  /** Megabytes that its heap grows to at most, from its next start on. */
  heapMb = HEAP_MB_MAX;
  private readonly program: URL;
  private readonly limits: ThreadLimits;
  private worker: Worker | null = null;
  private readonly leftOut: LeftOut;
  /** The document that it has begun to read; null where it reads none, or has ended. */
  private reads: SourceVersion | null = null;
  private readonly waiting = new Map<number, (reply: SearchReply | null) => void>();
  private lastNumber = 0;
  private deaths = 0;
  private restsUntilMs = Number.NEGATIVE_INFINITY;
  /** Requests that it has not replied to, whether or not a caller still waits for the reply. */
  private owed = 0;
  /** Since when it owes a reply; null when it owes none. On the clock that never jumps. */
  private silentSinceMs: number | null = null;
  private isClosed = false;

  /**
   * @param program what the thread runs: `search-worker.ts`.
   * @param leftOut shared by the threads that read the same documents.
   */
  constructor(
    program: URL,
    limits: ThreadLimits = { answerMs: ANSWER_MS_MAX, silenceMs: SILENCE_MS_MAX, restMs: REST_MS },
    leftOut: LeftOut = new Map(),
  ) {
    this.leftOut = leftOut;
    this.program = program;
    this.limits = limits;
  }

  get isStarted(): boolean {
    return this.worker !== null;
  }

  /** Null where the thread has no answer in time, fails or dies, or is closed. */
  async search(query: MemoryQuery): Promise<MemoryAnswer | null> {
    const reply = await this.ask({ query });
    return reply !== null && "answer" in reply ? reply.answer : null;
  }

  /** The same without the index. */
  async scan(query: MemoryQuery): Promise<MemoryAnswer | null> {
    const reply = await this.ask({ scan: query });
    return reply !== null && "answer" in reply ? reply.answer : null;
  }

  /** Brings the index of a place up to date; null where the thread has no answer in time, fails or dies, or is closed. */
  async index(place: MemoryPlace): Promise<MemoryIndexState | null> {
    const reply = await this.ask({ place });
    return reply !== null && "index" in reply ? reply.index : null;
  }

  private async ask(asked: Without<SearchRequest, "number" | "leftOut">): Promise<SearchReply | null> {
    if (this.isClosed || performance.now() < this.restsUntilMs) return null;
    const worker = this.worker ?? this.start();
    const number = ++this.lastNumber;
    const request: SearchRequest = { number, leftOut: [...this.leftOut.values()], ...asked };
    this.owed++;
    this.silentSinceMs ??= performance.now();
    return new Promise<SearchReply | null>((resolve) => {
      const timer = setTimeout(() => this.giveUp(number), this.limits.answerMs);
      this.waiting.set(number, (answered) => {
        clearTimeout(timer);
        this.waiting.delete(number);
        resolve(answered);
      });
      worker.postMessage(request);
    });
  }

  /** Ends the thread; waiting and later callers are answered with null. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.worker?.terminate();
  }

  private start(): Worker {
    letThreadsHaveBounds();
    const worker = new Worker(this.program, {
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: this.heapMb, maxYoungGenerationSizeMb: YOUNG_MB_MAX },
    });
    worker.on("message", (reply: SearchReply | ReadNotice) => {
      if ("reads" in reply) {
        this.reads = reply.reads;
        this.silentSinceMs = performance.now();
        return;
      }
      this.reads = null;
      this.deaths = 0;
      this.owed--;
      this.silentSinceMs = this.owed > 0 ? performance.now() : null;
      if ("error" in reply) this.onFailure(reply.error);
      this.waiting.get(reply.number)?.(reply);
    });
    // It is always followed by the exit, where it counts.
    worker.on("error", (error) => this.onFailure(error instanceof Error ? error.message : String(error)));
    worker.on("exit", () => this.forget(worker));
    // Only now: a listener for messages holds the process again.
    worker.unref();
    this.worker = worker;
    return worker;
  }

  private forget(worker: Worker): void {
    if (this.worker !== worker) return;
    this.worker = null;
    this.leaveOut();
    this.owed = 0;
    this.silentSinceMs = null;
    this.deaths++;
    if (this.deaths > 1) this.restsUntilMs = performance.now() + this.limits.restMs;
    for (const answer of this.waiting.values()) answer(null);
  }

  /** The document that it read when it ended is not read again until it changes. */
  private leaveOut(): void {
    const { reads } = this;
    this.reads = null;
    if (reads === null || this.isClosed) return;
    this.leftOut.set(reads.path, reads);
    this.onFailure(`${reads.path} could not be read in time, and is left out until it changes`);
  }

  private giveUp(number: number): void {
    this.waiting.get(number)?.(null);
    const { worker, silentSinceMs } = this;
    if (worker === null || silentSinceMs === null) return;
    const silentMs = performance.now() - silentSinceMs;
    if (silentMs < this.limits.silenceMs) return;
    this.onFailure(`it was silent for ${Math.round(silentMs)} ms`);
    void worker.terminate();
  }
}
