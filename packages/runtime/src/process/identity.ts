/**
 * Is a process still the one that it was? A pid alone is reused within minutes; pid, start time and boot are not
 * (docs/file-protocol.md R6).
 */
import { readFileSync } from "node:fs";
import type { Identity } from "@mimikit/protocol/records/claim";
import { hasCode } from "@mimikit/store/disk/error-code";

/** The fields of /proc/<pid>/stat after the command's name, which is in brackets and may contain anything. */
const STATE_FIELD = 0;
const START_TIME_FIELD = 19;

/** Empty where the system does not tell: then only the pid is compared. */
const bootId = readBootId();

function readBootId(): string {
  if (process.platform !== "linux") return "";
  return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
}

/** The running process `pid`: null when there is none, or when it is a zombie, which runs nothing any more. */
export function identityOf(pid: number): Identity | null {
  if (process.platform !== "linux") return exists(pid) ? { pid, startTime: "", bootId } : null;
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT", "ESRCH")) return null;
    throw error;
  }
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const state = fields[STATE_FIELD];
  if (state === "Z" || state === "X") return null;
  return { pid, startTime: fields[START_TIME_FIELD] ?? "", bootId };
}

/** Who this process is. */
export function ownIdentity(): Identity {
  const own = identityOf(process.pid);
  if (own === null) throw new Error("this process does not see itself in /proc");
  return own;
}

/** Does exactly this process still run? What cannot be told counts as alive, so that nothing is taken from a living owner. */
export function isAlive(identity: Identity): boolean {
  if (identity.bootId !== "" && bootId !== "" && identity.bootId !== bootId) return false;
  let current: Identity | null;
  try {
    current = identityOf(identity.pid);
  } catch {
    // The process table cannot be read just now (EMFILE, EACCES): unknown counts as alive (R6).
    return true;
  }
  if (current === null) return false;
  return identity.startTime === "" || current.startTime === "" || current.startTime === identity.startTime;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !hasCode(error, "ESRCH");
  }
}
