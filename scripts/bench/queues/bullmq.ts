/** BullMQ on a Redis of its own. */
import { Queue as Bull, QueueEvents } from "bullmq";
import { Child } from "../measure/child.ts";
import type { Queue, QueueMaker } from "./queue.ts";
import { redisServer, type Server, startRedis } from "./servers.ts";

/** Jobs in one call: as many as `addBulk` is good at. */
const BULK = 1_000;
const NAME = "bench";
const ADDED = { removeOnComplete: true, removeOnFail: true };

/** @param durability `always`: a job is synced before it is acknowledged, as ours is; `everysec`: up to a second is lost. */
export function bullmq(durability: "always" | "everysec"): QueueMaker {
  const program = redisServer();
  return {
    name: `BullMQ ${durability}`,
    missing: program === null ? "redis-server is not installed" : null,
    async open(concurrency) {
      const server = await startRedis(program ?? "", durability);
      return BullQueue.open(server, concurrency);
    },
  };
}

class BullQueue implements Queue {
  private readonly server: Server;
  private readonly worker: Child;
  private readonly queue: Bull;
  private readonly events: QueueEvents;
  private readonly waiting = new Map<string, () => void>();

  private constructor(server: Server, worker: Child) {
    this.server = server;
    this.worker = worker;
    const connection = { host: "127.0.0.1", port: server.port, maxRetriesPerRequest: null };
    this.queue = new Bull(NAME, { connection, defaultJobOptions: ADDED });
    this.events = new QueueEvents(NAME, { connection });
    this.events.on("completed", ({ jobId }) => {
      this.waiting.get(jobId)?.();
      this.waiting.delete(jobId);
    });
  }

  static async open(server: Server, concurrency: number): Promise<BullQueue> {
    const worker = await Child.start("bullmq-worker.ts", [`${server.port}`, NAME, `${concurrency}`]);
    const queue = new BullQueue(server, worker);
    await Promise.all([queue.queue.waitUntilReady(), queue.events.waitUntilReady()]);
    return queue;
  }

  async add(id: string): Promise<void> {
    await this.queue.add(NAME, { text: "x".repeat(100) }, { jobId: id });
  }

  async addMany(ids: readonly string[]): Promise<void> {
    for (let from = 0; from < ids.length; from += BULK) {
      const jobs = ids.slice(from, from + BULK).map((jobId) => ({
        name: NAME,
        data: { text: "x".repeat(100) },
        opts: { jobId },
      }));
      await this.queue.addBulk(jobs);
    }
  }

  whenDone(id: string): Promise<void> {
    return new Promise((resolve) => this.waiting.set(id, resolve));
  }

  run(): Promise<void> {
    return this.worker.call("run");
  }

  whenOver(count: number): Promise<void> {
    return this.worker.call("ended", count);
  }

  starts(): Promise<Record<string, number>> {
    return this.worker.call("starts");
  }

  pids(): number[] {
    return [this.worker.pid, this.server.pid];
  }

  async close(): Promise<void> {
    await this.worker.end();
    await this.events.close();
    await this.queue.close();
    await this.server.stop();
  }
}
