/** Linux: the process table is /proc, a claim is an abstract socket, and a control group or bubblewrap holds what a command starts. */
import { readdirSync, readFileSync } from "node:fs";
import { readlink } from "node:fs/promises";
import { createServer } from "node:net";
import { setImmediate } from "node:timers/promises";
import type { Identity } from "@mimikit/protocol/records/claim";
import { hasCode } from "@mimikit/store/disk/error-code";
import { bubblewrap } from "./bubblewrap.ts";
import { makeGroup, markInGroup, mayMakeGroups, removeGroups } from "./control-group.ts";
import type { Activity, Platform, RunningProcess, SingletonPlace } from "./platform.ts";

/** The fields of /proc/<pid>/stat after the command's name, which is in brackets and may contain anything. */
const STATE_FIELD = 0;
/** The states of a thread that waits for a disk, is stopped, or is traced. */
const HELD = ["D", "T", "t"];
const USER_TIME_FIELD = 11;
const SYSTEM_TIME_FIELD = 12;
const START_TIME_FIELD = 19;
/** The unit of the times: USER_HZ, which is 100 on every architecture that Node runs on. */
const TICK_MS = 10;
const PAGE_BYTES = 4_096;
/** Between so many processes, others of this process get their turn. */
const PROCESSES_AT_ONCE = 64;

let bootId: string | undefined;

export const linux: Platform = {
  identityOf,
  get bootId() {
    bootId ??= readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return bootId;
  },
  async listProcesses() {
    const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
    const found: RunningProcess[] = [];
    for (const [at, pid] of pids.entries()) {
      const entry = readProcess(Number(pid));
      if (entry !== null) found.push(entry);
      if ((at + 1) % PROCESSES_AT_ONCE === 0) await setImmediate();
    }
    return found;
  },
  environmentOf(pid) {
    try {
      return parseEnvironment(readFileSync(`/proc/${pid}/environ`, "utf8"));
    } catch (error) {
      if (hasCode(error, "ENOENT", "ESRCH", "EACCES", "EPERM")) return null;
      throw error;
    }
  },
  openedPath: (fd) => readlink(`/proc/self/fd/${fd}`),
  entryOf: (fd, name) => `/proc/self/fd/${fd}/${name}`,
  activityOf,
  residentBytes(pid) {
    const statm = readOf(pid, "statm");
    return statm === null ? null : Number(statm.split(" ")[1] ?? 0) * PAGE_BYTES;
  },
  claim: (place) => listenAlone(socketName(place)),
  isClaimed: async (place) =>
    // The kernel shows the leading NUL of an abstract name as @.
    readFileSync("/proc/net/unix", "utf8").includes(`${socketName(place).replace("\0", "@")}\n`),
  // The kernel keeps them.
  claimAgain: () => undefined,
  makeGroup,
  mayMakeGroups,
  removeGroups,
  markInGroup,
  sandbox: bubblewrap,
  socketPathBytesMax: 107,
};

function identityOf(pid: number): Identity | null {
  const fields = fieldsOf(pid, "stat");
  if (fields === null) return null;
  const state = fields[STATE_FIELD];
  if (state === "Z" || state === "X") return null;
  return { pid, startTime: fields[START_TIME_FIELD] ?? "", bootId: linux.bootId };
}

function activityOf(pid: number): Activity | null {
  const main = fieldsOf(pid, `task/${pid}/stat`);
  if (main === null) return null;
  const ticks = Number(main[USER_TIME_FIELD]) + Number(main[SYSTEM_TIME_FIELD]);
  const states = threadsOf(pid).flatMap((id) => fieldsOf(pid, `task/${id}/stat`)?.[STATE_FIELD] ?? []);
  return {
    cpuMs: ticks * TICK_MS,
    isHeld: states.some((state) => HELD.includes(state)),
    isWaiting: states.every((state) => state === "S"),
  };
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ESRCH")) return [];
    throw error;
  }
}

function fieldsOf(pid: number, name: string): string[] | null {
  return (
    readOf(pid, name)
      ?.replace(/^.*\) /s, "")
      .split(" ") ?? null
  );
}

function readOf(pid: number, name: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT", "ESRCH")) return null;
    throw error;
  }
}

/** Synchronous: the kernel answers at once, and a promise for each file would cost ten times as much. */
function readProcess(pid: number): RunningProcess | null {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, "utf8");
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
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

/** The name of the abstract socket of a role; `ss -lx` shows it with an @. */
function socketName({ secret, role }: SingletonPlace): string {
  return `\0mimikit-${secret}-${role}`;
}

/** The kernel frees the name the moment the process is gone. */
function listenAlone(name: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    // The socket carries no data; connections are closed at once.
    const server = createServer((socket) => socket.destroy());
    server.once("error", (error) => (hasCode(error, "EADDRINUSE") ? resolve(false) : reject(error)));
    server.listen({ path: name, exclusive: true }, () => {
      server.unref();
      resolve(true);
    });
  });
}
