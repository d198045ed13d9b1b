/** A home of its own for a test with the real PM2. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { Status } from "@mimikit/protocol/wire/api";
import { homeHash, readToken } from "@mimikit/runtime/home/home";
import { isAlive } from "@mimikit/runtime/process/identity";
import { MARK_VARIABLE } from "@mimikit/runtime/process/marked-processes";
import { endProcesses, listProcesses, type RunningProcess } from "@mimikit/runtime/process/process-table";
import { type ProcessRole, readRole } from "@mimikit/runtime/process/role-record";
import { expect, onTestFinished } from "vitest";
import { freePort } from "../support/free-port.ts";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
export const MIMIKIT = join(ROOT, "apps/cli/bin/mimikit.mjs");
export const PM2 = join(ROOT, "node_modules/pm2/bin/pm2");
/** Some polls read the process table. */
export const COMES_BACK = { timeout: 15_000, interval: 100 };

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

export async function run(
  script: string,
  args: string[],
  env: NodeJS.ProcessEnv,
  node = process.execPath,
): Promise<Ran> {
  const child = spawn(node, [script, ...args], { cwd: ROOT, env, stdio: ["ignore", "pipe", "pipe"] });
  const exit = new Promise<number | null>((resolve) => child.on("close", resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
  return { code, stdout, stderr };
}

/**
 * A home that nothing runs in yet; whatever runs in it at the end of the test is ended.
 * @param folder the workspace, in a directory of its own.
 */
export async function instance(folder = "") {
  const parent = realpathSync(mkdtempSync(join(tmpdir(), "mimikit-pm2-")));
  const workDir = join(parent, folder);
  mkdirSync(workDir, { recursive: true });
  const home = join(workDir, ".mimikit");
  const port = await freePort();
  const { NODE_ENV: _, ...inherited } = process.env;
  const env: NodeJS.ProcessEnv = {
    ...inherited,
    MIMIKIT_WORK_DIR: workDir,
    MIMIKIT_HOME: home,
    MIMIKIT_PORT: String(port),
    // The user who runs the tests may have a model or an agent CLI.
    MIMIKIT_PROVIDER: "offline",
  };
  const processes = async () => (await listProcesses()).filter((process) => belongsTo(process, workDir, home));
  onTestFinished(async () => {
    await endProcesses(processes, 0);
    rmSync(parent, { recursive: true, force: true });
  });
  const mimikit = (...args: string[]) => run(MIMIKIT, args, env);
  return {
    workDir,
    home,
    port,
    env,
    mimikit,
    /** Everything that was started with this home: PM2's daemon, roles, children. */
    processes,
    daemons: async () => (await processes()).filter(({ args }) => /^PM2 v/.test(args[0] ?? "")),
    async up(): Promise<{ alreadyRunning: boolean; url: string; pairingUrl: string; status: Status }> {
      const { code, stdout, stderr } = await mimikit("up", "--json");
      expect([code, stderr]).toEqual([0, ""]);
      return JSON.parse(stdout);
    },
    async ask(message: string): Promise<string[]> {
      const { code, stdout, stderr } = await mimikit("ask", "--timeout", "60", "--json", message);
      expect([code, stderr.match(/^mimikit:.*/m)?.[0]]).toEqual([0, undefined]);
      return (JSON.parse(stdout) as { replies: { text: string }[] }).replies.map((reply) => reply.text);
    },
    pid(role: ProcessRole): number {
      const record = readRole(home, role);
      return record !== null && isAlive(record) ? record.pid : 0;
    },
    isReady: () => isReadyAt(home, port),
  };
}

/** Asks the gateway itself: a command for each poll would take the processor from what is waited for. */
export async function isReadyAt(home: string, port: number | string): Promise<boolean> {
  if (!existsSync(join(home, "token"))) return false;
  const headers = { authorization: `Bearer ${readToken(home)}` };
  const answer = await fetch(`http://127.0.0.1:${port}/api/status`, { headers }).catch(() => null);
  return answer?.ok === true && ((await answer.json()) as Status).ready;
}

function belongsTo({ environment }: RunningProcess, workDir: string, home: string): boolean {
  const isOfHome = ["MIMIKIT_HOME", "PM2_HOME"].some((name) => environment.get(name)?.startsWith(workDir));
  const mark = environment.get(MARK_VARIABLE);
  return isOfHome || (mark !== undefined && existsSync(home) && mark.startsWith(`${homeHash(home)}:`));
}
