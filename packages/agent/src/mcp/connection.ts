/**
 * One MCP server, as long as it is set up: started when it is first needed, ended when it was idle for a while, started
 * again after it has died, each time a little later. The library is loaded with the first start.
 */

import { setTimeout as wait } from "node:timers/promises";
import { beginningOf, wellFormed } from "@mimikit/protocol/texts/whole-characters";
import type { McpCondition, McpServer, McpState } from "@mimikit/protocol/wire/mcp";
import type { Environment, HomePlace } from "@mimikit/runtime/home/home";
import { VERSION } from "@mimikit/runtime/home/version";
import { markOf, POOL_MARK } from "@mimikit/runtime/process/marked-processes";
import type { Client, OAuthClientProvider, Transport } from "@modelcontextprotocol/client";
import type { SandboxMode } from "../provider.ts";
import { ENVIRONMENT_ALLOWED } from "../shell/command.ts";
import { networkVariables } from "../shell/network.ts";
import { ownVariables } from "../shell/run-child.ts";
import { sandboxed } from "../shell/sandbox.ts";
import { type Expanded, expandServer, withoutValues } from "./files/expand.ts";
import { LoginNeeded, type McpLogin, readLogin, savedLogin } from "./files/logins.ts";
import { type ListedTool, readTools } from "./listed-tools.ts";
import { callTool, listTools, type McpAnswer } from "./requests.ts";
import type { ServerProcess } from "./server-process.ts";
import { toolNames } from "./tool-names.ts";

/** A first `npx -y` downloads the server. */
const START_MS = 60_000;
const LIST_MS = 20_000;
/** A run waits for this long, from the beginning of a start, for tools that are not known yet; then it begins without them. */
export const START_WAITED_MS = 3_000;
/** A server that was not called for so long is ended; the next call starts it. */
const IDLE_MS = 600_000;
/** Between a death and the next start; doubled with each, up to the second. */
const PAUSE_MS_MIN = 1_000;
const PAUSE_MS_MAX = 60_000;
/** A server that has run for so long has not failed at starting. */
const STEADY_MS = 60_000;
/** A caller waits for a pause that is no longer than this. */
const PAUSE_WAITED_MS_MAX = 3_000;
const REASON_CHARS_MAX = 300;
const UNAUTHORIZED = 401;

export interface ConnectionOptions extends HomePlace {
  name: string;
  server: McpServer;
  /** Where its variables are filled in from. */
  env: Environment;
  sandbox(): SandboxMode;
  /** IDLE_MS where not given. */
  idleMs?: number;
  /** Hears whenever its condition is another. */
  onChange(): void;
}

/** The server does not run now; the message says why, and when it is tried again. */
export class NotRunning extends Error {}

let started = 0;

export class McpConnection {
  readonly name: string;
  readonly server: McpServer;
  private readonly options: ConnectionOptions;
  private state: McpState = "idle";
  private reason: string | null = null;
  private listed: { tools: ListedTool[]; problems: string[] } | null = null;
  private client: Client | null = null;
  /** Of the start that was begun last. */
  private transport: Transport | null = null;
  private process: ServerProcess | null = null;
  /** Values that no message may repeat. */
  private secrets: readonly string[] = [];
  private stderr: string[] = [];
  private opening: Promise<Client> | null = null;
  private failures = 0;
  private startedMs = 0;
  /** When the start that is under way was asked for. */
  private openedMs = 0;
  private retryMs = 0;
  private inFlight = 0;
  private idle: NodeJS.Timeout | undefined;
  /** Of the server that was idle. */
  private ending: Promise<void> = Promise.resolve();
  private isClosed = false;
  private needsLogin = false;

  constructor(options: ConnectionOptions) {
    this.name = options.name;
    this.server = options.server;
    this.options = options;
  }

  /** As it listed them last; null before it has. */
  get tools(): readonly ListedTool[] | null {
    return this.listed?.tools ?? null;
  }

  /** How it is, with its tools, for people. */
  get condition(): McpCondition {
    const problems = [...(this.reason === null ? [] : [this.reason]), ...(this.listed?.problems ?? [])];
    const listed = this.listed?.tools ?? [];
    const names = toolNames(listed.map(({ tool }) => ({ server: this.name, tool })));
    const tools = listed.map(({ tool, level, description }, i) => ({ name: names[i] ?? tool, level, description }));
    const needsLogin = this.needsLogin ? { needsLogin: true as const } : {};
    return { state: this.state, ...needsLogin, problems, tools, stderr: this.process?.lastLines ?? this.stderr };
  }

  /** Why its tools are not there, in a sentence for a model and for people; null while it runs or has not been needed. */
  get absence(): string | null {
    if (this.state === "starting") {
      const forSec = Math.floor((performance.now() - this.startedMs) / 1_000);
      return `the MCP server "${this.name}" is still starting, for ${forSec} s now; its tools come when it has listed them`;
    }
    if (this.state !== "failed") return null;
    const seconds = Math.max(0, Math.ceil((this.retryMs - performance.now()) / 1_000));
    const last = this.stderr.at(-1);
    const said = last === undefined ? "" : ` (it said last: ${last})`;
    return `the MCP server "${this.name}" does not run: ${this.reason}${said}; it can be started again in ${seconds} s`;
  }

