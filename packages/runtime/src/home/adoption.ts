/**
 * Which state directories are this user's own. A clone or an unpacked archive can bring a `.mimikit/` along, with commands,
 * endpoints and skills in it. A directory that is found by default therefore counts only where a record outside of it says
 * that this user made or adopted it (docs/security.md). A directory that MIMIKIT_HOME names counts as adopted.
 */

import { createHash } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { BadJson, parseRecord } from "@mimikit/protocol/base/json";
import { sentence } from "@mimikit/protocol/texts/coded";
import { hasCode } from "@mimikit/store/disk/error-code";
import { CHANNELS, DIRECTORIES, LOCKS, PUSH, TEMPORARY, WEB_SESSIONS } from "@mimikit/store/disk/state";
import { z } from "zod";
import {
  type Environment,
  HomeError,
  homeHash,
  IGNORE_FILE,
  IGNORED,
  prepareHome,
  readToken,
  resolveHome,
} from "./home.ts";
import { CODE_FILE } from "./pairing.ts";
import { replaceFile } from "./replace-file.ts";
import {
  assertStateIsKnown,
  latestOf,
  MIGRATIONS,
  type Migration,
  STATE_VERSION_FILE,
  stampState,
  writeStateVersion,
} from "./state-version.ts";

/** The hash of the token binds the record to this directory, and gives each token a record of its own: starters do not overwrite each other's. */
const Adoption = z.object({ home: z.string(), tokenHash: z.string(), at: z.iso.datetime() });

const LOOK_EVERY_MS = 500;

/** From these PM2 and Node would load code. No PM2 of ours has any, so they go whosever the directory is. */
const CODE = ["pm2/modules", "pm2/module_conf.json", "cache"] as const;
/** Of a directory that is not adopted: PM2 would write its logs through links in it, too. */
const FOREIGN = ["pm2", "cache"] as const;

/**
 * Makes the state directory complete (`prepareHome`), and records it as this user's own if nothing was in it.
 * @returns whether it is adopted.
 * @throws HomeError as `prepareHome` does, where a directory that is not adopted holds links, and where the state is of another
 * version than this program can go on with.
 */
export function openHome(home: string, env: Environment, migrations: readonly Migration[] = MIGRATIONS): boolean {
  const isFresh = !existsSync(join(home, "token")) && isUntouched(home);
  const isNew = isFresh && isFound(home, env);
  assertNoLinksUnlessAdopted(home, env);
  assertStateIsKnown(home, migrations);
  // The record comes before the token: a kill between the two leaves a directory in which nothing is.
  let made: string | undefined;
  prepareHome(home, (token) => {
    made = token;
    // A new directory is of this version: nothing of it is to be carried forward.
    if (isFresh) writeStateVersion(home, latestOf(migrations));
    if (isNew) writeAdoption(home, token, env);
  });
  if (isNew) {
    adopt(home, env);
    // Another process may have been first to make the token: the record of this one's is of no directory.
    if (made !== undefined && made !== readToken(home)) rmSync(recordPath(home, made, env), { force: true });
  }
  const adopted = isAdopted(home, env);
  if (adopted) stampState(home, migrations);
  return adopted;
}

/** May the content of this state directory be run and believed? A directory without content may. */
export function isAdopted(home: string, env: Environment): boolean {
  if (!isFound(home, env)) return true;
  // A link may lead to a directory of this user's that belongs to another workspace.
  if (lstatSync(home, { throwIfNoEntry: false })?.isSymbolicLink()) return false;
  return hasRecord(home, env) || isUntouched(home);
}

/**
 * Records durably that this user trusts the content of the state directory. Doing it twice does it once.
 * @throws HomeError where the directory has no token, or the record cannot be written.
 */
export function adopt(home: string, env: Environment): void {
  if (!hasRecord(home, env)) writeAdoption(home, readToken(home), env);
}

/**
 * Takes the record away, and its folders where nothing else is in them: the directory counts as found until it is adopted
 * again. Call while none of its processes runs. @returns whether there was one. @throws HomeError where there is no token.
 */
export function disown(home: string, env: Environment): boolean {
  const path = recordPath(home, readToken(home), env);
  const wasThere = existsSync(path);
  rmSync(path, { force: true });
  for (const folder of [dirname(path), dirname(dirname(path))]) {
    try {
      rmdirSync(folder);
    } catch (error) {
      if (!hasCode(error, "ENOTEMPTY", "EEXIST", "ENOENT")) throw error;
    }
  }
  return wasThere;
}

/** Resolves when the state directory is adopted, by a command or on the page. @throws HomeError as `stampState` does. */
export async function untilAdopted(home: string, env: Environment): Promise<void> {
  // Only the record can change that: what is in the directory is looked at once, because there may be much of it.
  if (isAdopted(home, env)) return;
  while (!hasRecord(home, env)) await wait(LOOK_EVERY_MS);
  stampState(home);
}

/** A line for people: what it means that a directory is not adopted, and what to do. */
export const NOT_ADOPTED = sentence("home_not_adopted");

/**
 * Moves what PM2 and Node would load as code to `tmp/`, where maintenance deletes it after a day; of a directory that is
 * not adopted, whatever of it would count before that. Only while none of its processes runs.
 */
