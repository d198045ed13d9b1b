/** One directory holds everything that Mimikit knows: where it is, who may read it, and the token that proves it. */

import { createHash, randomBytes } from "node:crypto";
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { sentence } from "@mimikit/protocol/texts/coded";
import { hasCode } from "@mimikit/store/disk/error-code";
import { restoreDirectories } from "@mimikit/store/disk/restore-directories";
import { DIRECTORIES, TEMPORARY } from "@mimikit/store/disk/state";
import { syncDirectory } from "@mimikit/store/disk/sync-directory";
import { noteTokenIfLater } from "./audit-key.ts";
import { collectCopies } from "./copies.ts";
import { ROOT } from "./programs.ts";
import { chooseWorkDir, STATE_FOLDER, type WorkDir } from "./work-dir.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface HomePlace {
  /** The state directory, absolute. */
  home: string;
  /** The workspace in which work is done, absolute. */
  workDir: string;
}

const DIRECTORY_MODE = 0o700;
const TOKEN_BYTES = 32;
const TOKEN_PATTERN = /^[0-9a-f]{64}$/;
/** The errors of file systems without hard links: FAT, exFAT, SMB, some of FUSE. */
const NO_LINKS = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"] as const;
/** Keeps git from the state: the directory lies in a workspace, which is often a repository. */
export const IGNORE_FILE = ".gitignore";
export const IGNORED = "*\n";

/** A problem with the state directory, in one line that says what to do. */
export class HomeError extends Error {}

/**
 * Where the state and the workspace are (docs/configuration.md). npm runs scripts in the folder of package.json, so for
 * `npm start` and `npm stop` the caller's directory is npm's INIT_CWD.
 */
export function resolveHome(env: Environment): HomePlace & WorkDir {
  const calledByNpm = env.npm_lifecycle_event === "start" || env.npm_lifecycle_event === "stop";
  const calledIn = (calledByNpm ? env.INIT_CWD : undefined) ?? process.cwd();
  const called = { named: env.MIMIKIT_WORK_DIR, calledIn, program: ROOT, userHome: env.HOME || homedir() };
  // A link counts as well: it is not believed, and that is said (`adoption.ts`).
  const found = chooseWorkDir(
    called,
    (dir) => lstatSync(join(dir, STATE_FOLDER), { throwIfNoEntry: false }) !== undefined,
  );
  return { ...found, home: resolve(env.MIMIKIT_HOME || join(found.workDir, STATE_FOLDER)) };
}

/** The short name of a state directory: the first 16 hex digits of the SHA-256 of its real path. It must exist. */
export function homeHash(home: string): string {
  return createHash("sha256").update(realpathSync(home)).digest("hex").slice(0, 16);
}

/**
 * Makes the state directory complete: every directory of the protocol (0700), the token and a `.gitignore` (0600). Safe
 * when several processes do it at once. From here on, what this process creates is private (umask 077). Throws
 * `HomeError` when the directory belongs to another user, its file system has no hard links, or the token is readable by others.
 * @param onToken is told the token that this call made, just before it takes its place.
 */
export function prepareHome(home: string, onToken?: (token: string) => void): void {
  process.umask(0o077);
  const made = mkdirSync(home, { recursive: true, mode: DIRECTORY_MODE });
  // Before its mode is set: what has no links often has no modes either.
  const unlinkable = whyNoLinks(home);
  if (unlinkable !== null) {
    if (made !== undefined) rmdirSync(home);
    throw new HomeError(unlinkable);
  }
  makePrivate(home);
  // Its name, and those of the directories above it that were made with it.
  if (made !== undefined)
    for (let each = resolve(home); each.length >= resolve(made).length; each = dirname(each))
      syncDirectory(dirname(each));
  restoreDirectories(home);
  for (const dir of DIRECTORIES) makePrivate(join(home, dir));
  createOnce(home, IGNORE_FILE, () => IGNORED);
  createOnce(home, "token", () => {
    const token = randomBytes(TOKEN_BYTES).toString("hex");
    onToken?.(token);
    noteTokenIfLater(home, token);
    return `${token}\n`;
  });
  readToken(home);
  collectCopies(resolve(home));
}

