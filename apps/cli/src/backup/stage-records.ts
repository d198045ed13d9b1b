/**
 * The records of a home as they were at one instant, while everything runs. Records never change and their names are
 * never used again, so two listings that are the same prove that all of them were there together in between: whatever
 * had moved on meanwhile would have left a new name. Hard links, made before the second listing, keep what they say.
 */
import { linkSync, mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { Role } from "@mimikit/protocol/base/role";
import { hasCode } from "@mimikit/store/disk/error-code";
import {
  ARCHIVE,
  COMPACTED,
  INBOX,
  QUESTIONS,
  queueOf,
  resultsOf,
  runningOf,
  SIGNALS,
  TRIGGERS,
} from "@mimikit/store/disk/state";
import { t } from "../i18n/language.ts";
import { Failure } from "../io/failure.ts";

/** Directories of records that depend on each other. */
export const RECORD_DIRECTORIES: readonly string[] = [
  INBOX,
  TRIGGERS,
  QUESTIONS,
  SIGNALS,
  ...Role.options.flatMap((role) => [queueOf(role), runningOf(role), resultsOf(role)]),
  ARCHIVE,
  COMPACTED,
];

const ROUNDS_MAX = 2_000;

/**
 * Links every record of `home` into `stage`, which is on the same disk. @returns their paths.
 * @throws Failure where something is going on all the time.
 */
export function stageRecords(home: string, stage: string): string[] {
  const staged = new Set<string>();
  let before: string[] | undefined;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const names = listRecords(home);
    if (before !== undefined && isSame(before, names)) return names;
    for (const path of names) if (!staged.has(path) && keep(join(home, path), join(stage, path))) staged.add(path);
    before = names;
  }
  throw new Failure(
    "failed",
    t("there is too much going on to see all of it at once: try again, or stop first (mimikit down)"),
  );
}

function listRecords(home: string): string[] {
  return RECORD_DIRECTORIES.flatMap((dir) => {
    try {
      const entries = readdirSync(join(home, dir), { withFileTypes: true });
      return entries.filter((entry) => entry.isFile()).map(({ name }) => `${dir}/${name}`);
    } catch (error) {
      if (hasCode(error, "ENOENT")) return [];
      throw error;
    }
  }).sort();
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((path, at) => path === b[at]);
}

/** @returns false when the record has moved on. */
function keep(path: string, kept: string): boolean {
  mkdirSync(dirname(kept), { recursive: true, mode: 0o700 });
  try {
    linkSync(path, kept);
    return true;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return false;
    throw error;
  }
}
