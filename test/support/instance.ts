/** A whole Mimikit for a test: three real processes on loopback, in a state directory of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { TriggerRecord } from "@mimikit/protocol/records/trigger";
import type { ChatMessage, Status, TaskDetail, TaskSummary } from "@mimikit/protocol/wire/api";
import { homeHash } from "@mimikit/runtime/home/home";
import { PROGRAMS } from "@mimikit/runtime/home/programs";
import { PLATFORM_VARIABLE } from "@mimikit/runtime/platform/this-platform";
import { findMarked, killMarked } from "@mimikit/runtime/process/marked-processes";
import { DIRECTORIES } from "@mimikit/store/disk/state";
import { freePort } from "./free-port.ts";
import { bundleOf, modulesIn } from "./programs.ts";

const ROOT = join(import.meta.dirname, "../..");
const PROGRAM_OF = {
  supervisor: "supervisor",
  workers: "worker-pool",
  gateway: "http-gateway",
  /** Started by a test that sets a channel up. */
  channels: "channels",
  /** Started by a test that sets an engine up. */
  dispatcher: "dispatcher",
} as const;
type AnyRole = keyof typeof PROGRAM_OF;
export type RoleName = Exclude<AnyRole, "channels" | "dispatcher">;
export const ROLE_NAMES: readonly RoleName[] = ["supervisor", "workers", "gateway"];

const SHIFT_CLOCK = "test/support/shift-clock.ts";
const COUNT_CALLS = "test/support/count-calls.ts";

/** How long something that must happen may take before a test gives up on it: three processes start, on a loaded machine. */
const PATIENCE_MS = 60_000;
/** The pause between two looks at files, and the first and the longest one between requests, which take processor time from what is waited for. */
const LOOK_EVERY_MS = 50;
const ASK_MS_MIN = 20;
const ASK_MS_MAX = 100;

export interface InstanceOptions {
  env?: Record<string, string>;
  /** Start only these; all three when not given. */
  roles?: readonly RoleName[];
  /** The processes have a clock of their own, which `setClock` moves. */
  hasClock?: boolean;
  /** The processes count what they ask of the file system, which `calls` tells. */
  countsCalls?: boolean;
  /** Makes the state directory before anything runs. */
  prepare?: (home: string) => Promise<void>;
  /** Nothing names the state directory: it is the one that is found in the workspace. */
  isFound?: boolean;
  /** The processes run the sources of that tree, not the bundles that users run. */
  sources?: string;
  /** The roles' options for Node on their command line. */
  nodeFlags?: readonly string[];
}

export interface Calls {
  /** Calls of node:fs by the name of the function. */
  counts: Readonly<Record<string, number>>;
  /** Milliseconds of processor time, all threads together. */
  cpuMs: number;
  /** The files that were imported, by their paths from the root of the repository. */
  imported: readonly string[];
  /** The modules of the sources that are in them. */
  modules: readonly string[];
}

export class Instance {
  readonly home: string;
  readonly workDir: string;
  readonly port: number;
  private readonly env: NodeJS.ProcessEnv;
  private readonly running = new Map<AnyRole, ChildProcess>();
  private readonly directory: string;
  private readonly sources: string | undefined;
  private nodeFlags: readonly string[] = [];
  /** The output of the roles. */
  output = "";

  private constructor(
    directory: string,
    port: number,
    env: Record<string, string>,
    isFound: boolean,
    sources?: string,
  ) {
    this.directory = directory;
    this.sources = sources;
    this.workDir = join(directory, "work");
    this.home = isFound ? join(this.workDir, ".mimikit") : join(directory, "state");
    this.port = port;
    mkdirSync(this.workDir, { recursive: true });
    const inherited = Object.entries(process.env).filter(
      ([name]) => !name.startsWith("MIMIKIT_") || name === PLATFORM_VARIABLE,
    );
    this.env = {
      ...Object.fromEntries(inherited),
      ...(!isFound && { MIMIKIT_HOME: this.home }),
      MIMIKIT_WORK_DIR: this.workDir,
      MIMIKIT_PORT: String(port),
      // The user who runs the tests may have a model or an agent CLI: only a test that says so uses one.
      MIMIKIT_PROVIDER: "offline",
      ...env,
    };
  }