/**
 * Why nothing can be written in a directory, in words for its owner; null where it can be. Where there is none, the nearest
 * directory above it is meant, in which it would be made. Throws what the disk throws beyond that.
 */
export function whyUnwritable(dir: string): string | null {
  try {
    accessSync(dir, constants.W_OK);
    return null;
  } catch (error) {
    if (hasCode(error, "EROFS")) return sentence("on_read_only", { path: dir });
    if (hasCode(error, "EACCES", "EPERM")) return sentence("not_ours_to_write", { path: dir });
    if (hasCode(error, "ENOENT", "ENOTDIR") && dirname(dir) !== dir) return whyUnwritable(dirname(dir));
    throw error;
  }
}

/**
 * Why an existing directory can hold no state, in words for its owner; null where it can, and where it cannot be tried, which other checks
 * say. Records are created by `link`, which gives a name to one of two only (docs/decisions/0003-link-not-locks.md).
 */
export function whyNoLinks(home: string): string | null {
  const dir = [join(home, TEMPORARY), home].find((each) => existsSync(each)) ?? home;
  const path = join(dir, `link-${process.pid}-${randomBytes(4).toString("hex")}`);
  try {
    writeFileSync(path, "", { mode: 0o600, flag: "wx" });
  } catch (error) {
    if (hasCode(error, "ENOSPC", "EDQUOT", "EROFS", "EACCES", "EPERM", "ENOENT", "ENOTDIR", "EIO")) return null;
    throw error;
  }
  try {
    linkSync(path, `${path}.second`);
    return null;
  } catch (error) {
    return hasCode(error, ...NO_LINKS) ? sentence("no_hard_links", { path: home }) : null;
  } finally {
    for (const each of [path, `${path}.second`]) rmSync(each, { force: true });
  }
}

/** The 256-bit token (hex) of a state directory. Throws `HomeError` when it is missing, malformed or not private. */
export function readToken(home: string): string {
  const path = join(home, "token");
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (hasCode(error, "ENOENT")) throw new HomeError(`${path} does not exist: nothing was started here yet`);
    if (hasCode(error, "ELOOP", "ENXIO")) throw new HomeError(`${path} is not a regular file: remove it`);
    throw error;
  }
  try {
    const info = fstatSync(file);
    if (!info.isFile()) throw new HomeError(`${path} is not a regular file: remove it`);
    if ((info.mode & 0o077) !== 0) {
      throw new HomeError(`${path} can be read by others (mode ${modeText(info.mode)}): run  chmod 600 '${path}'`);
    }
    const token = readFileSync(file, "utf8").trim();
    if (!TOKEN_PATTERN.test(token)) {
      throw new HomeError(
        `${path} does not hold a token of 64 hex digits: remove it, and the next start makes a new one`,
      );
    }
    return token;
  } finally {
    closeSync(file);
  }
}

/** `rw-r--r--` as people type it: 644. */
export function modeText(mode: number): string {
  return (mode & 0o777).toString(8).padStart(3, "0");
}

function makePrivate(dir: string): void {
  const info = statSync(dir);
  const owner = process.getuid?.();
  if (owner !== undefined && info.uid !== owner) {
    throw new HomeError(`${dir} belongs to another user (uid ${info.uid}): choose another MIMIKIT_HOME`);
  }
  if ((info.mode & 0o077) !== 0) chmodSync(dir, DIRECTORY_MODE);
}

/** Two starters agree on one text, because `link` gives the name to the first of them only. */
function createOnce(home: string, name: string, textOf: () => string): void {
  const path = join(home, name);
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return;
  const temporary = join(home, "tmp", `${name}-${process.pid}-${randomBytes(4).toString("hex")}`);
  const file = openSync(temporary, "wx", 0o600);
  try {
    writeFileSync(file, textOf());
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  try {
    linkSync(temporary, path);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  } finally {
    unlinkSync(temporary);
  }
  syncDirectory(home);
}
