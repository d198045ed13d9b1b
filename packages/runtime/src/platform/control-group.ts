/**
 * A control group (cgroup v2) around what a command starts, where this process may make one: a session, a parent or an
 * environment of its own takes nothing out of it. Its name says the mark of the run, by which what is in it is found
 * (`process/marked-processes.ts`). It finds what was left behind; it does not hold a process that wants out, because its
 * user may move processes.
 */
import { randomBytes } from "node:crypto";
import { accessSync, constants, mkdirSync, readdirSync, readFileSync, rmdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "@mimikit/store/disk/error-code";
import type { ControlGroup } from "./platform.ts";

const PREFIX = "mimikit.";
const NONCE_BYTES = 4;
const NAME = /\/mimikit\.([^/]+)\.[0-9a-f]{8}(?=\/|$)/;
/** The mount of cgroup v2, where all of it is mounted: `35 24 0:30 / /sys/fs/cgroup rw … - cgroup2 …`. */
const MOUNT = /^\S+ \S+ \S+ \/ (\S+) .* - cgroup2 /m;
/** The shell enters, and becomes the command. Where it may not, the command runs all the same. */
const ENTER = '{ echo $$ >"$0"; } 2>/dev/null; exec "$@"';

/** A group for what carries `mark`; null where this process may make none. */
export function makeGroup(mark: string): ControlGroup | null {
  const base = findBase("self");
  if (base === null) return null;
  const name = `${PREFIX}${encodeURIComponent(mark)}.${randomBytes(NONCE_BYTES).toString("hex")}`;
  const directory = join(base, name);
  try {
    mkdirSync(directory);
  } catch (error) {
    // No delegation, or no room for one more: the command runs without.
    if (hasCode(error, "EACCES", "EPERM", "EROFS", "ENOENT", "EAGAIN", "ENOSPC", "ENAMETOOLONG")) return null;
    throw error;
  }
  return {
    entering: (commandLine) => ["/bin/sh", "-c", ENTER, join(directory, "cgroup.procs"), ...commandLine],
    remove: () => removeEmpty(directory),
  };
}

/** Could a process make groups, this one or another of this user's? */
export function mayMakeGroups(pid?: number): boolean {
  return findBase(pid ?? "self") !== null;
}

/** Takes away the empty groups that a dead process has left, of all marks that begin with `home`. */
export function removeGroups(home: string): void {
  const base = findBase("self");
  if (base === null) return;
  const prefix = PREFIX + encodeURIComponent(`${home}:`);
  for (const name of readdirSync(base).filter((each) => each.startsWith(prefix))) removeEmpty(join(base, name));
}

/** The mark that the group of a process says; undefined where it is in none, or is gone. */
export async function markInGroup(pid: number): Promise<string | undefined> {
  try {
    const name = NAME.exec(unifiedIn(await readFile(`/proc/${pid}/cgroup`, "utf8")) ?? "")?.[1];
    return name === undefined ? undefined : decodeURIComponent(name);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ESRCH", "EACCES", "EPERM") || error instanceof URIError) return undefined;
    throw error;
  }
}

/** The directory of the group that a process is in, where groups can be made below it; null where not. */
function findBase(pid: number | "self"): string | null {
  try {
    const own = unifiedIn(readFileSync(`/proc/${pid}/cgroup`, "utf8"));
    const mount = MOUNT.exec(readFileSync("/proc/self/mountinfo", "utf8"))?.[1];
    if (own === undefined || mount === undefined) return null;
    const base = join(mount, own);
    accessSync(base, constants.W_OK);
    accessSync(join(base, "cgroup.procs"), constants.W_OK);
    return base;
  } catch (error) {
    if (hasCode(error, "ENOENT", "ESRCH", "EACCES", "EPERM", "EROFS")) return null;
    throw error;
  }
}

/** The path in cgroup v2, of `/proc/<pid>/cgroup`. */
function unifiedIn(text: string): string | undefined {
  return /^0::(.*)$/m.exec(text)?.[1];
}

function removeEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch (error) {
    if (!hasCode(error, "EBUSY", "ENOENT")) throw error;
  }
}
