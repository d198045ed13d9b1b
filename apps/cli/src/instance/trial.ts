/**
 * An instance that exists only to be tried out: three real processes on loopback, in a directory of their own, answered
 * by the offline engine, so that it costs nothing and touches nothing of anybody's. A role that ends is started anew.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Config } from "@mimikit/runtime/config/config";
import { setsAnything } from "@mimikit/runtime/config/fields";
import { homeHash, prepareHome, readToken } from "@mimikit/runtime/home/home";
import { killMarked } from "@mimikit/runtime/process/marked-processes";
import { PROCESS_ROLES, type ProcessRole } from "@mimikit/runtime/process/role-record";
import { ARCHIVE, FOLDED } from "@mimikit/store/disk/state";
import { RECORD_DIRECTORIES } from "../backup/stage-records.ts";
import { ROOT } from "../io/place.ts";
import { waitUntil } from "../processes/wait-until.ts";
import { Client } from "./client.ts";
import { waitUntilReady } from "./ready.ts";

const MAINS: Record<ProcessRole, string> = {
  supervisor: "apps/supervisor/src/main.ts",
  workers: "apps/worker-pool/src/main.ts",
  gateway: "apps/http-gateway/src/main.ts",
};
const REST_POLL_MS = 20;
/** A role that cannot start is not started again at once. */
const RESTART_MS = 100;

export interface Trial {
  home: string;
  workDir: string;
  client: Client;
  pidOf(role: ProcessRole): number | undefined;
  /** kill -9; it is started anew. */
  kill(role: ProcessRole): Promise<void>;
  /** Resolves when all records have come to the archive; false when `ms` are over before. */
  rests(ms: number): Promise<boolean>;
  /** Ends the roles. */
  stop(): Promise<void>;
  /** Ends the roles, and removes all that there is of them. */
  remove(): Promise<void>;
}

/** Starts the roles and waits until they are ready. Throws `Failure` when they are not in time. */
export async function startTrial(): Promise<Trial> {
  const directory = mkdtempSync(join(tmpdir(), "mimikit-trial-"));
  const home = join(directory, "state");
  const workDir = join(directory, "work");
  mkdirSync(workDir);
  prepareHome(home);
  const config = Config.parse({ port: await freePort() });
  const inherited = Object.entries(process.env).filter(([name]) => !setsAnything(name));
  const env = {
    ...Object.fromEntries(inherited),
    MIMIKIT_HOME: home,
    MIMIKIT_WORK_DIR: workDir,
    MIMIKIT_PORT: String(config.port),
    MIMIKIT_PROVIDER: "offline",
  };
  const running = new Map<ProcessRole, ChildProcess>();
  let isStopping = false;

  function start(role: ProcessRole): void {
    const child = spawn(process.execPath, [join(ROOT, MAINS[role])], { env, stdio: "ignore" });
    running.set(role, child);
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
  // Whoever presses Ctrl-C leaves no process behind.
  const killAll = () => {
    for (const child of running.values()) child.kill("SIGKILL");
  };
  process.once("exit", killAll);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

  for (const role of PROCESS_ROLES) start(role);
  const remove = async () => {
    await stop();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    const { url } = await waitUntilReady(home, config);
    return {
      home,
      workDir,
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

const DRAINED = RECORD_DIRECTORIES.filter((dir) => dir !== ARCHIVE && dir !== FOLDED);

function isAtRest(home: string): boolean {
  return DRAINED.every((dir) => readdirSync(join(home, dir)).length === 0);
}

/** A port that nobody listens on just now. */
async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("the system gives no port");
  return address.port;
}
