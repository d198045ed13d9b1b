/**
 * Mimikit as its owner starts it: `mimikit up`, with PM2, its flags and its bundles, in a folder of its own that is HOME as well,
 * so that it meets no other PM2.
 */
import { execFile, execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { ChatMessage } from "@mimikit/protocol/wire/api";
import { ROOT } from "@mimikit/runtime/home/programs";
import { PROCESS_ROLES, type ProcessRole, readRole } from "@mimikit/runtime/process/role-record";
import { freePort } from "../../../test/support/free-port.ts";
import { makeFolder, removeFolder } from "./cleanup.ts";

const MIMIKIT = join(ROOT, "apps/cli/bin/mimikit.mjs");
const run = promisify(execFile);

export class Installed {
  readonly port: number;
  private readonly folder: string;
  private readonly env: NodeJS.ProcessEnv;
  private readonly end = () => execFileSync(process.execPath, [MIMIKIT, "down"], { env: this.env, stdio: "ignore" });

  private constructor(folder: string, port: number) {
    this.folder = folder;
    this.port = port;
    const isOurs = ([name]: [string, unknown]) => !/^(MIMIKIT_|PM2_|XDG_|NODE_)|_API_KEY$/.test(name);
    this.env = {
      ...Object.fromEntries(Object.entries(process.env).filter(isOurs)),
      HOME: folder,
      MIMIKIT_HOME: this.home,
      MIMIKIT_WORK_DIR: folder,
      MIMIKIT_PORT: `${port}`,
      MIMIKIT_PROVIDER: "offline",
    };
  }

  /** Starts it and waits until it is ready. */
  static async start(): Promise<Installed> {
    const installed = new Installed(makeFolder(), await freePort());
    process.once("exit", installed.end);
    await run(process.execPath, [MIMIKIT, "up", "--json"], { env: installed.env });
    return installed;
  }

  get home(): string {
    return join(this.folder, ".mimikit");
  }

  get token(): string {
    return readFileSync(join(this.home, "token"), "utf8").trim();
  }

  /** The process of a role as it says itself; throws while there is none. */
  pidOf(role: ProcessRole): number {
    const record = readRole(this.home, role);
    if (record === null) throw new Error(`${role} does not run`);
    return record.pid;
  }

  /** The daemon of PM2 that keeps the roles running. */
  get daemonPid(): number {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${this.pidOf("gateway")}/status`, "utf8"))?.[1]);
  }

  get pids(): number[] {
    return PROCESS_ROLES.map((role) => this.pidOf(role));
  }

  /** Throws what the gateway answers when it is not 2xx, and what fetch throws where there is no gateway. */
  async api<T>(path: string, body?: unknown, key?: string): Promise<T> {
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`, {
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(key !== undefined && { "idempotency-key": key }),
      },
      ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  /** @returns the id of the message. The same key is the same message. */
  async send(text: string, more: { mode?: "next" } = {}, key?: string): Promise<string> {
    return (await this.api<{ id: string }>("/api/input", { text, ...more }, key)).id;
  }

  /** Is a message among the last ones that were answered? */
  async hasAnswered(id: string): Promise<boolean> {
    const { messages } = await this.api<{ messages: ChatMessage[] }>("/api/messages?limit=10");
    return messages.some(({ answers }) => answers?.includes(id));
  }

  /** Ends it, with PM2's daemon, and removes its files. */
  async remove(): Promise<void> {
    await run(process.execPath, [MIMIKIT, "down"], { env: this.env });
    process.off("exit", this.end);
    removeFolder(this.folder);
  }
}
