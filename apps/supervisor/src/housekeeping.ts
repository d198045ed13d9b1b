/** What grows with time is kept within its bounds: old months, scratch folders and sessions, leftovers of dead processes. */
import { readdirSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { AuditEvent } from "@mimikit/protocol/audit";
import type { Config } from "@mimikit/runtime/config";
import { isAlive, ownIdentity } from "@mimikit/runtime/identity";
import type { FileSystem } from "@mimikit/store/file-system";
import type { Ledger } from "@mimikit/store/ledger";
import { ATTACHMENTS, RUNS, SESSIONS, STREAMS, TEMPORARY } from "@mimikit/store/state";
import { foldArchive } from "./fold.ts";

const DAY_MS = 86_400_000;

export interface House {
  home: string;
  fs: FileSystem;
  ledger: Ledger;
  config: Config;
  nowMs: number;
  audit(event: AuditEvent): void;
}

/** Each step is tried, whatever became of the others. Throws an AggregateError of what went wrong. */
export async function keepHouse({ home, fs, ledger, config, nowMs, audit }: House): Promise<void> {
  const isOld = (path: string, days: number) =>
    nowMs - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? nowMs) > days * DAY_MS;
  const steps: (() => Promise<void> | void)[] = [
    async () => {
      const folded = await foldArchive(fs, ledger, nowMs, config.archiveFoldDays);
      if (folded > 0) audit({ event: "archive_folded", detail: { records: folded } });
    },
    () => removeWhere(join(home, RUNS), (path) => isOld(path, config.runsKeepDays)),
    () => removeWhere(join(home, STREAMS), (path) => isOld(path, config.runsKeepDays)),
    // Whoever is told of one is given it anew.
    () => removeWhere(join(home, ATTACHMENTS), (path) => isOld(path, config.runsKeepDays)),
    () =>
      removeWhere(join(home, SESSIONS), (path) => isOld(path, config.runsKeepDays) && ledger.has(sessionTask(path))),
    () => removeWhere(join(home, TEMPORARY), (path) => !isAliveIncarnation(path) && isOld(path, 1)),
  ];
  const errors: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, "some of the housekeeping failed");
}

function removeWhere(dir: string, isDue: (path: string) => boolean): void {
  for (const name of readdirSync(dir)) {
    const path = join(dir, name);
    if (isDue(path)) rmSync(path, { recursive: true, force: true });
  }
}

/** `sessions/t-000042.0.summary.md`: the task that it is of. One that is still open may go on with it, however old it is. */
function sessionTask(path: string): string {
  return basename(path).replace(/(\.summary\.md|\.jsonl|\.[a-z]+\.json)$/, "");
}

/** `tmp/supervisor-4711-8840`: the role, its pid and its start time. */
function isAliveIncarnation(path: string): boolean {
  const match = /-(\d+)-(\d*)$/.exec(path);
  return match !== null && isAlive({ pid: Number(match[1]), startTime: match[2] ?? "", bootId: ownIdentity().bootId });
}
