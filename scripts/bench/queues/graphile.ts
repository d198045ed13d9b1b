/** graphile-worker on a PostgreSQL of its own. That a job is done is told by its worker: the row of a job that is done goes. */
import { Logger, makeWorkerUtils, type WorkerUtils } from "graphile-worker";
import { Child } from "../measure/child.ts";
import type { Queue, QueueMaker } from "./queue.ts";
import { findPostgres, type Server, startPostgres } from "./servers.ts";

const TASK = "bench";

export function graphile(): QueueMaker {
  const postgres = findPostgres();
  return {
    name: "graphile-worker",
    missing: typeof postgres === "string" ? postgres : null,
    async open(concurrency) {
      if (typeof postgres === "string") throw new Error(postgres);
      return GraphileQueue.open(await startPostgres(postgres), concurrency);
    },
  };
}

class GraphileQueue implements Queue {
  private readonly server: Server;
  private readonly worker: Child;
  private readonly utils: WorkerUtils;
  private readonly waiting = new Map<string, () => void>();

  private constructor(server: Server, worker: Child, utils: WorkerUtils) {
    this.server = server;
    this.worker = worker;
    this.utils = utils;
    worker.events.on("done", (id: string) => {
      this.waiting.get(id)?.();
      this.waiting.delete(id);
    });
  }

  static async open(server: Server, concurrency: number): Promise<GraphileQueue> {
    const connectionString = `postgres://postgres@127.0.0.1:${server.port}/postgres`;
    const utils = await makeWorkerUtils({ connectionString, logger: new Logger(() => () => undefined) });
    await utils.migrate();
    const worker = await Child.start("graphile-worker.ts", [connectionString, TASK, `${concurrency}`]);
    return new GraphileQueue(server, worker, utils);
  }

  async add(id: string): Promise<void> {
    await this.utils.addJob(TASK, { text: "x".repeat(100), id });
  }

  async addMany(ids: readonly string[]): Promise<void> {
    await this.utils.addJobs(ids.map((id) => ({ identifier: TASK, payload: { text: "x".repeat(100), id } })));
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

  /** Its worker: what PostgreSQL spends is in processes that come and go. */
  pids(): number[] {
    return [this.worker.pid];
  }

  async close(): Promise<void> {
    await this.worker.end();
    await this.utils.release();
    await this.server.stop();
  }
}
