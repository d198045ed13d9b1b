/** One whole Mimikit, three processes on loopback, which all attacks of a file are made on. */
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hasCode } from "@mimikit/store/disk/error-code";
import { type Answer, type Ask, askAt, posting, type Reached } from "../http-gateway/gateway.ts";
import { Instance, type InstanceOptions, ROLE_NAMES } from "../support/instance.ts";

/** Written by every role all the time, whether anybody asks or not: their heartbeats. */
const HEARTBEATS = "locks/";

export class System implements Reached {
  readonly host = "127.0.0.1";
  readonly mimikit: Instance;

  private constructor(mimikit: Instance) {
    this.mimikit = mimikit;
  }

  /** Resolves when the processes have nothing left to do, so that a change of their files is the doing of a request. */
  static async start(options: InstanceOptions = {}): Promise<System> {
    const system = new System(await Instance.start(options));
    // The last line of a start, which may come after the pool is ready.
    const log = join(system.home, "log.workers.jsonl");
    await system.mimikit.until(
      "the start of the pool",
      () => readFileSync(log, "utf8").includes("workers_started") || undefined,
    );
    await system.atRest();
    return system;
  }

  get port(): number {
    return this.mimikit.port;
  }

  get token(): string {
    return this.mimikit.token;
  }

  get home(): string {
    return this.mimikit.home;
  }

  ask(path: string, options: Ask = {}): Promise<Answer> {
    return askAt(this, path, options);
  }

  /** `ask` with a JSON body. */
  post(path: string, body: unknown, options: Ask = {}): Promise<Answer> {
    return this.ask(path, posting(body, options));
  }

  /** Every file and directory of the state, with its size and the moment of its last change. */
  state(): Record<string, string> {
    const found: Record<string, string> = {};
    for (const path of readdirSync(this.home, { recursive: true, encoding: "utf8" }).sort()) {
      if (path.startsWith(HEARTBEATS)) continue;
      const info = lstatSync(join(this.home, path), { throwIfNoEntry: false });
      if (info !== undefined) found[path] = `${info.size} bytes, ${info.mtimeMs}`;
    }
    return found;
  }

  /** Resolves when nothing is open and no file has changed between two looks. */
  async atRest(): Promise<void> {
    await this.mimikit.drained();
    let last = "";
    await this.mimikit.until("a state directory that does not change", () => {
      const now = JSON.stringify(this.state());
      const isSame = now === last;
      last = now;
      return isSame || undefined;
    });
  }

  /** The files of the state, by their paths, but for the token itself. Files that go meanwhile are left out. */
  files(): Map<string, Buffer> {
    const found = new Map<string, Buffer>();
    for (const entry of readdirSync(this.home, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || entry.name === "token") continue;
      const path = join(entry.parentPath, entry.name);
      try {
        found.set(path, readFileSync(path));
      } catch (error) {
        if (!hasCode(error, "ENOENT")) throw error;
      }
    }
    return found;
  }

  /** The files of the state that contain the text, but for the token itself. */
  filesWith(text: string): string[] {
    return [...this.files()].filter(([, content]) => content.includes(text)).map(([path]) => path);
  }

  /** The process ids of the roles: none of them may end for what anybody sends. */
  pids(): number[] {
    return ROLE_NAMES.map((role) => this.mimikit.pidOf(role));
  }

  close(): Promise<void> {
    return this.mimikit.dispose();
  }
}
