/**
 * Gives runs the tools of the world outside: those of the owner's MCP servers, and the owner's commands. One connection
 * for each server and worker pool, for all callers. Loaded when there is something to give (docs/mcp.md).
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { KINDS, type Role } from "@mimikit/protocol/base/kind";
import type { Level } from "@mimikit/protocol/base/skill";
import type { Task } from "@mimikit/protocol/records/task";
import type { McpCondition, McpServer } from "@mimikit/protocol/wire/mcp";
import type { Environment, HomePlace } from "@mimikit/runtime/home/home";
import { MCP_PATH } from "@mimikit/store/disk/state";
import { z } from "zod";
import type { SandboxMode } from "../provider.ts";
import { definitionOf, mayWrite } from "../roles/index.ts";
import { EXTERNAL_SEC_MAX, type External, NO_EXTERNAL } from "../tools/external.ts";
import { type Tool, tool } from "../tools/tool.ts";
import { answerText } from "./answer-text.ts";
import { McpConnection } from "./connection.ts";
import { readOwnCommands } from "./files/command-files.ts";
import { readMcpFile } from "./files/mcp-file.ts";
import { offered } from "./find-tool.ts";
import type { ListedTool } from "./listed-tools.ts";
import { type CommandRun, checkOf, commandTool } from "./own-commands.ts";
import { keepPictures } from "./pictures.ts";
import { OWN, toolNames } from "./tool-names.ts";

const CALL_SEC = 60;
const STATUS = "status";
/** A Worker that asks for the status of a server that is starting waits for it, at most so long from the beginning of the start. */
const STATUS_WAITED_MS = 30_000;

export interface ExternalOptions extends HomePlace {
  env: Environment;
  sandbox(): SandboxMode;
  /** Hears how the servers are whenever one of them is otherwise. */
  onChange(servers: Readonly<Record<string, McpCondition>>): void;
  /** Hears what of the files cannot be used, for people. */
  onProblem(problem: string): void;
}

/** A tool before it has its name. */
interface Candidate {
  server: string;
  tool: string;
  level: Level;
  roles: readonly Role[];
  make(name: string): Tool;
}

export class ExternalTools {
  private readonly options: ExternalOptions;
  private readonly connections = new Map<string, McpConnection>();
  private problems: ReadonlyMap<string, string> = new Map();
  private stamp: string | undefined;
  private isClosed = false;

  constructor(options: ExternalOptions) {
    this.options = options;
  }

  /**
   * The tools for one run. Starts servers whose tools are not known yet; one that does not start costs the others nothing, and one that
   * starts slowly costs the run START_WAITED_MS: its tools are added when it has listed them.
   * @param signal ends the run, and its calls.
   */
  async of(run: CommandRun, signal: AbortSignal): Promise<External> {
    if (!mayReachOutside(run.task) || this.isClosed) return NO_EXTERNAL;
    this.look();
    const { role } = run.task;
    const servers = [...this.connections.values()].filter((each) => rolesOf(each.server).includes(role));
    await Promise.all(servers.map((each) => each.readySoon(signal).catch(() => undefined)));
    if (signal.aborted) return NO_EXTERNAL;
    const own = await this.ownCommands(run, signal);
    const missing = servers.filter(({ tools }) => tools === null);
    return addedTo(missing, () => {
      const status = missing.map((each) => statusTool(each, role, signal));
      const candidates = [...servers.flatMap((each) => serverTools(each, run, signal)), ...status, ...own].filter(
        ({ roles, level }) => roles.includes(role) && isFor(run.task, level),
      );
      const names = toolNames(candidates);
      const tools = candidates.map((each, i) => each.make(names[i] ?? each.tool));
      return offered(tools, [...new Set(candidates.map(({ server }) => server))]);
    });
  }

  /** How the servers are, by their names. */
  get conditions(): Record<string, McpCondition> {
    const known = [...this.connections.values()].map((each) => [each.name, each.condition] as const);
    return Object.fromEntries(known);
  }

