/**
 * The processes of this machine, with what they were started as. Linux only: elsewhere the list is empty, and callers
 * fall back on what processes noted about themselves.
 */
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import type { Identity } from "@mimikit/protocol/records/claim";
import { hasCode } from "@mimikit/store/disk/error-code";
import { identityOf, isAlive } from "./identity.ts";

const KILL_MS = 3_000;
const POLL_MS = 50;
/** A child between fork and exec still shows its parent's environment: what looks empty is looked at twice. */
const EXEC_MS = 50;

export interface RunningProcess extends Identity {
  args: string[];
  /** As it was at the start of the process. */
  environment: ReadonlyMap<string, string>;
}

/** Every living process that this user may look into, except this one. */
export async function listProcesses(): Promise<RunningProcess[]> {
  if (process.platform !== "linux") return [];
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const found = await Promise.all(pids.map((pid) => readProcess(Number(pid))));
  return found.filter((entry) => entry !== null);
}

/**
 * Ends every process that `find` finds: TERM once each, KILL for those that are left after `termMs`, and looks again
 * until none is left.
 * @returns those that are still there 3 s after that (in an uninterruptible system call); empty means verified gone.
 */
export async function endProcesses<T extends Identity>(find: () => Promise<T[]>, termMs: number): Promise<T[]> {
  const start = performance.now();
  const asked = new Set<string>();
  for (;;) {
    const found = await find();
    const elapsedMs = performance.now() - start;
    if (found.length === 0) {
      await wait(EXEC_MS);
      if ((await find()).length === 0) return [];
      continue;
    }
    if (elapsedMs > termMs + KILL_MS) return found;
    for (const target of found) {
      const name = `${target.pid}/${target.startTime}`;
      if (elapsedMs >= termMs) signal(target, "SIGKILL");
      // A second TERM means "at once" to many programs, so each process gets one.
      else if (!asked.has(name)) signal(target, "SIGTERM");
      asked.add(name);
    }
    await wait(POLL_MS);
  }
}

async function readProcess(pid: number): Promise<RunningProcess | null> {
  try {
    const [environment, command] = await Promise.all([
      readFile(`/proc/${pid}/environ`, "utf8"),
      readFile(`/proc/${pid}/cmdline`, "utf8"),
    ]);
    const identity = identityOf(pid);
    if (identity === null) return null;
    return {
      ...identity,
      args: command.split("\0").filter((arg) => arg !== ""),
      environment: parseEnvironment(environment),
    };
  } catch (error) {
    // Gone meanwhile, or another user's: neither is ours.
    if (hasCode(error, "ENOENT", "ESRCH", "EACCES", "EPERM")) return null;
    throw error;
  }
}

function parseEnvironment(text: string): Map<string, string> {
  const pairs = text.split("\0").map((line): [string, string] => {
    const equals = line.indexOf("=");
    return [line.slice(0, Math.max(0, equals)), line.slice(equals + 1)];
  });
  return new Map(pairs);
}

function signal(target: Identity, name: "SIGTERM" | "SIGKILL"): void {
  if (!isAlive(target)) return;
  try {
    process.kill(target.pid, name);
  } catch (error) {
    if (!hasCode(error, "ESRCH")) throw error;
  }
}