  /** Starts it if its tools are not known yet. Throws NotRunning. */
  async ready(signal: AbortSignal): Promise<void> {
    if (this.listed === null) await untilAborted(this.open(), signal);
  }

  /**
   * The same, but waits no longer than `limitMs` from the beginning of the start, which goes on: one that hangs is waited for once, and
   * not by each run. Throws NotRunning, and a TimeoutError.
   */
  async readySoon(signal: AbortSignal, limitMs = START_WAITED_MS): Promise<void> {
    if (this.listed !== null) return;
    const opening = this.open();
    const leftMs = Math.max(0, Math.ceil(this.openedMs + limitMs - performance.now()));
    await untilAborted(opening, AbortSignal.any([signal, AbortSignal.timeout(leftMs)]));
  }

  /** Throws NotRunning, and an error for a model where the call itself comes to nothing. A call is made once, never again. */
  async call(tool: string, input: Record<string, unknown>, timeoutMs: number, signal: AbortSignal): Promise<McpAnswer> {
    const client = await untilAborted(this.open(), signal);
    this.inFlight++;
    clearTimeout(this.idle);
    try {
      const options = { timeout: timeoutMs, maxTotalTimeout: timeoutMs, signal };
      const hasOutput = this.tools?.find((each) => each.tool === tool)?.hasOutput === true;
      return await callTool(client, { name: tool, arguments: wellFormed(input) }, hasOutput, options);
    } catch (error) {
      throw new Error(await this.explain(error, client, timeoutMs, signal));
    } finally {
      this.inFlight--;
      this.rest();
    }
  }