  /** Starts the roles and waits until the instance is ready. */
  static async start(options: InstanceOptions = {}): Promise<Instance> {
    const {
      env = {},
      roles = ROLE_NAMES,
      hasClock = false,
      countsCalls = false,
      isFound = false,
      sources,
      nodeFlags = [],
      prepare,
    } = options;
    const directory = mkdtempSync(join(tmpdir(), "mimikit-e2e-"));
    const preloads = [...(hasClock ? [SHIFT_CLOCK] : []), ...(countsCalls ? [COUNT_CALLS] : [])];
    const loading = {
      SHIFT_CLOCK: join(directory, "clock"),
      CALL_COUNTS: directory,
      NODE_OPTIONS: preloads.map((path) => `--import=${join(ROOT, path)}`).join(" "),
    };
    if (hasClock) writeFileSync(loading.SHIFT_CLOCK, "0");
    const instance = new Instance(
      directory,
      await freePort(),
      preloads.length > 0 ? { ...loading, ...env } : env,
      isFound,
      sources,
    );
    instance.nodeFlags = nodeFlags;
    await prepare?.(instance.home);
    for (const role of roles) instance.startRole(role);
    if (roles.length < ROLE_NAMES.length) return instance;
    try {
      await instance.ready();
    } catch (error) {
      // No other code has hold of it, and its roles would run for ever.
      await instance.dispose();
      throw error;
    }
    return instance;
  }

  /** The clock of the processes is this many milliseconds ahead of ours from now on. */
  setClock(aheadMs: number): void {
    const path = join(this.directory, "clock");
    writeFileSync(`${path}.new`, String(aheadMs));
    renameSync(`${path}.new`, path);
  }

  /** Starts a role; it is started again whenever it ends by itself, as PM2 does. */
  startRole(role: AnyRole): void {
    const child = spawn(process.execPath, [...this.nodeFlags, this.programOf(role)], {
      env: this.env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (data) => {
        this.output += data;
      });
    }
    this.running.set(role, child);
    child.on("exit", () => {
      if (this.running.get(role) === child) this.startRole(role);
    });
  }

