/**
 * An assistant as a service: in a sandbox without a network but loopback, its folder the only one that it can write to, started
 * again at once whenever it has ended, as systemd would with Restart=always.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { ROOT } from "@mimikit/runtime/home/programs";
import type { Assistant, Place } from "./assistants/assistant.ts";

/** systemd's RestartSec. */
const RESTART_AFTER_MS = 100;

/** Nothing of the caller's is in it, keys least of all. */
const ENVIRONMENT = { LANG: "C.UTF-8", PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin` };

export class Service {
  private readonly assistant: Assistant;
  private readonly place: Place;
  private child: ChildProcess | null = null;
  private isWanted = true;

  private constructor(assistant: Assistant, place: Place) {
    this.assistant = assistant;
    this.place = place;
  }

  /** Starts it; it is not ready yet. */
  static start(assistant: Assistant, place: Place): Service {
    const service = new Service(assistant, place);
    service.spawn();
    return service;
  }

  /** Kills every process of the service at once with SIGKILL; a supervisor that its documentation names stays. */
  async kill(): Promise<void> {
    const { isSupervisor } = this.assistant;
    if (isSupervisor === undefined) await this.killAll();
    else killEach(supervised(this.top, isSupervisor));
  }

  /** Ends it for good, its supervisor too. */
  async stop(): Promise<void> {
    this.isWanted = false;
    await this.killAll();
  }

  private get top(): number {
    return this.child?.pid ?? 0;
  }

  private spawn(): void {
    const { argv, env } = this.assistant.command(this.place);
    const log = openSync(join(this.place.home, "../service.log"), "a");
    const child = spawn("bwrap", [...sandbox(this.place, env), "--", ...argv], { stdio: ["ignore", log, log] });
    closeSync(log);
    this.child = child;
    child.once("exit", async () => {
      if (!this.isWanted) return;
      await wait(RESTART_AFTER_MS);
      if (this.isWanted) this.spawn();
    });
  }

  /** The first process of its own process table dies, and with it the kernel ends all others. */
  private async killAll(): Promise<void> {
    const { child } = this;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    killEach(childrenOf(this.top));
    child.kill("SIGKILL");
    await gone;
  }
}

function sandbox({ home, installed }: Place, env: Readonly<Record<string, string>>): string[] {
  // It stays over a kill, as /tmp does: some keep there what Node has compiled.
  const tmp = join(home, "../tmp");
  mkdirSync(tmp, { recursive: true });
  const own = { ...ENVIRONMENT, HOME: home, ...env };
  return [
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--bind", tmp, "/tmp", "--tmpfs", homedir()],
    ...["--ro-bind", ROOT, ROOT, "--bind", home, home, "--chdir", home],
    ...(installed === null ? [] : ["--bind", installed, installed]),
    ...["--unshare-pid", "--unshare-ipc", "--die-with-parent", "--clearenv"],
    ...Object.entries(own).flatMap(([name, value]) => ["--setenv", name, value]),
  ];
}

function killEach(pids: readonly number[]): void {
  for (const pid of pids)
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      // It has ended by itself in between.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
}

/** All processes below a supervisor, wherever it is below `top`. */
function supervised(top: number, isSupervisor: (commandLine: string) => boolean): number[] {
  const isOne = (pid: number) => isSupervisor(readProc(`${pid}/cmdline`).replaceAll("\0", " "));
  return descendantsOf(top).filter(isOne).flatMap(descendantsOf);
}

function descendantsOf(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

function childrenOf(pid: number): number[] {
  return readProc(`${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number);
}

/** Empty where the process is gone. */
function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, "utf8");
  } catch (error) {
    if (["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) return "";
    throw error;
  }
}
