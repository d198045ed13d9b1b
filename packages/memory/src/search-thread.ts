/**
 * A thread that searches, as its process sees it: started when it is first asked, started anew when it died, and given up
 * on for one search that takes it too long. It never keeps its process from ending.
 */
import { Worker } from "node:worker_threads";
import type { MemoryAnswer } from "@mimikit/protocol/api";
import type { MemoryQuery } from "./memory-query.ts";
import type { SearchReply, SearchRequest } from "./search-message.ts";

/** Who waits longer searches without an index; the thread goes on, so that the next search finds the index built. */
const ANSWER_MS_MAX = 2_000;
/** A thread that has been silent for this long while it was asked is stuck. */
const SILENCE_MS_MAX = 60_000;
/** A thread that dies again before it has answered is left alone for a while: what killed it is still on the disk. */
const REST_MS = 30_000;
const HEAP_MB_MAX = 1_024;

export interface ThreadLimits {
  answerMs: number;
  silenceMs: number;
  restMs: number;
}

export class SearchThread {
  private readonly program: URL;
  private readonly limits: ThreadLimits;
  private worker: Worker | null = null;
  private readonly waiting = new Map<number, (reply: SearchReply | null) => void>();
  private lastNumber = 0;
  private deaths = 0;
  private restsUntilMs = Number.NEGATIVE_INFINITY;
  /** Since when it owes an answer; null when it owes none. On the clock that never jumps. */
  private silentSinceMs: number | null = null;
  private isClosed = false;

  /** @param program what the thread runs: `search-worker.ts`. */
  constructor(
    program: URL,
    limits: ThreadLimits = { answerMs: ANSWER_MS_MAX, silenceMs: SILENCE_MS_MAX, restMs: REST_MS },
  ) {
    this.program = program;
    this.limits = limits;
  }

  /** Null where the thread has no answer in time, fails or dies, or is closed. */
  async search(query: MemoryQuery): Promise<MemoryAnswer | null> {
    if (this.isClosed || performance.now() < this.restsUntilMs) return null;
    const worker = this.worker ?? this.start();
    const number = ++this.lastNumber;
    const request: SearchRequest = { number, query };
    this.silentSinceMs ??= performance.now();
    const reply = await new Promise<SearchReply | null>((resolve) => {
      const timer = setTimeout(() => this.giveUp(number), this.limits.answerMs);
      this.waiting.set(number, (answered) => {
        clearTimeout(timer);
        this.waiting.delete(number);
        resolve(answered);
      });
      worker.postMessage(request);
    });
    return reply !== null && "answer" in reply ? reply.answer : null;
  }

  /** Ends the thread; whoever waits for it is answered with null, and so is who asks afterwards. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.worker?.terminate();
  }

  private start(): Worker {
    const worker = new Worker(this.program, { execArgv: [], resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX } });
    worker.on("message", (reply: SearchReply) => {
      this.deaths = 0;
      this.silentSinceMs = this.waiting.size > 1 ? performance.now() : null;
      this.waiting.get(reply.number)?.(reply);
    });
    // An error is always followed by the exit, where it counts.
    worker.on("error", () => undefined);
    worker.on("exit", () => this.forget(worker));
    // Only now: whoever listens for messages holds the process again.
    worker.unref();
    this.worker = worker;
    return worker;
  }

  private forget(worker: Worker): void {
    if (this.worker !== worker) return;
    this.worker = null;
    this.silentSinceMs = null;
    this.deaths++;
    if (this.deaths > 1) this.restsUntilMs = performance.now() + this.limits.restMs;
    for (const answer of this.waiting.values()) answer(null);
  }

  private giveUp(number: number): void {
    this.waiting.get(number)?.(null);
    const { worker, silentSinceMs } = this;
    if (worker === null || silentSinceMs === null) return;
    if (performance.now() - silentSinceMs >= this.limits.silenceMs) void worker.terminate();
  }
}
