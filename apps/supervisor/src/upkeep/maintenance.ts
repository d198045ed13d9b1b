/**
 * Removes old months, scratch folders, attachments and the leftovers of dead processes, and writes the index of each month of the
 * history that is over.
 */
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { keepMonthIndexes } from "@mimikit/memory/search/keep-month-indexes";
import type { AuditEvent } from "@mimikit/protocol/records/audit";
import { CHANGES_KEEP_DAYS, CHANGES_KEPT_MAX } from "@mimikit/protocol/records/change";
import type { Config } from "@mimikit/runtime/config/config";
import { isUnfinished } from "@mimikit/runtime/home/replace-file";
import { isAlive, ownIdentity } from "@mimikit/runtime/process/identity";
import { sweepAttachments } from "@mimikit/store/attachments/attachments";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import {
  AUDIT,
  CHANGES,
  LOCKS,
  RUNS,
  SESSIONS,
  STREAMS,
  TEMPORARY,
  taskOfRun,
  USED_YES,
} from "@mimikit/store/disk/state";
import type { ArchiveIndex } from "@mimikit/store/state-cache/archive-index";
import { boundProcessLogs } from "./bound-process-logs.ts";
import { compactArchive } from "./compact-archive.ts";

const DAY_MS = 86_400_000;
/** Where small files are replaced; the first is the state directory itself. */
const REPLACED_IN = ["", AUDIT, LOCKS, SESSIONS];

export interface MaintenanceContext {
  home: string;
  fs: FileSystem;
  archiveIndex: ArchiveIndex;
  config: Config;
  nowMs: number;
  /** The ids of the attachments that a message names. */
  namedAttachments(): Promise<ReadonlySet<string>>;
  audit(event: AuditEvent): void;
}

/** Each step is tried, whatever became of the others. Throws an AggregateError of what went wrong. */
export async function runMaintenance(context: MaintenanceContext): Promise<void> {
  const { home, fs, archiveIndex, config, nowMs, namedAttachments, audit } = context;
  const isOld = (path: string, days: number) =>
    nowMs - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? nowMs) > days * DAY_MS;
  const steps: (() => Promise<void> | void)[] = [
    async () => {
      const compacted = await compactArchive(fs, archiveIndex, nowMs, config.archiveFoldDays);
      if (compacted > 0) audit({ event: "archive_folded", detail: { records: compacted } });
    },
    () =>
      removeWhere(join(home, RUNS), (path) => isOld(path, config.runsKeepDays) && !saysWhatIsUsed(path, archiveIndex)),
    () => removeWhere(join(home, STREAMS), (path) => isOld(path, config.runsKeepDays)),
    () =>
      removeWhere(
        join(home, SESSIONS),
        (path) => isOld(path, config.runsKeepDays) && archiveIndex.has(sessionTask(path)),
      ),
    async () => {
      const removed = await sweepAttachments(fs, namedAttachments, nowMs);
      if (removed > 0) audit({ event: "attachments_removed", detail: { removed } });
    },
    () => boundProcessLogs(home),
    () => removeOldChanges(join(home, CHANGES), nowMs),
    () => removeWhere(join(home, TEMPORARY), (path) => !isAliveIncarnation(path) && isOld(path, 1)),
    () => {
      for (const dir of REPLACED_IN) removeWhere(join(home, dir), (path) => isUnfinished(path) && isOld(path, 1));
    },
    async () => {
      await keepMonthIndexes(home, fs, nowMs);
    },
  ];
  const errors: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, "some of the maintenance failed");
}

function removeWhere(dir: string, isDue: (path: string) => boolean): void {
  for (const name of readdirSync(dir)) {
    const path = join(dir, name);
    if (isDue(path)) rmSync(path, { recursive: true, force: true });
  }
}

/** Does the folder of a run say that a yes was used, of a task that is still open? Without it, the call could be made once more. */
function saysWhatIsUsed(path: string, archiveIndex: ArchiveIndex): boolean {
  const taskId = taskOfRun(basename(path));
  return taskId !== undefined && !archiveIndex.has(taskId) && existsSync(join(path, USED_YES));
}

/** Changes that are too old, or have too many newer ones over them, cannot be undone any more. */
function removeOldChanges(dir: string, nowMs: number): void {
  const times = readdirSync(dir).map((name) => {
    const path = join(dir, name);
    return { path, mtimeMs: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? nowMs };
  });
  const newestFirst = times.sort((a, b) => b.mtimeMs - a.mtimeMs);
  for (const [i, { path, mtimeMs }] of newestFirst.entries())
    if (i >= CHANGES_KEPT_MAX || nowMs - mtimeMs > CHANGES_KEEP_DAYS * DAY_MS) rmSync(path, { force: true });
}

/** `sessions/t-000042.0.summary.md`: the task that it is of. One that is still open may go on with it, however old it is. */
function sessionTask(path: string): string {
  return basename(path).replace(/(\.summary\.md|(\.transcript)?\.jsonl|\.[a-z]+\.json)$/, "");
}

/** `tmp/supervisor-4711-8840`: the role, its pid and its start time. */
function isAliveIncarnation(path: string): boolean {
  const match = /-(\d+)-(\d*)$/.exec(path);
  return match !== null && isAlive({ pid: Number(match[1]), startTime: match[2] ?? "", bootId: ownIdentity().bootId });
}
