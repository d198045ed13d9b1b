/**
 * Is a process still the one that it was? A pid alone is reused within minutes; pid, start time and boot are not
 * (docs/file-protocol.md R6).
 */

import { realpathSync, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type Identity, isOfThisMachine, type Owner } from "@mimikit/protocol/records/claim";
import { hasCode } from "@mimikit/store/disk/error-code";
import { resolveHome } from "../home/home.ts";
import { isAliveOn } from "../platform/is-alive.ts";
import { platform } from "../platform/this-platform.ts";

/** The running process `pid`: null when there is none, or when it is a zombie, which runs nothing any more. */
export const identityOf = (pid: number): Identity | null => platform.identityOf(pid);

let own: Identity | null = null;

/** The identity of this process. Throws when it is not in the table of processes. */
export function ownIdentity(): Identity {
  own ??= identityOf(process.pid);
  if (own === null) throw new Error("this process does not see itself in the table of processes");
  return own;
}

/**
 * Does exactly this process still run? A process that cannot be checked counts as alive, so that nothing is taken from a
 * living owner. The process that asks is not looked up: the pool asks at every look whether the owner of its claims
 * lives.
 */
export const isAlive = (identity: Identity): boolean =>
  (own !== null && isDeepStrictEqual(identity, own)) || isAliveOn(platform, identity);

/**
 * Does exactly this process still run, and for this state directory? A record in a copied directory names a process of the original, which
 * nothing may be asked of and which nobody may end in the name of the copy (docs/decisions/0063-a-process-is-ours-by-the-home-it-serves.md).
 * @param directory the directory that the process has recorded as its own (`directoryId`), if its record says that.
 */
export const isAliveFor = (home: string, identity: Identity, directory?: string): boolean =>
  isAlive(identity) && serves(home, identity, directory);

/** Is this a living process of another state directory? */
export const isOfAnotherHome = (home: string, identity: Identity, directory?: string): boolean =>
  isAlive(identity) && !serves(home, identity, directory);

/** Does the owner of a claim live? One on another machine is never dead by itself: how its attempt ended is recorded (docs/pools.md). */
export const isOwnerAlive = (home: string, owner: Owner): boolean => !isOfThisMachine(owner) || isAliveFor(home, owner);

/** Names a directory on this machine, whatever its path is: its device and inode. null where there is none. Throws what the disk throws. */
export function directoryId(path: string): string | null {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "ELOOP")) return null;
    throw error;
  }
}

/** A process that says neither which directory it has recorded nor which it was started with counts as one of this home. */
function serves(home: string, identity: Identity, directory: string | undefined): boolean {
  if (own !== null && isDeepStrictEqual(identity, own)) return true;
  if (directory !== undefined && directory === directoryId(home)) return true;
  const named = homeNamedTo(identity);
  return named === null ? directory === undefined : isSameDirectory(named, home);
}

/** The homes of processes that were looked up, by their identities: the environment of a start does not change. */
const homes = new Map<string, string | null>();
const HOMES_MAX = 1_000;

/** The state directory that a process was started with; null where its environment names none, or is not shown. */
function homeNamedTo({ pid, startTime, bootId }: Identity): string | null {
  const key = `${bootId} ${pid} ${startTime}`;
  const known = homes.get(key);
  if (known !== undefined) return known;
  if (homes.size >= HOMES_MAX) homes.clear();
  const home = readHomeOf(pid);
  homes.set(key, home);
  return home;
}

function readHomeOf(pid: number): string | null {
  const environment = platform.environmentOf(pid);
  const named = environment?.get("MIMIKIT_HOME") || environment?.get("MIMIKIT_WORK_DIR");
  if (!environment || !named || !isAbsolute(named)) return null;
  return resolveHome(Object.fromEntries(environment)).home;
}

/** The paths count as well: some file systems give a directory another inode each time. */
function isSameDirectory(one: string, other: string): boolean {
  if (one === other) return true;
  const id = directoryId(one);
  return id !== null && (id === directoryId(other) || realpathSync(one) === realpathSync(other));
}
