/** Makes a state of an earlier version one of this version, after a backup. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isAdopted } from "@mimikit/runtime/home/adoption";
import { copyPath } from "@mimikit/runtime/home/copies";
import { replaceFile } from "@mimikit/runtime/home/replace-file";
import {
  assertStateIsKnown,
  latestOf,
  MIGRATIONS,
  type Migration,
  migrationsAfter,
  writeStateVersion,
} from "@mimikit/runtime/home/state-version";
import { ATTACHMENTS, RUNS, TEMPORARY, WORKTREES } from "@mimikit/store/disk/state";
import { LEFT_OUT, writeBackup } from "../backup/write-backup.ts";
import { t } from "../i18n/language.ts";
import { Failure } from "../io/failure.ts";
import { findProcesses } from "../processes/instance.ts";

/** Files that belong to no version: those of users and of other programs, and those that a start makes again. */
const NOT_OURS = new Set([...LEFT_OUT, ATTACHMENTS, RUNS, WORKTREES]);
const TEXT = /\.(json|jsonl|md|yaml)$/;

/**
 * Call it in the turn of this command (`takeTurn`). Killed at any instant, it has changed nothing for good: the stamp comes last,
 * and each step may be done twice.
 * @returns the backup with all secrets; null where nothing of the state had to be changed.
 * @throws Failure where something runs. @throws HomeError for a newer state.
 */
export async function carryForward(
  home: string,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<string | null> {
  const { state } = assertStateIsKnown(home, migrations);
  const steps = migrationsAfter(state, migrations).flatMap(({ carry }) => carry ?? []);
  if (steps.length === 0 || !isAdopted(home, process.env)) return null;
  const running = await findProcesses(home);
  if (running.length > 0)
    throw new Failure(
      "failed",
      t("the state in {home} is of version {state}: call  mimikit down  first, then it is carried forward", {
        home,
        state,
      }),
    );
  const backup = copyPath(home, "state", String(state));
  const stage = mkdtempSync(join(home, TEMPORARY, "backup-"));
  try {
    await writeBackup(home, backup, stage, true);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
  carryFiles(home, steps);
  writeStateVersion(home, latestOf(migrations));
  return backup;
}

/** Changes what the steps change. The steps are those of the migrations that are missing, in order. */
export function carryFiles(home: string, steps: readonly NonNullable<Migration["carry"]>[]): void {
  for (const path of textsIn(home)) {
    const before = readFileSync(join(home, path), "utf8");
    const after = steps.reduce<string | null>((text, carry) => (text === null ? null : carry(path, text)), before);
    if (after === null) rmSync(join(home, path));
    else if (after !== before) replaceFile(join(home, path), after);
  }
}

function textsIn(home: string, dir = ""): string[] {
  return readdirSync(join(home, dir), { withFileTypes: true }).flatMap((entry) => {
    const path = dir === "" ? entry.name : `${dir}/${entry.name}`;
    if (NOT_OURS.has(path)) return [];
    if (entry.isDirectory()) return textsIn(home, path);
    return entry.isFile() && TEXT.test(entry.name) ? [path] : [];
  });
}
