/**
 * Serves Mimikit to other assistants, or the tools of a run to the agent CLI that runs it. The second is not for people: the
 * worker pool's CLIs start it.
 */
import { serveTools } from "@mimikit/agent/providers/agent-cli/mcp/serve-tools";
import { VERSION } from "@mimikit/runtime/home/version";
import { type CommonOptions, command } from "../arguments/command.ts";

const SERVE = "serve";

const CLAUDE_DESKTOP = `In claude_desktop_config.json:
  { "mcpServers": { "mimikit": {
      "command": "mimikit", "args": ["mcp", "serve"],
      "env": { "MIMIKIT_WORK_DIR": "/path/to/the/workspace" } } } }`;

interface McpOptions extends CommonOptions {
  file: string;
}

export const mcp = command<McpOptions>({
  usage: "mcp <file>",
  summary: "serve Mimikit (or the tools of a run) over MCP, on standard input and output",
  examples: [
    ["mimikit mcp serve", "Mimikit for Claude Desktop, Cursor or codex: ask, remember, search, tasks, schedule"],
    ["codex mcp add mimikit --env MIMIKIT_WORK_DIR=$PWD -- mimikit mcp serve", "the same for codex"],
    [
      "mimikit mcp .mimikit/runs/t-000001.a1/tools.json",
      "codex and claude start this by themselves; it validates calls and changes nothing",
    ],
  ],
  epilogue: CLAUDE_DESKTOP,
  options: (yargs) =>
    yargs.positional("file", {
      type: "string",
      demandOption: true,
      describe: "serve; or what the worker pool wrote for a run: its task, what its tools read, the calls so far",
    }),
  async run({ file }) {
    if (file === SERVE) (await import("../mcp-server/serve.ts")).serveMimikit();
    else await serveTools(file, VERSION);
  },
});
