/** A queue that keeps jobs durably and runs them in a process of its own: Mimikit, and those that it is compared with. */

export interface Queue {
  /** Resolves when the job is durable, as durable as this queue makes it. */
  add(id: string): Promise<void>;
  /** The same for many at once, in the way that the queue has for it. */
  addMany(ids: readonly string[]): Promise<void>;
  /** Resolves when whoever adds the job can know that it was run: to be called before it is added. */
  whenDone(id: string): Promise<void>;
  /** Begins to run jobs. */
  run(): Promise<void>;
  /** Resolves when so many jobs are over, with all that the queue does after a run. */
  whenOver(count: number): Promise<void>;
  /** When each job's handler was called, on the clock that processes share, in milliseconds. */
  starts(): Promise<Record<string, number>>;
  /** The processes that do its work, without the one that adds jobs. */
  pids(): number[];
  close(): Promise<void>;
}

export interface QueueMaker {
  name: string;
  /** The missing requirement, in words; null if it can be measured. */
  missing: string | null;
  /** An empty queue with a worker that does not run yet. @param concurrency jobs at once */
  open(concurrency: number): Promise<Queue>;
}