export function putCodeAside(home: string, env: Environment): void {
  for (const name of isAdopted(home, env) ? CODE : FOREIGN) {
    try {
      renameSync(join(home, name), join(home, TEMPORARY, `${name.replaceAll("/", "-")}-${Date.now()}`));
    } catch (error) {
      if (!hasCode(error, "ENOENT")) throw error;
    }
  }
}

/**
 * Signs every browser out, turns off their notifications, closes all channels to people and ends every pairing code, so
 * that the maker of the directory cannot adopt it from afar.
 */
export function forgetSignedIn(home: string): void {
  const codes = readdirSync(join(home, LOCKS)).filter((name) => CODE_FILE.test(name));
  const sessions = readdirSync(join(home, WEB_SESSIONS));
  const paths = [
    ...codes.map((name) => join(LOCKS, name)),
    ...sessions.map((name) => join(WEB_SESSIONS, name)),
    PUSH,
    CHANNELS,
  ];
  for (const path of paths) rmSync(join(home, path), { recursive: true, force: true });
}

/** Is this the directory that is taken because nothing names another? */
function isFound(home: string, env: Environment): boolean {
  return !env.MIMIKIT_HOME && home === resolveHome(env).home;
}

function hasRecord(home: string, env: Environment): boolean {
  try {
    const token = readToken(home);
    return readAdoption(home, token, env) === hashOf(token);
  } catch (error) {
    if (error instanceof HomeError || hasCode(error, "ENOENT", "ENOTDIR")) return false;
    throw error;
  }
}

/** Absent, or without any file that counts: a first start that was cut off leaves no more than this. */
function isUntouched(home: string): boolean {
  const info = lstatSync(home, { throwIfNoEntry: false });
  if (info === undefined) return true;
  if (!info.isDirectory()) return false;
  return holdsNothing(home, home);
}

/** Ends at the first file that counts: a directory that was used has many. */
function holdsNothing(dir: string, home: string): boolean {
  return readdirSync(dir, { withFileTypes: true }).every((entry) => {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return holdsNothing(path, home);
    if (!entry.isFile()) return false;
    return (
      dir === join(home, TEMPORARY) ||
      path === join(home, STATE_VERSION_FILE) ||
      (path === join(home, IGNORE_FILE) && readFileSync(path, "utf8") === IGNORED)
    );
  });
}

/** @throws HomeError where a directory that is not adopted holds links: what is written or read there would be elsewhere. */
export function assertNoLinksUnlessAdopted(home: string, env: Environment): void {
  if (!isAdopted(home, env)) assertNoLinks(home);
}

function assertNoLinks(home: string): void {
  const names = ["", ...DIRECTORIES, ...(lstatSync(home).isDirectory() ? readdirSync(home) : [])];
  const link = names.find((name) => lstatSync(join(home, name), { throwIfNoEntry: false })?.isSymbolicLink());
  if (link === undefined) return;
  throw new HomeError(
    `${join(home, link)} is a link, and this state directory was not made here: remove it, or name the directory with MIMIKIT_HOME`,
  );
}

/** The hash of the token that the directory had when it was adopted; null where it never was. */
function readAdoption(home: string, token: string, env: Environment): string | null {
  return readRecord(recordPath(home, token, env))?.tokenHash ?? null;
}

function writeAdoption(home: string, token: string, env: Environment): void {
  const path = recordPath(home, token, env);
  const record = { home: realpathSync(home), tokenHash: hashOf(token), at: new Date().toISOString() };
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    replaceFile(path, `${JSON.stringify(record)}\n`);
  } catch (error) {
    if (!hasCode(error, "EACCES", "EPERM", "EROFS", "ENOSPC", "ENOTDIR")) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new HomeError(
      `${path} cannot be written (${reason}): set XDG_STATE_HOME to a directory that can, or name ${home} with MIMIKIT_HOME`,
    );
  }
}

/** `<folder of the records>/<hash of the real path>-<hash of the token>.json`. */
function recordPath(home: string, token: string, env: Environment): string {
  return join(recordsDir(env), `${homeHash(home)}-${hashOf(token).slice(0, 16)}.json`);
}

/** `$XDG_STATE_HOME/mimikit/homes`; a relative XDG_STATE_HOME does not count. It need not exist. */
export function recordsDir(env: Environment): string {
  const set = env.XDG_STATE_HOME ?? "";
  const base = isAbsolute(set) ? set : join(env.HOME || homedir(), ".local", "state");
  return join(base, "mimikit", "homes");
}

/** The state directories that this user has records of, wherever they are now. Throws what the disk throws; a record that is damaged is left out. */
export function recordedHomes(env: Environment): string[] {
  const dir = recordsDir(env);
  try {
    const records = readdirSync(dir).filter((name) => name.endsWith(".json"));
    return [...new Set(records.flatMap((name) => readRecord(join(dir, name))?.home ?? []))];
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "EACCES")) return [];
    throw error;
  }
}

function readRecord(path: string): z.infer<typeof Adoption> | null {
  try {
    return parseRecord(Adoption, readFileSync(path, "utf8"));
  } catch (error) {
    if (error instanceof BadJson || hasCode(error, "ENOENT", "ENOTDIR")) return null;
    throw error;
  }
}

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