  /** One more process of a role, which must find that there is one already. */
  startSecond(role: AnyRole): ChildProcess {
    return spawn(process.execPath, [this.programOf(role)], {
      env: this.env,
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  private programOf(role: AnyRole): string {
    const program = PROGRAM_OF[role];
    return this.sources === undefined ? bundleOf(program) : join(this.sources, PROGRAMS[program]);
  }

  pidOf(role: AnyRole): number {
    const pid = this.running.get(role)?.pid;
    if (pid === undefined) throw new Error(`${role} does not run`);
    return pid;
  }

  /** The calls of a role since it was started; only where `countsCalls` was said. */
  async calls(role: AnyRole): Promise<Calls> {
    const pid = this.pidOf(role);
    const path = join(this.directory, `${pid}.json`);
    rmSync(path, { force: true });
    process.kill(pid, "SIGUSR2");
    await this.until(`the calls of ${role}`, () => existsSync(path) || undefined);
    const counted: Omit<Calls, "modules"> = JSON.parse(readFileSync(path, "utf8"));
    return { ...counted, modules: modulesIn(counted.imported) };
  }

  /** kill -9, and it is started again. */
  async kill(role: AnyRole): Promise<void> {
    const child = this.running.get(role);
    if (child === undefined) throw new Error(`${role} does not run`);
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  }

  /** Ends the roles and leaves them ended. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    const children = [...this.running.values()];
    this.running.clear();
    const gone = children
      .filter((child) => child.exitCode === null && child.signalCode === null)
      .map((child) => once(child, "exit"));
    for (const child of children) child.kill(signal);
    await Promise.all(gone);
  }

  /** Ends everything and removes its files. */
  async dispose(): Promise<void> {
    await this.stop("SIGKILL");
    if (existsSync(this.home)) await killMarked(homeHash(this.home));
    rmSync(this.directory, { recursive: true, force: true });
  }

  get token(): string {
    return readFileSync(join(this.home, "token"), "utf8").trim();
  }

  /** An API call; throws what the gateway answers when it is not 2xx. */
  async api<T>(path: string, options: { method?: string; body?: unknown; key?: string } = {}): Promise<T> {
    const { method = "GET", body, key } = options;
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(method !== "GET" && { "content-type": "application/json" }),
        ...(key !== undefined && { "idempotency-key": key }),
      },
      ...(method !== "GET" && { body: JSON.stringify(body ?? {}) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.status} ${text}`);
    return JSON.parse(text) as T;
  }

  async send(text: string, key?: string): Promise<string> {
    const { id } = await this.api<{ id: string }>("/api/input", {
      method: "POST",
      body: { text },
      ...(key !== undefined && { key }),
    });
    return id;
  }

  async messages(): Promise<ChatMessage[]> {
    return (await this.api<{ messages: ChatMessage[] }>("/api/messages?limit=200")).messages;
  }

  async replies(): Promise<ChatMessage[]> {
    return (await this.messages()).filter((message) => message.role === "assistant");
  }

  async tasks(): Promise<TaskSummary[]> {
    return (await this.api<{ tasks: TaskSummary[] }>("/api/tasks?limit=200")).tasks;
  }

  task(id: string): Promise<TaskDetail> {
    return this.api<TaskDetail>(`/api/tasks/${id}`);
  }

  ready(): Promise<Status> {
    return this.until("the instance is ready", async () => {
      const status = await this.api<Status>("/api/status");
      return status.ready ? status : undefined;
    });
  }

  /** The reply that answers a message. */
  replyTo(id: string): Promise<ChatMessage> {
    return this.until(`a reply to ${id}`, async () =>
      (await this.replies()).find((reply) => reply.answers?.includes(id)),
    );
  }

  /** The reply that contains a text. */
  replyWith(text: string): Promise<ChatMessage> {
    return this.until(`a reply with "${text}"`, async () =>
      (await this.replies()).find((reply) => reply.text.includes(text)),
    );
  }

  /** The first thing that `look` finds. A gateway that is just down is asked again. */
  async until<T>(what: string, look: () => Promise<T | undefined> | T | undefined): Promise<T> {
    const end = performance.now() + PATIENCE_MS;
    let last: unknown;
    let askMs = ASK_MS_MIN;
    while (performance.now() < end) {
      let pauseMs = LOOK_EVERY_MS;
      try {
        const looked = look();
        if (looked instanceof Promise) {
          pauseMs = askMs;
          askMs = Math.min(ASK_MS_MAX, askMs * 1.5);
        }
        const found = await looked;
        if (found !== undefined) return found;
      } catch (error) {
        last = error;
      }
      await wait(pauseMs);
    }
    throw new Error(
      `waited in vain for ${what}${last === undefined ? "" : ` (${String(last)})`}\n${this.output.slice(-20_000)}`,
    );
  }

  /** Resolves when nothing is open any more: the directories that must drain hold only triggers that stand. */
  async drained(): Promise<void> {
    const drains = (dir: string) =>
      ["inbox", "triggers", "signals", "questions"].includes(dir) || /\/(queue|running|results)$/.test(dir);
    const paths = () =>
      DIRECTORIES.filter(drains).flatMap((dir) => readdirSync(join(this.home, dir)).map((name) => `${dir}/${name}`));
    const isEmpty = () => paths().every((path) => path.startsWith("triggers/") && this.stands(path));
    await this.until("empty directories", () => isEmpty() || undefined);
  }

  /** Is this the newest version of a trigger that is not over? A record that goes meanwhile is looked for again. */
  private stands(path: string): boolean {
    const trigger = TriggerRecord.parse(JSON.parse(readFileSync(join(this.home, path), "utf8")));
    const next = path.replace(/\.v\d+\.json$/, `.v${trigger.version + 1}.json`);
    return trigger.type !== "link" && trigger.over === undefined && !existsSync(join(this.home, next));
  }

  /** The processes that tasks of this instance have started and that still run. */
  children() {
    return findMarked(homeHash(this.home));
  }
}
