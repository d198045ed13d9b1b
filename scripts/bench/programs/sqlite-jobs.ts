/** The table of jobs that the bench's queue in SQLite has, and how its two processes hear of each other. */
import { type FSWatcher, mkdirSync, utimesSync, watch } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Another process writes: so long is waited for it. */
const BUSY_MS_MAX = 5_000;

/** Opens the file, which is made where there is none. Each commit is durable. */
export function openJobs(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: BUSY_MS_MAX });
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  database.exec(
    "CREATE TABLE IF NOT EXISTS jobs (seq INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, payload TEXT NOT NULL, " +
      "state TEXT NOT NULL DEFAULT 'queued', result TEXT)",
  );
  database.exec("CREATE INDEX IF NOT EXISTS queued ON jobs (seq) WHERE state = 'queued'");
  return database;
}

/** Tells whoever listens in this folder that something was committed: a look at the file of SQLite comes before the commit can be seen. */
export class Bell {
  private readonly path: string;

  constructor(folder: string, name: "added" | "done") {
    this.path = join(folder, name);
    mkdirSync(this.path, { recursive: true });
  }

  ring(): void {
    const now = new Date();
    utimesSync(this.path, now, now);
  }

  listen(onRing: () => void): FSWatcher {
    return watch(this.path, onRing);
  }
}
