/**
 * The engine that carries attempts to a pool and messages both ways: BullMQ on Redis or Valkey. Only the dispatcher and pools load this file
 * (docs/pools.md). Messages are encrypted before they come here.
 */
import { once } from "node:events";
import { tryJson } from "@mimikit/protocol/base/json";
import { type Job, Queue, Worker } from "bullmq";
import type { Redis } from "ioredis";
import { z } from "zod";
import { connectTo } from "./connect.ts";
import { channelOf, outcomeKey, PREFIX, pieceKey, queueOfPool, TOPICS, type Topic } from "./names.ts";
import { isRemoved } from "./removed.ts";

/** The engine is asked so often whether it is there, and counts as away when it has not answered for so long. */
const PING_EVERY_MS = 1_000;
const AWAY_MS = 5_000;
/** Characters of a message: the lines of a stream, encrypted. A longer one is not read. */
const MESSAGE_CHARS_MAX = 1_048_576;
/** So long an outcome waits for its home. */
const OUTCOME_KEPT_SEC = 7 * 86_400;
/** So long a piece of a file waits for its reader, who asks for it again afterwards. */
const PIECE_KEPT_SEC = 600;
const JOB_NAME = "attempt";

/** A message as it is carried. */
export const Carried = z.object({ job: z.string().max(300), seq: z.string().max(64), sealed: z.string() });
export type Carried = z.infer<typeof Carried>;

const JobData = z.object({ sealed: z.string() });

export interface EngineOptions {
  url: string;
  home: string;
  pool: string;
  onError(error: unknown): void;
}

/** The part that both sides share. */
class Side {
  protected readonly client: Redis;
  /** A connection that listens can do nothing else. */
  private listener: Redis | undefined;
  protected readonly options: EngineOptions;
  private readonly pinging: NodeJS.Timeout;
  private pongMs = Number.NEGATIVE_INFINITY;
  private isPinging = false;

  /** @param waits see `connectTo`. */
  constructor(options: EngineOptions, waits: boolean) {
    const { url, onError } = options;
    this.options = options;
    this.client = connectTo(url, { waits });
    this.client.on("error", onError);
    const ping = () => void this.ping();
    this.client.on("ready", ping);
    this.pinging = setInterval(ping, PING_EVERY_MS);
    ping();
  }

  /** Has it answered within the last seconds? */
  get isThere(): boolean {
    return this.silentMs < AWAY_MS;
  }

  /** Milliseconds since it has answered last. */
  get silentMs(): number {
    return performance.now() - this.pongMs;
  }

  private async ping(): Promise<void> {
    if (this.isPinging || this.client.status !== "ready") return;
    this.isPinging = true;
    try {
      await this.client.ping();
      this.pongMs = performance.now();
    } catch (error) {
      this.options.onError(error);
    } finally {
      this.isPinging = false;
    }
  }

  /** Resolves when it listens; it goes on by itself after each loss of the connection. */
  protected async hear(topic: Topic, heard: (message: Carried) => void): Promise<void> {
    const { url, home, pool, onError } = this.options;
    this.listener ??= connectTo(url).on("error", onError);
    const own = channelOf(home, pool, topic);
    this.listener.on("message", (channel: string, text: string) => {
      if (channel !== own || text.length > MESSAGE_CHARS_MAX) return;
      const { data: message } = Carried.safeParse(tryJson(text));
      if (message !== undefined) heard(message);
    });
    await this.listener.subscribe(own);
  }

  /**
   * Resolves when the engine has passed it on. A side that does not listen now never hears it, and a message that cannot be said now is
   * dropped: all that counts is said again (docs/decisions/0047-messages-by-publish.md).
   */
  protected async say(topic: Topic, message: Carried): Promise<void> {
    const { home, pool } = this.options;
    // The first messages of a pool wait for its first connection.
    const isFirst = this.pongMs === Number.NEGATIVE_INFINITY && this.client.options.enableOfflineQueue;
    if (isFirst || (this.isThere && this.client.status === "ready"))
      await this.client.publish(channelOf(home, pool, topic), JSON.stringify(message));
  }

  /** Lays a piece of a file where the other side reads it. */
  async putPiece(job: string, piece: string, sealed: Buffer): Promise<void> {
    const { home, pool } = this.options;
    await this.client.set(pieceKey(home, pool, job, piece), sealed, "EX", PIECE_KEPT_SEC);
  }

