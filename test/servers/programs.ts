/** The real programs of this suite: where they are installed, and how one is started and ended. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "../support/free-port.ts";

const ROOT = join(import.meta.dirname, "../..");
/** A virtual environment for each program, and what pip downloads and builds for them. */
export const DIRECTORY = process.env.SERVERS_DIR || join(ROOT, "node_modules/.cache/servers");

export type ProgramName = "openai" | "litellm" | "llama";

/** The packages of each program, pinned exactly. */
export const PINS: ReadonlyMap<string, readonly string[]> = new Map(
  readFileSync(join(import.meta.dirname, "requirements.txt"), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => line.split(" "))
    .map(([name = "", ...pins]) => [name, pins]),
);

export const environmentOf = (name: string) => join(DIRECTORY, name);
/** Written when all of them are installed. */
export const stampOf = (name: string) => join(environmentOf(name), ".pins");

/** A program of the virtual environment, by default its Python; undefined where it is not installed. */
export function find(name: ProgramName, program = "python"): string | undefined {
  const stamp = stampOf(name);
  const isThere = existsSync(stamp) && readFileSync(stamp, "utf8") === PINS.get(name)?.join("\n");
  return isThere ? join(environmentOf(name), "bin", program) : undefined;
}

/** A server answers its health check later than this only if something is wrong: the first start compiles its sources. */
const START_MS_MAX = 240_000;
const ASK_EVERY_MS = 250;
const OUTPUT_CHARS_MAX = 20_000;

export class Server {
  readonly url: string;
  /** The end of what it has printed. */
  output = "";
  private readonly child: ChildProcess;
  private readonly directory: string;

  private constructor(command: readonly string[], port: number, env: Record<string, string>) {
    this.url = `http://127.0.0.1:${port}`;
    this.directory = mkdtempSync(join(tmpdir(), "mimikit-server-"));
    const home = join(this.directory, "home");
    mkdirSync(home);
    const [file = "", ...args] = command;
    this.child = spawn(file, args, {
      cwd: this.directory,
      // Its own home: nothing is read from that of the user, nothing is left there.
      env: { PATH: process.env.PATH, HOME: home, PYTHONUNBUFFERED: "1", ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on("data", (data) => {
        this.output = (this.output + data).slice(-OUTPUT_CHARS_MAX);
      });
  }

  /** Starts a server on a free port and waits until `health`, a path, is answered. */
  static async start(
    health: string,
    commandOf: (port: number) => readonly string[],
    env: Record<string, string> = {},
  ): Promise<Server> {
    const port = await freePort();
    const server = new Server(commandOf(port), port, env);
    try {
      await server.isReady(health);
    } catch (error) {
      await server.dispose();
      throw error;
    }
    return server;
  }

  private async isReady(health: string): Promise<void> {
    const end = performance.now() + START_MS_MAX;
    while (performance.now() < end && this.runs) {
      try {
        const { ok } = await fetch(`${this.url}${health}`);
        if (ok) return;
      } catch (error) {
        // It does not listen yet.
        if (!(error instanceof TypeError)) throw error;
      }
      await wait(ASK_EVERY_MS);
    }
    throw new Error(`the server ${this.runs ? "is not ready" : "has ended"}:\n${this.output}`);
  }

  get runs(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  async dispose(): Promise<void> {
    if (this.runs) {
      const gone = once(this.child, "exit");
      this.child.kill("SIGKILL");
      await gone;
    }
    rmSync(this.directory, { recursive: true, force: true });
  }
}
