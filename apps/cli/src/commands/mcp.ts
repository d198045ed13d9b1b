/** The MCP servers whose tools runs are given: adds, lists, tries and removes them, with everything down too. And Mimikit as such a server. */

import { mkdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { describeServers } from "@mimikit/agent/mcp/describe-servers";
import { setLogin } from "@mimikit/agent/mcp/files/logins";
import { readMcpFile, setMcpServer, targetOf } from "@mimikit/agent/mcp/files/mcp-file";
import { describeIssues } from "@mimikit/protocol/base/json";
import { LEVELS, type Level } from "@mimikit/protocol/base/skill";
import {
  EXTERNAL_ROLES,
  type ExternalRole,
  type McpCondition,
  type McpList,
  McpName,
  McpServer,
} from "@mimikit/protocol/wire/mcp";
import { isAdopted, NOT_ADOPTED, openHome } from "@mimikit/runtime/home/adoption";
import { VERSION } from "@mimikit/runtime/home/version";
import { actions, type CommonOptions, command } from "../arguments/command.ts";
import { Failure, misuseOf } from "../io/failure.ts";
import { currentPlace } from "../io/place.ts";
import { plainLine, printJson, printLine, printProgress, printTable, styled } from "../io/print.ts";

const DESCRIPTION_CHARS = 80;
/** How long a person may take with a browser. */
const LOGIN_MS_MAX = 600_000;
/** The words behind it are the server's command, whatever they look like. */
const REST = "--";

const EPILOGUE = `The servers are in mcp.json in the state directory, in the format of other MCP clients; a running Mimikit notices each change. Worker pools start them in the sandbox of a Worker's shell. \`mimikit mcp tools <file>\` is for agent CLIs, which start it by themselves: it serves the tools of a run.

Mimikit itself as a server, in claude_desktop_config.json:
  { "mcpServers": { "mimikit": {
      "command": "mimikit", "args": ["mcp", "serve"],
      "env": { "MIMIKIT_WORK_DIR": "/path/to/the/workspace" } } } }`;

interface McpOptions extends CommonOptions {
  action: "list" | "add" | "test" | "remove" | "login" | "serve" | "tools";
  name?: string | undefined;
  url?: string | undefined;
  env?: string[] | undefined;
  header?: string[] | undefined;
  role?: ExternalRole[] | undefined;
  level?: Level | undefined;
  test: boolean;
}

export const mcp = command<McpOptions>({
  usage: "mcp [action] [name] [command..]",
  summary: "MCP servers whose tools it may use: add, list, test, remove, log in; serve Mimikit as one",
  examples: [
    ["mimikit mcp", "the servers, and the tools that each has"],
    ["mimikit mcp add memory -- npx -y @modelcontextprotocol/server-memory", "a program of this machine; tried first"],
    ["mimikit mcp add files --level read-only -- npx -y @modelcontextprotocol/server-filesystem .", "may only look"],
    [
      "mimikit mcp add tracker --env TRACKER_KEY -- npx -y some-tracker",
      "with this variable of the shell, kept in mcp.json",
    ],
    [
      `mimikit mcp add shop --url https://shop.example/mcp --header 'Authorization: Bearer \${SHOP_KEY}'`,
      "one elsewhere",
    ],
    ["mimikit mcp login shop", "where a server asks for it: opens the way to a browser, and keeps the login"],
    ["mimikit mcp test memory", "starts it, lists its tools and ends it"],
    ["mimikit mcp remove memory", "takes it out of mcp.json"],
    ["mimikit mcp serve", "Mimikit for Claude Desktop, Cursor or codex: ask, remember, search, tasks, schedule"],
    ["codex mcp add mimikit --env MIMIKIT_WORK_DIR=$PWD -- mimikit mcp serve", "the same for codex"],
  ],
  epilogue: EPILOGUE,
  options: (yargs) =>
    yargs
      .positional("action", actions("list", "add", "test", "remove", "login", "serve", "tools"))
      .positional("name", { type: "string", describe: "the server; for tools, the file that the worker pool wrote" })
      .positional("command", { type: "string", array: true, describe: "add: behind --, the program and its arguments" })
      .option("url", { type: "string", describe: "add: its streamable HTTP address" })
      .option("env", {
        type: "string",
        array: true,
        nargs: 1,
        describe: "add: NAME=VALUE for the program, or NAME for the value that it has here",
      })
      .option("header", { type: "string", array: true, nargs: 1, describe: "add: 'Name: value' of each request" })
      .option("role", {
        type: "string",
        array: true,
        nargs: 1,
        choices: EXTERNAL_ROLES,
        describe: "add: who has its tools, the Worker where it is not said; others only those that are read-only",
      })
      .option("level", {
        type: "string",
        choices: LEVELS,
        describe: "add: the level of its tools, whatever it says of them",
      })
      .option("test", { type: "boolean", default: true, describe: "add: --no-test saves it without a trial" }) as never,
  async run(options) {
    const { action, name, json } = options;
    if (action === "tools") return serveRun(name);
    if (action === "serve") return (await import("../mcp-server/serve.ts")).serveMimikit();
    if (action === "list") return list(json);
    if (name === undefined) throw new Failure("usage", `say which server: mimikit mcp ${action} <name>`);
    if (action === "add") return add(McpName.safeParse(name), options);
    if (action === "test") return test(name, json);
    if (action === "login") return login(name, json);
    return remove(name, json);
  },
});

/** For agent CLIs, not for people. */
async function serveRun(file: string | undefined): Promise<void> {
  if (file === undefined) throw new Failure("usage", "say which file: mimikit mcp tools <file>");
  const { serveTools } = await import("@mimikit/agent/providers/agent-cli/mcp/serve-tools");
  await serveTools(file, VERSION);
}

async function list(json: boolean): Promise<void> {
  const { home } = currentPlace();
  const found = await describeServers(home, process.env);
  if (json) {
    printJson(found);
    return;
  }
  const rows = found.servers.map(({ name, state, roles, tools, target }) => [
    name,
    state,
    roles.join(", "),
    String(tools.length),
    plainLine(target),
  ]);
  printTable(["name", "state", "for", "tools", "what"], rows, "there are no MCP servers: mimikit mcp add --help");
  showTools(found);
}

function showTools({ servers, commands, problems }: McpList): void {
  for (const { name, tools, problems: own } of servers) {
    if (tools.length + own.length > 0) printLine();
    if (tools.length > 0) printTable([`tools of ${name}`, "level", "what for"], tools.map(toolRow), "");
    for (const problem of own) printLine(styled("yellow", plainLine(`! ${name}: ${problem}`)));
  }
  if (commands.length > 0) {
    printLine();
    printTable(["your commands", "level", "what for"], commands.map(toolRow), "");
  }
  for (const problem of problems) printLine(styled("yellow", plainLine(`! ${problem}`)));
}

const toolRow = ({ name, level, description }: McpCondition["tools"][number]) => [
  name,
  level,
  plainLine(description.length > DESCRIPTION_CHARS ? `${description.slice(0, DESCRIPTION_CHARS)}…` : description),
];

async function add(named: ReturnType<typeof McpName.safeParse>, options: McpOptions): Promise<void> {
  if (!named.success) throw misuseOf(named.error);
  const name = named.data;
  const server = McpServer.safeParse(serverOf(options));
  if (!server.success) {
    const why = describeIssues(server.error).replaceAll("record: ", "");
    throw new Failure("usage", `${why}; say  mimikit mcp add ${name} -- <program> <arguments>  or  --url <address>`);
  }
  const { home } = currentPlace();
  openHome(home, process.env);
  assertAdopted(home);
  const condition = options.test ? await tried(name, server.data, options.json) : null;
  const wasThere = await setMcpServer(home, name, server.data);
  if (options.json) printJson({ name, replaced: wasThere });
  else printLine(`${wasThere ? "replaced" : "added"} ${name}: ${plainLine(targetOf(server.data))}`);
  if (condition?.needsLogin && !options.json) printLine(condition.problems.map(plainLine).join("; "));
}

function serverOf({ url, env, header, role, level }: McpOptions): McpServer {
  const [program, ...args] = restOfLine();
  const mimikit = { ...(role !== undefined && { roles: role }), ...(level !== undefined && { level }) };
  return {
    ...(program !== undefined && { command: program, args }),
    ...(url !== undefined && { type: "http", url }),
    ...(env !== undefined && { env: Object.fromEntries(env.map(variable)) }),
    ...(header !== undefined && { headers: Object.fromEntries(header.map(headerOf)) }),
    ...(Object.keys(mimikit).length > 0 && { mimikit }),
  };
}

/** As it was typed: what looks like an option behind `--` is none of ours. */
function restOfLine(): string[] {
  const at = process.argv.indexOf(REST);
  return at < 0 ? [] : process.argv.slice(at + 1);
}

function variable(text: string): [string, string] {
  const at = text.indexOf("=");
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  const value = process.env[text];
  if (value === undefined) throw new Failure("usage", `--env: ${text} is not set here; say ${text}=<value>`);
  return [text, value];
}

function headerOf(text: string): [string, string] {
  const at = text.indexOf(":");
  if (at <= 0) throw new Failure("usage", "--header: say it as 'Name: value'");
  return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

/** Throws Failure where there is none. */
function serverNamed(home: string, name: string): McpServer {
  assertAdopted(home);
  const { servers, problems } = readMcpFile(home, process.env);
  const server = servers.get(name);
  if (server !== undefined) return server;
  const why = problems.get(name) ?? problems.get("");
  throw new Failure("failed", why ?? `there is no MCP server "${name}": see  mimikit mcp`);
}

async function test(name: string, json: boolean): Promise<void> {
  const server = serverNamed(currentPlace().home, name);
  const condition = await tried(name, server, json);
  if (condition.needsLogin) throw new Failure("failed", condition.problems.join("; "));
  if (json) printJson(condition);
}

async function login(name: string, json: boolean): Promise<void> {
  const { home } = currentPlace();
  const server = serverNamed(home, name);
  const { url } = server;
  if (url === undefined) throw new Failure("usage", `${name} is a program: only an address is logged in to`);
  const [{ logIn }, { expandServer }] = await Promise.all([
    import("@mimikit/agent/mcp/log-in"),
    import("@mimikit/agent/mcp/files/expand"),
  ]);
  const show = (address: URL) => {
    printProgress(`open this in a browser:\n\n  ${address.href}\n`);
    printProgress("if it is on another machine: paste the address here at which the browser ends");
  };
  const lines = createInterface({ input: process.stdin });
  try {
    const filled = expandServer(server, process.env).url ?? url;
    const was = await logIn({ home, name, url: filled, show, pasted: lines }, AbortSignal.timeout(LOGIN_MS_MAX));
    if (json) printJson({ name, asked: was });
    else printLine(was ? `logged in to ${name}` : `${name} asks for no login`);
  } finally {
    lines.close();
    process.stdin.destroy();
  }
}

/** Throws Failure where it does not start, unless a login is all that it lacks. */
async function tried(name: string, server: McpServer, json: boolean): Promise<McpCondition> {
  const { tryServer } = await import("@mimikit/agent/mcp/try-server");
  const { home, workDir, config } = currentPlace();
  // Nothing may have been started here yet: programs run in the workspace.
  mkdirSync(workDir, { recursive: true });
  printProgress(`starting ${name}`);
  const sandbox = () => config.sandbox;
  const options = { name, server, home, workDir, env: process.env, sandbox };
  const condition = await tryServer(options, new AbortController().signal);
  const { tools, problems, stderr } = condition;
  if (condition.needsLogin) return condition;
  if (condition.state !== "running") {
    const said = stderr.length === 0 ? "" : ` · it said: ${stderr.map(plainLine).join(" · ")}`;
    throw new Failure("failed", `${name} does not work: ${problems.map(plainLine).join("; ")}${said}`);
  }
  if (!json) {
    printTable([`tools of ${name}`, "level", "what for"], tools.map(toolRow), `${name} has no tools`);
    for (const problem of problems) printLine(styled("yellow", plainLine(`! ${problem}`)));
  }
  return condition;
}

async function remove(name: string, json: boolean): Promise<void> {
  const { home } = currentPlace();
  assertAdopted(home);
  await setLogin(home, name, null);
  if (!(await setMcpServer(home, name, null)))
    throw new Failure("failed", `there is no MCP server "${name}": see  mimikit mcp`);
  if (json) printJson({ name });
  else printLine(`removed ${name}`);
}

function assertAdopted(home: string): void {
  if (!isAdopted(home, process.env)) throw new Failure("failed", NOT_ADOPTED);
}
