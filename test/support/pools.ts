/** A home with an engine and machines that work for it, all of them processes on loopback. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { homeHash } from "@mimikit/runtime/home/home";
import { findMarked, killMarked } from "@mimikit/runtime/process/marked-processes";
import { execa } from "execa";
import { Instance, type InstanceOptions } from "./instance.ts";
import { bundleOf, CLI } from "./programs.ts";
import { RedisServer } from "./redis.ts";

const POOL = bundleOf("remote-pool");

/** Seconds: a machine is given up after twice as many. */
export const LEASE_SEC = 5;

/** Runs `mimikit <words>` beside the home. */
export const mimikitCommand = (
  { home, workDir, port }: Pick<Instance, "home" | "workDir" | "port">,
  url: string,
  words: readonly string[],
  input = "",
) =>
  execa(process.execPath, [CLI, ...words], {
    env: { MIMIKIT_HOME: home, MIMIKIT_WORK_DIR: workDir, MIMIKIT_PORT: String(port), MIMIKIT_POOLS_URL: url },
    input,
    reject: false,
  });

/** One other machine: its process is started again whenever it ends by itself, as a service is. */
export class Machine {
  readonly name: string;
  readonly workDir: string;
  readonly home: string;
  output = "";
  private child: ChildProcess | undefined;
  private readonly env: Record<string, string>;

  constructor(name: string, env: Record<string, string> = {}) {
    this.name = name;
    this.workDir = mkdtempSync(join(tmpdir(), `mimikit-${name}-`));
    this.home = join(this.workDir, ".mimikit-pool");
    this.env = env;
  }

  start(): void {
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("MIMIKIT_"));
    const child = spawn(process.execPath, [POOL], {
      env: {
        ...Object.fromEntries(inherited),
        MIMIKIT_HOME: this.home,
        MIMIKIT_WORK_DIR: this.workDir,
        MIMIKIT_PROVIDER: "offline",
        ...this.env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (data) => {
        this.output += data;
      });
    this.child = child;
    child.on("exit", () => {
      if (this.child === child) this.start();
    });
  }

  /** kill -9, and it is started again. */
  async kill(): Promise<void> {
    const { child } = this;
    if (child === undefined) throw new Error(`${this.name} does not run`);
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  }

  /** Ends it, and leaves it ended. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill(signal);
    await gone;
  }

  /** Stops or continues its process alone. */
  signal(signal: "SIGSTOP" | "SIGCONT"): void {
    this.child?.kill(signal);
  }

  /** The processes that its runs have started and that still run. */
  children() {
    return findMarked(homeHash(this.home));
  }

  read(name: string): string {
    const path = join(this.workDir, name);
    return existsSync(path) ? readFileSync(path, "utf8") : "";
  }

  async dispose(): Promise<void> {
    this.signal("SIGCONT");
    await this.stop("SIGKILL");
    if (existsSync(this.home)) await killMarked(homeHash(this.home));
    rmSync(this.workDir, { recursive: true, force: true });
  }
}

export interface Pools {
  mimikit: Instance;
  redis: RedisServer;
  /** Invites a machine and has it join; it runs from then on. */
  join(name: string, words?: readonly string[], env?: Record<string, string>): Promise<Machine>;
  command(words: readonly string[], input?: string): ReturnType<typeof mimikitCommand>;
  dispose(): Promise<void>;
}

/** A home, its dispatcher and a redis-server. */
export async function startPools(options: InstanceOptions = {}): Promise<Pools> {
  const redis = await RedisServer.start();
  const env = { MIMIKIT_POOLS_URL: redis.url, MIMIKIT_POOLS_LEASE_SEC: `${LEASE_SEC}`, ...options.env };
  const mimikit = await Instance.start({ ...options, env });
  const machines: Machine[] = [];
  mimikit.startRole("dispatcher");
  const command: Pools["command"] = (words, input) => mimikitCommand(mimikit, redis.url, words, input);
  return {
    mimikit,
    redis,
    command,
    async dispose() {
      await Promise.all(machines.map((machine) => machine.dispose()));
      await mimikit.dispose();
      await redis.dispose();
    },
    async join(name, words = [], env = {}) {
      const machine = new Machine(name, env);
      machines.push(machine);
      const invited = await execa(process.execPath, [CLI, "pool", "invite", name, ...words, "--json"], {
        env: {
          MIMIKIT_HOME: mimikit.home,
          MIMIKIT_WORK_DIR: mimikit.workDir,
          MIMIKIT_POOLS_URL: redis.url,
          MIMIKIT_POOLS_LEASE_SEC: `${LEASE_SEC}`,
        },
      });
      const { code } = JSON.parse(invited.stdout) as { code: string };
      await execa(process.execPath, [CLI, "pool", "join", "--work-dir", machine.workDir, "--no-start"], {
        input: code,
      });
      machine.start();
      return machine;
    },
  };
}