  /** Ends every server. Resolves when their processes are gone. */
  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all([...this.connections.values()].map((each) => each.close()));
  }

  /** Reads `mcp.json` where it is another than before. A server that was changed starts over, one that is gone ends. */
  private look(): void {
    const stamp = stampOf(join(this.options.home, MCP_PATH));
    if (stamp === this.stamp) return;
    this.stamp = stamp;
    const { servers, problems } = readMcpFile(this.options.home, this.options.env);
    for (const [name, problem] of problems)
      if (this.problems.get(name) !== problem) this.options.onProblem(`${MCP_PATH}${name && `: ${name}`}: ${problem}`);
    this.problems = problems;
    const wanted = new Map([...servers].filter(([, { disabled }]) => disabled !== true));
    for (const [name, connection] of this.connections) {
      if (JSON.stringify(wanted.get(name)) === JSON.stringify(connection.server)) continue;
      this.connections.delete(name);
      void connection.close();
    }
    for (const [name, server] of wanted)
      if (!this.connections.has(name)) this.connections.set(name, this.connect(name, server));
    // In the order of the file, whatever came when.
    const ordered = [...wanted.keys()].flatMap((name) => {
      const connection = this.connections.get(name);
      return connection === undefined ? [] : [[name, connection] as const];
    });
    this.connections.clear();
    for (const [name, connection] of ordered) this.connections.set(name, connection);
    this.options.onChange(this.conditions);
  }

  private connect(name: string, server: McpServer): McpConnection {
    const { home, workDir, env, sandbox } = this.options;
    const onChange = () => this.options.onChange(this.conditions);
    return new McpConnection({ name, server, home, workDir, env, sandbox, onChange });
  }

  private async ownCommands(run: CommandRun, signal: AbortSignal): Promise<Candidate[]> {
    const { commands, problems } = await readOwnCommands(this.options.home);
    for (const problem of problems) this.options.onProblem(problem);
    const made = commands.map(async (own): Promise<Candidate[]> => {
      const { name: tool, level, roles } = own;
      try {
        const checked = await checkOf(own);
        const make = (name: string) => commandTool(own, checked, name, run, signal);
        return [{ server: OWN, tool, level, roles, make }];
      } catch (error) {
        this.options.onProblem(error instanceof Error ? error.message : String(error));
        return [];
      }
    });
    return (await Promise.all(made)).flat();
  }
}

/** The return value of `make`, made again when another of the `missing` servers has listed its tools. */
function addedTo(missing: readonly McpConnection[], make: () => External): External {
  let made = make();
  let count = 0;
  const now = () => {
    const listed = missing.filter(({ tools }) => tools !== null).length;
    if (listed > count) made = make();
    count = listed;
    return made;
  };
  return {
    get tools() {
      return now().tools;
    },
    get offered() {
      return now().offered;
    },
  };
}

export function rolesOf({ mimikit }: McpServer): readonly Role[] {
  return mimikit?.roles ?? ["worker"];
}

/** Steps of self-improvement and summaries are about what they are shown, and nothing else. */
function mayReachOutside({ kind }: Task): boolean {
  const { part } = KINDS[kind];
  return part === "conversation" || part === "order" || kind === "evaluation";
}

/**
 * A Worker whose task may change the workspace has what its levels allow; everybody else only looks. A turn, a plan and
 * a condition are started over after a crash without a question.
 */
function isFor(task: Task, level: Level): boolean {
  if (level === "read-only") return true;
  return KINDS[task.kind].role === "worker" && mayWrite(task) && definitionOf(task).levels.includes(level);
}

function serverTools(connection: McpConnection, run: CommandRun, signal: AbortSignal): Candidate[] {
  const { name: server } = connection;
  const roles = rolesOf(connection.server);
  return (connection.tools ?? []).map((listed) => ({
    server,
    tool: listed.tool,
    level: listed.level,
    roles,
    make: (name) => serverTool(listed, name, connection, roles, run, signal),
  }));
}

const Input = z.record(z.string(), z.unknown());

/** The server checks its inputs itself. */
function serverTool(
  { tool: own, level, description, parameters }: ListedTool,
  name: string,
  connection: McpConnection,
  roles: readonly Role[],
  { runDir }: CommandRun,
  signal: AbortSignal,
): Tool {
  const timeoutSec = Math.min(connection.server.mimikit?.timeoutSec ?? CALL_SEC, EXTERNAL_SEC_MAX);
  return {
    name,
    level,
    keepsWithin: false,
    roles,
    input: Input,
    shownTo: {},
    shown: Input,
    told: { description, parameters },
    async apply(input) {
      const answer = await connection.call(own, Input.parse(input), timeoutSec * 1_000, signal);
      const { content, pictures } = await keepPictures(answer.content, runDir);
      const text = answerText(content, answer.structured, answer.remark);
      if (answer.isError) throw new Error(text);
      return { answer: { text, ...(pictures.length > 0 && { pictures }) } };
    },
  };
}

/** For a server whose tools were not known when the run began: the model learns that they are missing, and why. */
function statusTool(connection: McpConnection, role: Role, signal: AbortSignal): Candidate {
  const { name: server } = connection;
  const words = () => {
    if (connection.tools !== null) return `the MCP server "${server}" has listed its tools: you have them from now on`;
    return connection.absence ?? `the MCP server "${server}" has not listed its tools yet`;
  };
  const description = `The tools of the MCP server "${server}" are missing now. This says why.`;
  const make = (name: string): Tool => ({
    ...tool({
      name,
      level: "read-only",
      roles: [role],
      input: z.strictObject({}).describe(description),
      async run() {
        // A user waits for the others.
        if (role === "worker" && connection.condition.state === "starting")
          await connection.readySoon(signal, STATUS_WAITED_MS).catch(() => undefined);
        return { text: words() };
      },
    }),
    told: { description, parameters: { type: "object", properties: {} } },
  });
  return { server, tool: STATUS, level: "read-only", roles: [role], make };
}

function stampOf(path: string): string {
  const info = statSync(path, { bigint: true, throwIfNoEntry: false });
  return info === undefined ? "" : `${info.ino} ${info.mtimeNs} ${info.size}`;
}
