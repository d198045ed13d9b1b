/** Mimikit's own store, pool and supervisor as a queue: a job is a plan, which nobody needs to be told of. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, type FSWatcher, readdirSync, watch } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { blankTask, Task } from "@mimikit/protocol/records/task";
import { prepareHome } from "@mimikit/runtime/home/home";
import { programOf } from "@mimikit/runtime/home/programs";
import { openDisk } from "@mimikit/store/disk/disk";
import { createShown, makeDurable } from "@mimikit/store/disk/record";
import { ARCHIVE, queuePath, resultPath, resultsOf } from "@mimikit/store/disk/state";
import { Child } from "../measure/child.ts";
import { endChild, makeFolder, removeFolder } from "../measure/cleanup.ts";
import type { Queue, QueueMaker } from "./queue.ts";

/** Records that are written at once: as many as a busy gateway has clients. */
const WRITERS = 64;
const LOOK_EVERY_MS = 20;

export interface MimikitOptions {
  /** Ended tasks are applied and archived by the real supervisor; without it, results stay where they are. */
  settles: boolean;
}

export const mimikit = (options: MimikitOptions): QueueMaker => ({
  name: "Mimikit",
  missing: null,
  open: (concurrency) => MimikitQueue.open(concurrency, options),
});

/** The id of job `n` (0, 1, 2, …): that of the plan of a turn. */
export const jobId = (n: number): string => `t-${String(n + 1).padStart(6, "0")}.0`;

export function jobTask(id: string): Task {
  return Task.parse({
    ...blankTask("plan"),
    id,
    title: "a job of the bench",
    prompt: "x".repeat(100),
    priority: 5,
    createdAt: new Date().toISOString(),
    traceId: id.split(".")[0],
  });
}

export class MimikitQueue implements Queue {
  readonly home: string;
  readonly pool: Child;
  readonly disk;
  private readonly folder: string;
  private readonly supervisor: ChildProcess | undefined;
  private readonly watcher: FSWatcher;
  private readonly waiting = new Map<string, () => void>();

  private constructor(folder: string, pool: Child, supervisor: ChildProcess | undefined) {
    this.folder = folder;
    this.home = join(folder, "state");
    this.pool = pool;
    this.supervisor = supervisor;
    this.disk = openDisk(this.home, `bench-${process.pid}`);
    this.watcher = watch(join(this.home, resultsOf("planner")), (_, name) => this.look(`${name}`));
  }

  static async open(concurrency: number, { settles }: MimikitOptions): Promise<MimikitQueue> {
    const folder = makeFolder();
    const home = join(folder, "state");
    prepareHome(home);
    const supervisor = settles ? await startSupervisor(folder) : undefined;
    return new MimikitQueue(folder, await Child.start("noop-pool.ts", [home, `${concurrency}`]), supervisor);
  }

  async add(id: string): Promise<void> {
    await createShown(this.disk, Task, queuePath("planner", id), jobTask(id));
  }

  async addMany(ids: readonly string[]): Promise<void> {
    const left = ids.values();
    await Promise.all(
      Array.from({ length: WRITERS }, async () => {
        for (const id of left) await this.add(id);
      }),
    );
  }

  /** The result is there, and durable: what the supervisor makes sure of before it acts on it. */
  async whenDone(id: string): Promise<void> {
    await new Promise<void>((resolve) => this.waiting.set(`${id}.json`, resolve));
    await makeDurable(this.disk, [resultPath("planner", id)]);
  }

  run(): Promise<void> {
    return this.pool.call("run");
  }

  async whenOver(count: number): Promise<void> {
    while (readdirSync(join(this.home, ARCHIVE)).length - 1 < count) await wait(LOOK_EVERY_MS);
  }

  starts(): Promise<Record<string, number>> {
    return this.pool.call("starts");
  }

  pids(): number[] {
    return [this.pool.pid, ...(this.supervisor?.pid === undefined ? [] : [this.supervisor.pid])];
  }

  async close(): Promise<void> {
    this.watcher.close();
    await this.pool.end();
    if (this.supervisor !== undefined) await endChild(this.supervisor);
    removeFolder(this.folder);
  }

  private look(name: string): void {
    if (!existsSync(join(this.home, resultPath("planner", name.replace(/\.json$/, ""))))) return;
    this.waiting.get(name)?.();
    this.waiting.delete(name);
  }
}

/** The supervisor of the product, in a process of its own, as soon as it looks. */
async function startSupervisor(folder: string) {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("MIMIKIT_"));
  const child = spawn(process.execPath, [programOf("supervisor")], {
    env: {
      ...Object.fromEntries(inherited),
      HOME: folder,
      MIMIKIT_HOME: join(folder, "state"),
      MIMIKIT_WORK_DIR: folder,
      MIMIKIT_PROVIDER: "offline",
    },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  await Promise.race([once(child, "message"), once(child, "exit")]);
  if (child.exitCode !== null) throw new Error("the supervisor could not be started");
  return child;
}