  /** Ends it for good. Resolves when its processes are gone. */
  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.idle);
    // A start that is under way comes to nothing.
    if (this.opening !== null) await this.transport?.close().catch(() => undefined);
    await this.opening?.catch(() => undefined);
    await this.ending;
    await this.end();
  }

  private open(): Promise<Client> {
    if (this.client !== null) return Promise.resolve(this.client);
    if (this.opening === null) {
      this.openedMs = performance.now();
      this.opening = this.start().finally(() => {
        this.opening = null;
      });
    }
    return this.opening;
  }

  private async start(): Promise<Client> {
    const pauseMs = this.retryMs - performance.now();
    if (pauseMs > PAUSE_WAITED_MS_MAX) throw new NotRunning(this.absence ?? "it does not run");
    if (pauseMs > 0) await wait(pauseMs);
    // The one before may hold what this one needs.
    await this.ending;
    if (this.isClosed) throw new NotRunning(`the MCP server "${this.name}" is no longer set up`);
    this.needsLogin = false;
    this.change("starting", null);
    this.startedMs = performance.now();
    this.transport = null;
    try {
      const expanded = expandServer(this.server, this.options.env);
      this.secrets = expanded.secrets;
      const library = await import("@modelcontextprotocol/client");
      let transport: Transport;
      if (expanded.url === undefined) transport = await this.spawn(expanded);
      else {
        const login = readLogin(this.options.home, this.name, expanded.url);
        this.secrets = [...this.secrets, ...secretsOf(login)];
        const provider = login && savedLogin(this.options.home, this.name, login);
        transport = httpTransport(library, expanded, provider);
      }
      this.transport = transport;
      const client = new library.Client(
        { name: "mimikit", version: VERSION },
        {
          listChanged: { tools: { autoRefresh: false, onChanged: () => void this.relist(client) } },
        },
      );
      // A background stream that breaks, or a line that is no message, is no end: that is told by `onclose`.
      client.onerror = () => undefined;
      await client.connect(transport, { timeout: START_MS });
      const tools = await listTools(client, LIST_MS);
      if (this.process?.end !== undefined && this.process.end !== null) throw new Error(this.process.end);
      this.listed = readTools(tools, this.server.mimikit);
      this.client = client;
      client.onclose = () => this.lose(client, this.process?.end ?? "the connection was closed");
      this.change("running", null);
      this.rest();
      return client;
    } catch (error) {
      const end = this.process?.end;
      await this.transport?.close().catch(() => undefined);
      this.needsLogin = await isLocked(error);
      const reason = this.needsLogin ? new LoginNeeded(this.name).message : reasonOf(error);
      this.fail(end ?? withoutValues(reason, this.secrets));
      throw new NotRunning(this.absence ?? "it does not run");
    }
  }

  /** In the sandbox of a Worker's shell: a server must not hand out the state directory either. */
  private async spawn({ command = "", args, env, cwd, secrets }: Expanded): Promise<Transport> {
    const { home, workDir, sandbox } = this.options;
    const place = cwd ?? workDir;
    const { commandLine } = await sandboxed([command, ...args], { home, workDir: place, allow: [], mode: sandbox() });
    const { ServerProcess } = await import("./server-process.ts");
    this.process = new ServerProcess({
      commandLine,
      cwd: place,
      environment: { ...ownVariables(ENVIRONMENT_ALLOWED), ...networkVariables(false), ...env },
      mark: markOf(home, `${POOL_MARK}-${process.pid}-${++started}`, 1),
      secrets,
    });
    return this.process;
  }

  /** Where the list cannot be had, the one before stays. */
  private async relist(client: Client): Promise<void> {
    const tools = await listTools(client, LIST_MS).catch(() => null);
    if (tools === null || this.client !== client) return;
    this.listed = readTools(tools, this.server.mimikit);
    this.options.onChange();
  }

  /** Why a call came to nothing. If the server is gone, that is noted. */
  private async explain(error: unknown, client: Client, timeoutMs: number, signal: AbortSignal): Promise<string> {
    if (signal.aborted) return "the call was stopped; whether it was carried out is not known";
    const { SdkError, SdkErrorCode } = await import("@modelcontextprotocol/client");
    if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
      return `no answer within ${timeoutMs / 1_000} s; whether the call was carried out is not known`;
    // It may have been noticed before, with a better reason.
    const isNews = this.client === client;
    // It refused the call, or answered what is no answer: it goes on.
    if (isNews && !(await isLoss(error))) return withoutValues(reasonOf(error), this.secrets);
    const reason = isNews ? withoutValues(reasonOf(error), this.secrets) : (this.reason ?? reasonOf(error));
    if (isNews) {
      this.lose(client, reason);
      await client.close().catch(() => undefined);
    }
    return `the MCP server "${this.name}" was lost during the call (${reason}); whether it was carried out is not known`;
  }

  /** It has ended, or cannot be reached any more. */
  private lose(client: Client, reason: string): void {
    if (this.client !== client) return;
    this.client = null;
    if (this.isClosed) return;
    this.fail(reason);
  }

  private fail(reason: string): void {
    this.failures = performance.now() - this.startedMs > STEADY_MS ? 1 : this.failures + 1;
    this.retryMs = performance.now() + Math.min(PAUSE_MS_MAX, PAUSE_MS_MIN * 2 ** (this.failures - 1));
    this.stderr = this.process?.lastLines ?? [];
    this.process = null;
    clearTimeout(this.idle);
    this.change("failed", reason);
  }

  /** From now on it is idle, until the next call. */
  private rest(): void {
    clearTimeout(this.idle);
    if (this.client === null || this.inFlight > 0 || this.isClosed) return;
    const end = () => {
      this.ending = this.end();
    };
    this.idle = setTimeout(end, this.options.idleMs ?? IDLE_MS).unref();
  }

  private async end(): Promise<void> {
    const { client, process } = this;
    this.client = null;
    this.process = null;
    if (client === null) return;
    this.change("idle", null);
    await client.close().catch(() => undefined);
    await process?.close();
  }

  private change(state: McpState, reason: string | null): void {
    this.state = state;
    this.reason = reason;
    this.options.onChange();
  }
}

function httpTransport(
  library: typeof import("@modelcontextprotocol/client"),
  { url = "", headers }: Expanded,
  authProvider: OAuthClientProvider | undefined,
): Transport {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new Error("its url is no http or https address");
  return new library.StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers },
    ...(authProvider !== undefined && { authProvider }),
  });
}

/** Can the server not be reached any more? A program that has ended is told by its end. */
async function isLoss(error: unknown): Promise<boolean> {
  const { SdkError, SdkErrorCode, SdkHttpError } = await import("@modelcontextprotocol/client");
  const codes = [SdkErrorCode.NotConnected, SdkErrorCode.ConnectionClosed, SdkErrorCode.SendFailed];
  if (error instanceof SdkHttpError || (await isLocked(error))) return true;
  // `fetch` throws this if there is no answer.
  return error instanceof SdkError ? codes.includes(error.code) : error instanceof TypeError;
}

/** Did the server want to know who asks? */
async function isLocked(error: unknown): Promise<boolean> {
  const { SdkHttpError, UnauthorizedError } = await import("@modelcontextprotocol/client");
  if (error instanceof UnauthorizedError || error instanceof LoginNeeded) return true;
  return error instanceof SdkHttpError && error.status === UNAUTHORIZED;
}

function secretsOf(login: McpLogin | undefined): string[] {
  const { access_token, refresh_token } = login?.tokens ?? {};
  return [access_token, refresh_token].filter((token) => token !== undefined);
}

/** Waits no longer than the caller does; what is waited for goes on. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

function reasonOf(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  const why =
    cause instanceof Error && !["", message].includes(cause.message) ? `${message} (${cause.message})` : message;
  return beginningOf(why.replace(/\s+/g, " "), REASON_CHARS_MAX);
}