  /** Takes a piece out; null where there is none, or one of more than `bytesMax` bytes, of which no more is read. */
  async takePiece(job: string, piece: string, bytesMax: number): Promise<Buffer | null> {
    const { home, pool } = this.options;
    const key = pieceKey(home, pool, job, piece);
    const [sealed] = await Promise.all([this.client.getrangeBuffer(key, 0, bytesMax), this.client.del(key)]);
    return sealed.length === 0 || sealed.length > bytesMax ? null : sealed;
  }

  async close(): Promise<void> {
    clearInterval(this.pinging);
    // The last messages go out first.
    if (this.client.status === "ready") await this.client.quit().catch(this.options.onError);
    this.client.disconnect();
    this.listener?.disconnect();
  }
}

/** The home's side of one pool. */
export class HomeSide extends Side {
  private readonly queue: Queue;

  constructor(options: EngineOptions) {
    super(options, false);
    this.queue = new Queue(queueOfPool(options.home, options.pool), { connection: this.client, prefix: PREFIX });
    this.queue.on("error", options.onError);
  }

  /** Offers a job. The same job again changes nothing while there is one. */
  async add(job: string, sealed: string): Promise<void> {
    await this.queue.add(JOB_NAME, { sealed }, { jobId: job, removeOnComplete: true, removeOnFail: true });
  }

  /** Takes a job back that nobody runs; one that runs stays. */
  async remove(job: string): Promise<void> {
    await this.queue.remove(job).catch(() => undefined);
  }

  /** An outcome; null where there is none. Of one of more than `bytesMax` bytes no more is read. */
  async outcome(job: string, bytesMax: number): Promise<{ sealed: string } | { bytes: number } | null> {
    const key = outcomeKey(this.options.home, this.options.pool, job);
    const sealed = await this.client.getrange(key, 0, bytesMax);
    if (sealed.length > bytesMax) return { bytes: await this.client.strlen(key) };
    return sealed.length === 0 ? null : { sealed };
  }

  async dropOutcome(job: string): Promise<void> {
    await this.client.del(outcomeKey(this.options.home, this.options.pool, job));
  }

  onSaid(heard: (message: Carried) => void): Promise<void> {
    return this.hear(TOPICS.up, heard);
  }

  onHere(heard: (message: Carried) => void): Promise<void> {
    return this.hear(TOPICS.here, heard);
  }

  tell(message: Carried): Promise<void> {
    return this.say(TOPICS.down, message);
  }

  /** Removes all that the pool has in the engine, when that is there. */
  async obliterate(): Promise<void> {
    if (this.client.status !== "ready") await once(this.client, "ready");
    await this.queue.obliterate({ force: true });
  }

  override async close(): Promise<void> {
    if (this.isThere) await this.queue.close().catch(this.options.onError);
    await super.close();
  }
}

/** A pool's side. */
export class PoolSide extends Side {
  private worker: Worker | undefined;

  constructor(options: EngineOptions) {
    super(options, true);
  }

  /** @param run resolves when the job is over, whatever came of it. @param slots how many run at once. */
  start(run: (job: string, sealed: string) => Promise<void>, slots: number, leaseMs: number): void {
    const { home, pool, onError } = this.options;
    const processor = async (job: Job) => {
      const { data } = JobData.safeParse(job.data);
      if (job.id !== undefined && data !== undefined) await run(job.id, data.sealed);
    };
    this.worker = new Worker(queueOfPool(home, pool), processor, {
      connection: this.client,
      prefix: PREFIX,
      concurrency: slots,
      lockDuration: leaseMs,
      // A job whose pool has died goes to the pool that is there now, which asks for a permit and is told whether to begin.
      stalledInterval: Math.min(leaseMs, AWAY_MS),
      maxStalledCount: Number.MAX_SAFE_INTEGER,
    });
    this.worker.on("error", onError);
  }

  onTold(heard: (message: Carried) => void): Promise<void> {
    return this.hear(TOPICS.down, heard);
  }

  tell(message: Carried): Promise<void> {
    return this.say(TOPICS.up, message);
  }

  sayHere(message: Carried): Promise<void> {
    return this.say(TOPICS.here, message);
  }

  /** Has the home removed this machine? @param key of the pool. */
  isRemoved(key: string): Promise<boolean> {
    const { home, pool } = this.options;
    return isRemoved(this.client, { home, pool, key });
  }

  /** Lays an outcome where the home reads it. */
  async putOutcome(job: string, sealed: string): Promise<void> {
    const { home, pool } = this.options;
    await this.client.set(outcomeKey(home, pool, job), sealed, "EX", OUTCOME_KEPT_SEC);
  }

  override async close(): Promise<void> {
    // Those that run are told to end before.
    if (this.isThere) await this.worker?.close(true).catch(this.options.onError);
    await super.close();
  }
}
