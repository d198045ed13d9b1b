/**
 * The version of what is in a state directory: `version.json`. A program refuses a newer one, in words, and carries an older one
 * forward. A directory without the file is of version 0: its records are those of version 1, and only the file is missing.
 */
import { constants, readFileSync } from "node:fs";
import { join } from "node:path";
import { BadJson, parseRecord } from "@mimikit/protocol/base/json";
import { hasCode } from "@mimikit/store/disk/error-code";
import { z } from "zod";
import { HomeError } from "./home.ts";
import { replaceFile } from "./replace-file.ts";
import { VERSION } from "./version.ts";

export const STATE_VERSION_FILE = "version.json";

const StateVersion = z.object({
  /** Of what is in the directory: one more with each change that an older program would not understand. */
  state: z.int().min(0),
  /** The version of the program that wrote this. */
  program: z.string(),
});
export type StateVersion = z.infer<typeof StateVersion>;

/** A step from one version of the state to the next. */
export interface Migration {
  /** The version that it makes, out of the one before. */
  to: number;
  /**
   * The text of a file after it; null where the file goes. It may be asked again about what it made, and then changes nothing.
   * Without it, there is nothing to do but the stamp.
   * @param path from the state directory on, with slashes.
   */
  carry?: (path: string, text: string) => string | null;
}

/** All of them, in order: the last one makes the version that this program knows. */
export const MIGRATIONS: readonly Migration[] = [{ to: 1 }];

/** The version that a list of migrations leads to. */
export const latestOf = (migrations: readonly Migration[]) => migrations.at(-1)?.to ?? 0;

/** The migrations that a state of this version still needs. */
export const migrationsAfter = (state: number, migrations: readonly Migration[] = MIGRATIONS) =>
  migrations.filter(({ to }) => to > state);

/** @throws HomeError for a file that says no version. */
export function readStateVersion(home: string): StateVersion {
  const path = join(home, STATE_VERSION_FILE);
  try {
    // A pipe in its place is not waited for.
    const flag = constants.O_RDONLY | constants.O_NONBLOCK;
    return parseRecord(StateVersion, readFileSync(path, { encoding: "utf8", flag }));
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return { state: 0, program: "" };
    if (!(error instanceof BadJson)) throw error;
    throw new HomeError(`${path} says no version: put back what it said, or restore a backup`);
  }
}

/** @throws HomeError where the state is newer than what this program knows. */
export function assertStateIsKnown(home: string, migrations: readonly Migration[] = MIGRATIONS): StateVersion {
  const found = readStateVersion(home);
  const known = latestOf(migrations);
  if (found.state <= known) return found;
  throw new HomeError(
    `the state in ${home} is of version ${found.state}, written by Mimikit ${found.program}, and Mimikit ${VERSION} knows up to ${known}: update it (mimikit update), or restore a backup of before`,
  );
}

/**
 * Says that the state is of the version of this program, where nothing else is missing for it.
 * @throws HomeError where the state is newer, or where files of it are to be changed first.
 */
export function stampState(home: string, migrations: readonly Migration[] = MIGRATIONS): void {
  const { state } = assertStateIsKnown(home, migrations);
  const missing = migrationsAfter(state, migrations);
  if (missing.length === 0) return;
  if (missing.some(({ carry }) => carry !== undefined))
    throw new HomeError(
      `the state in ${home} is of version ${state}: stop what runs and call  mimikit up , which makes a backup and carries it forward`,
    );
  try {
    writeStateVersion(home, latestOf(migrations));
  } catch (error) {
    // It changes nothing that a process does now, and the next start tries again.
    if (!hasCode(error, "EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT")) throw error;
  }
}

/** Writes the stamp; one that a power cut undoes is written again. */
export function writeStateVersion(home: string, state: number): void {
  replaceFile(join(home, STATE_VERSION_FILE), `${JSON.stringify({ state, program: VERSION })}\n`);
}
