/**
 * An instance that exists only to be tried out: three real processes on loopback, in a directory of their own, answered
 * by the offline engine, so that it costs nothing and touches no user's files. A role that ends is started again.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Config } from "@mimikit/runtime/config/config";
import { setsAnything } from "@mimikit/runtime/config/fields";
import { type HomePlace, homeHash, prepareHome, readToken } from "@mimikit/runtime/home/home";
import { type Program, programOf } from "@mimikit/runtime/home/programs";
import { killMarked } from "@mimikit/runtime/process/marked-processes";
import { type CoreRole, PROCESS_ROLES } from "@mimikit/runtime/process/role-record";
import { ARCHIVE, COMPACTED } from "@mimikit/store/disk/state";
import { RECORD_DIRECTORIES } from "../backup/stage-records.ts";
import { EXIT } from "../io/failure.ts";
import { freePort } from "../processes/free-port.ts";
import { waitUntil } from "../processes/wait-until.ts";
import { Client } from "./client.ts";
import { waitUntilReady } from "./ready.ts";

const PROGRAM_OF: Record<CoreRole, Program> = {
  supervisor: "supervisor",
  workers: "worker-pool",
  gateway: "http-gateway",
};
const REST_POLL_MS = 20;
/** A role that cannot start is not started again at once. */
const RESTART_MS = 100;
const PLACE = "mimikit-trial-";

export interface TrialInstance {
  home: string;
  workDir: string;
  config: Config;
  client: Client;
  pidOf(role: CoreRole): number | undefined;
  /** kill -9; it is started again. */
  kill(role: CoreRole): Promise<void>;
  /** Resolves when all records have come to the archive; false when `ms` are over before. */
  rests(ms: number): Promise<boolean>;
  /** Ends the roles. */
  stop(): Promise<void>;
  /** Ends the roles, and removes all that there is of them. */
  remove(): Promise<void>;
}

export interface TrialOptions {
  /** Where all of it is: a folder that is empty, or has just been made. One of its own where none is given. */
  directory?: string;
  /** Fills the state directory, which is not there yet, and the workspace; without it, everything is new. */
  prepare?: (place: HomePlace) => void | Promise<void>;
  /** Is told of each process of a role. Between the two there is a channel, and the role leaves when it is closed. */
  onStart?: (role: CoreRole, child: ChildProcess) => void;
  /** The exit code after a signal. */
  exitCode?: number;
}

/**
 * Starts the roles and waits until they are ready. A signal ends them, removes everything, and ends the command.
 * Throws `Failure` when they are not ready in time.
 */
export async function startTrial(options: TrialOptions = {}): Promise<TrialInstance> {
  const { directory = mkdtempSync(join(tmpdir(), PLACE)), prepare, onStart, exitCode = EXIT.failed } = options;
  const home = join(directory, "state");
  const workDir = join(directory, "work");
  mkdirSync(workDir);
  try {
    await prepare?.({ home, workDir });
    prepareHome(home);
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  }
  const config = Config.parse({ port: await freePort() });
  const inherited = Object.entries(process.env).filter(([name]) => !setsAnything(name) && !name.startsWith("XDG_"));
  const env = {
    ...Object.fromEntries(inherited),
    // Files that a task makes in HOME are removed with the trial.
    HOME: workDir,
    MIMIKIT_HOME: home,
    MIMIKIT_WORK_DIR: workDir,
    MIMIKIT_PORT: String(config.port),
    MIMIKIT_PROVIDER: "offline",
  };
  const running = new Map<CoreRole, ChildProcess>();
  let isStopping = false;

  function start(role: CoreRole): void {
    const child = spawn(process.execPath, [programOf(PROGRAM_OF[role])], {
      env,
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    running.set(role, child);
    onStart?.(role, child);
    child.once("exit", () => {
      if (!isStopping) setTimeout(() => !isStopping && start(role), RESTART_MS);
    });
  }

  const stop = async () => {
    isStopping = true;
    const left = [...running.values()].filter((child) => child.exitCode === null && child.signalCode === null);
    const gone = left.map((child) => once(child, "exit"));
    for (const child of left) child.kill("SIGKILL");
    await Promise.all(gone);
    await killMarked(homeHash(home));
  };
  const remove = async () => {
    await stop();
    rmSync(directory, { recursive: true, force: true });
  };
  // Ctrl-C leaves no process and no file behind.
  const killAll = () => {
    for (const child of running.values()) child.kill("SIGKILL");
  };
  process.once("exit", killAll);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => void remove().finally(() => process.exit(exitCode)));

  for (const role of PROCESS_ROLES) start(role);
  try {
    const { url } = await waitUntilReady(home, config);
    return {
      home,
      workDir,
      config,
      client: new Client(url, readToken(home)),
      pidOf: (role) => running.get(role)?.pid,
      async kill(role) {
        const child = running.get(role);
        if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
        const gone = once(child, "exit");
        child.kill("SIGKILL");
        await gone;
      },
      rests: async (ms) => (await waitUntil(ms, REST_POLL_MS, async () => (isAtRest(home) ? true : null))) !== null,
      stop,
      remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Directories of records that are open. */
export const DRAINED: readonly string[] = RECORD_DIRECTORIES.filter((dir) => dir !== ARCHIVE && dir !== COMPACTED);

/** Have all records come to the archive? */
export function isAtRest(home: string): boolean {
  return DRAINED.every((dir) => readdirSync(join(home, dir)).length === 0);
}
