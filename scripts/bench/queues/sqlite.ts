/** A queue in a file of SQLite, as one writes it in an afternoon: a table, WAL, a sync at each commit, a watch in place of a poll. */
import type { FSWatcher } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { Child } from "../measure/child.ts";
import { makeFolder, removeFolder } from "../measure/cleanup.ts";
import { Bell, openJobs } from "../programs/sqlite-jobs.ts";
import type { Queue, QueueMaker } from "./queue.ts";

const DATABASE = "jobs.db";

export const sqlite = (): QueueMaker => ({ name: "node:sqlite", missing: null, open: SqliteQueue.open });

class SqliteQueue implements Queue {
  private readonly folder: string;
  private readonly worker: Child;
  private readonly database: DatabaseSync;
  private readonly insert: StatementSync;
  private readonly select: StatementSync;
  private readonly added: Bell;
  private readonly watcher: FSWatcher;
  private readonly waiting = new Map<string, () => void>();

  private constructor(folder: string, worker: Child, database: DatabaseSync) {
    this.folder = folder;
    this.worker = worker;
    this.database = database;
    this.insert = database.prepare("INSERT INTO jobs (id, payload) VALUES (?, ?)");
    this.select = database.prepare("SELECT 1 FROM jobs WHERE id = ? AND state = 'done'");
    this.added = new Bell(folder, "added");
    this.watcher = new Bell(folder, "done").listen(() => this.look());
  }

  static async open(this: void, concurrency: number): Promise<SqliteQueue> {
    const folder = makeFolder();
    const database = openJobs(join(folder, DATABASE));
    const worker = await Child.start("sqlite-worker.ts", [folder, DATABASE, `${concurrency}`]);
    return new SqliteQueue(folder, worker, database);
  }

  async add(id: string): Promise<void> {
    this.insert.run(id, "x".repeat(100));
    this.added.ring();
  }

  async addMany(ids: readonly string[]): Promise<void> {
    this.database.exec("BEGIN IMMEDIATE");
    for (const id of ids) this.insert.run(id, "x".repeat(100));
    this.database.exec("COMMIT");
    this.added.ring();
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
    return [this.worker.pid];
  }

  async close(): Promise<void> {
    this.watcher.close();
    await this.worker.end();
    this.database.close();
    removeFolder(this.folder);
  }

  private look(): void {
    for (const [id, resolve] of this.waiting) {
      if (this.select.get(id) === undefined) continue;
      this.waiting.delete(id);
      resolve();
    }
  }
}
