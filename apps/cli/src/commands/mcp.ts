/** The MCP servers whose tools tasks may use: list, add, test and remove them, with everything down too. And Mimikit as a server. */
import { setLogin } from "@mimikit/agent/mcp/files/logins";
import { setMcpServer } from "@mimikit/agent/mcp/files/mcp-file";
import { VERSION } from "@mimikit/runtime/home/version";
import { command, commandGroup } from "../arguments/command.ts";
import { t } from "../i18n/language.ts";
import { Failure } from "../io/failure.ts";
import { adoptedHome } from "../io/place.ts";
import { printJson, printLine } from "../io/print.ts";
import { add } from "./mcp/add.ts";
import { list } from "./mcp/list.ts";
import { login } from "./mcp/login.ts";
import { nameArgument, noServer, serverNamed, tried } from "./mcp/servers.ts";

const test = command({
  usage: "test <name>",
  summary: "start a server, list its tools, end it",
  examples: [["mimikit mcp test memory", "exit code 1 if it does not start"]],
  options: nameArgument,
  async run({ json, name }) {
    const server = serverNamed(name);
    const condition = await tried(name, server, json);
    if (condition.needsLogin) throw new Failure("failed", condition.problems.join("; "));
    if (json) printJson(condition);
  },
});

const remove = command({
  usage: "remove <name>",
  summary: "remove a server from mcp.json, and its login",
  examples: [["mimikit mcp remove memory", "its entry, and its login"]],
  options: nameArgument,
  async run({ json, name }) {
    const home = adoptedHome();
    await setLogin(home, name, null);
    if (!(await setMcpServer(home, name, null))) throw noServer(name);
    if (json) printJson({ name });
    else printLine(t("removed {name}", { name }));
  },
});

const serve = command({
  usage: "serve",
  summary: "serve Mimikit to Claude Desktop, Cursor or codex: ask, remember, search, tasks, schedule",
  examples: [["codex mcp add mimikit --env MIMIKIT_WORK_DIR=$PWD -- mimikit mcp serve", "for codex"]],
  epilogue: () => `${t("In claude_desktop_config.json:")}
  { "mcpServers": { "mimikit": {
      "command": "mimikit", "args": ["mcp", "serve"],
      "env": { "MIMIKIT_WORK_DIR": "/path/to/the/workspace" } } } }`,
  run: async () => (await import("../mcp-server/serve.ts")).serveMimikit(),
});

const tools = command({
  usage: "tools <file>",
  summary: "serve the tools of a task to an agent CLI, which starts this by itself",
  examples: [["mimikit mcp tools run.json", "with a file that the worker pool wrote"]],
  options: (yargs) =>
    yargs.positional("file", { type: "string", demandOption: true, describe: "written by the worker pool" }),
  async run({ file }) {
    const { serveTools } = await import("@mimikit/agent/providers/agent-cli/mcp/serve-tools");
    await serveTools(file, VERSION);
  },
});

export const mcp = commandGroup({
  name: "mcp",
  summary: "MCP servers whose tools tasks may use: list, add, test, remove, log in; serve Mimikit as one",
  epilogue:
    "The servers are in mcp.json in the state directory, in the format of other MCP clients; a running Mimikit notices each change. Worker pools start them in the sandbox of a Worker's shell.",
  subCommands: [list, add, test, remove, login, serve, tools],
  alone: list,
});
