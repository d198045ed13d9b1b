/** Makes a state of an earlier version one of this version, after a backup. */
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
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
  readStateVersion,
  writeStateVersion,
} from "@mimikit/runtime/home/state-version";
import { ATTACHMENTS, QUARANTINE, RUNS, WORKTREES } from "@mimikit/store/disk/state";
import { makeBackup } from "../backup/make-backup.ts";
import { LEFT_OUT } from "../backup/write-backup.ts";
import { t } from "../i18n/language.ts";
import { Failure } from "../io/failure.ts";
import { findProcesses } from "../processes/instance.ts";

/** Files that belong to no version: those of users and of other programs, and those that a start makes again. */
const NOT_OURS = new Set([...LEFT_OUT, ATTACHMENTS, RUNS, WORKTREES, QUARANTINE, "skills"]);
/** Nothing that Mimikit writes is larger; a file that is cannot be read as one text. */
const TEXT_BYTES_MAX = 256 * 1_048_576;
const TEXT = /\.(json|jsonl|md|yaml)$/;

/** Must files of it be changed before this version can go on with it? @throws HomeError for a newer state. */
export function mustCarry(home: string, migrations: readonly Migration[] = MIGRATIONS): boolean {
  const { state } = assertStateIsKnown(home, migrations);
  const isChange = migrationsAfter(state, migrations).some(({ carry }) => carry !== undefined);
  return isChange && isAdopted(home, process.env);
}

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
  if (!mustCarry(home, migrations)) return null;
  const { state } = readStateVersion(home);
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
  await makeBackup(home, backup, true);
  carryState(home, migrations);
  return backup;
}

/**
 * Makes the files of a state those of the latest version, and stamps it. Nothing runs in it. @throws HomeError for a newer state.
 */
export function carryState(home: string, migrations: readonly Migration[] = MIGRATIONS): void {
  const { state } = assertStateIsKnown(home, migrations);
  const steps = migrationsAfter(state, migrations).flatMap(({ carry }) => carry ?? []);
  if (steps.length > 0) carryFiles(home, steps);
  writeStateVersion(home, latestOf(migrations));
}

/** Changes what the steps change. A damaged file, which no step could read, stays as it is. */
function carryFiles(home: string, steps: readonly NonNullable<Migration["carry"]>[]): void {
  for (const path of textsIn(home)) {
    const before = readFileSync(join(home, path), "utf8");
    if (path.endsWith(".json") && !isJson(before)) continue;
    const after = steps.reduce<string | null>((text, carry) => (text === null ? null : carry(path, text)), before);
    if (after === null) rmSync(join(home, path));
    else if (after !== before) replaceFile(join(home, path), after);
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function textsIn(home: string, dir = ""): string[] {
  return readdirSync(join(home, dir), { withFileTypes: true }).flatMap((entry) => {
    const path = dir === "" ? entry.name : `${dir}/${entry.name}`;
    if (NOT_OURS.has(path)) return [];
    if (entry.isDirectory()) return textsIn(home, path);
    if (!entry.isFile() || !TEXT.test(entry.name)) return [];
    return statSync(join(home, path)).size > TEXT_BYTES_MAX ? [] : [path];
  });
}
