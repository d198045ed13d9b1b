/** A redis-server of the test's own, on loopback: it can be killed and started again on what it has kept. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdtempSync, rmSync, statSync, truncateSync } from "node:fs";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "./free-port.ts";

const STARTS_MS_MAX = 20_000;
const LOOK_EVERY_MS = 20;

export class RedisServer {
  readonly port: number;
  readonly url: string;
  readonly dir: string;
  private child: ChildProcess | undefined;

  private constructor(port: number) {
    this.port = port;
    this.url = `redis://127.0.0.1:${port}`;
    this.dir = mkdtempSync(join(tmpdir(), "mimikit-redis-"));
  }

  static async start(): Promise<RedisServer> {
    const server = new RedisServer(await freePort());
    await server.run();
    return server;
  }

  /** Starts it again where it was ended. */
  async run(): Promise<void> {
    const { port, dir } = this;
    const settings = { port, bind: "127.0.0.1", dir, appendonly: "yes", appendfsync: "everysec", save: "" };
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, `${value}`]);
    this.child = spawn("redis-server", [...args, "--maxmemory-policy", "noeviction"], { stdio: "ignore" });
    const end = performance.now() + STARTS_MS_MAX;
    while (!(await this.answers())) {
      if (performance.now() > end) throw new Error("redis-server did not start in time");
      await wait(LOOK_EVERY_MS);
    }
  }

  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const { child } = this;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill(signal);
    await gone;
  }

  /** kill -9, and the end of what it has written is gone, as after a power loss: with `appendfsync everysec`, up to a second of it. */
  async loseEnd(bytes: number): Promise<void> {
    await this.kill();
    const [path] = globSync(join(this.dir, "appendonlydir/*.incr.aof"));
    if (path !== undefined) truncateSync(path, Math.max(0, statSync(path).size - bytes));
  }

  /** Stops or continues it: SIGSTOP, SIGCONT. */
  signal(signal: "SIGSTOP" | "SIGCONT"): void {
    this.child?.kill(signal);
  }

  /** Gives it one command, and waits for the answer. */
  async command(...words: string[]): Promise<void> {
    const socket = createConnection(this.port, "127.0.0.1");
    try {
      socket.write(`${words.join(" ")}\r\n`);
      await once(socket, "data");
    } finally {
      socket.destroy();
    }
  }

  async dispose(): Promise<void> {
    await this.kill();
    rmSync(this.dir, { recursive: true, force: true });
  }

  private async answers(): Promise<boolean> {
    const socket = createConnection(this.port, "127.0.0.1");
    const answered = new Promise<boolean>((resolve) => {
      socket.once("data", (data) => resolve(data.toString().startsWith("+PONG")));
      socket.once("error", () => resolve(false));
      socket.once("close", () => resolve(false));
    });
    socket.once("connect", () => socket.write("PING\r\n"));
    try {
      return await answered;
    } finally {
      socket.destroy();
    }
  }
}
