/** Serves the tools of a run to the agent CLI that runs it. Not for people: the worker pool's CLIs start it. */
import { serveTools } from "@mimikit/agent/providers/agent-cli/mcp/serve-tools";
import { VERSION } from "@mimikit/runtime/home/version";
import { type CommonOptions, command } from "../arguments/command.ts";

interface McpOptions extends CommonOptions {
  file: string;
}

export const mcp = command<McpOptions>({
  usage: "mcp <file>",
  summary: "serve the tools of a run to an agent CLI (MCP over standard input and output)",
  examples: [
    [
      "mimikit mcp .mimikit/runs/t-000001.a1/tools.json",
      "codex and claude start this by themselves; it validates calls and changes nothing",
    ],
  ],
  options: (yargs) =>
    yargs.positional("file", {
      type: "string",
      demandOption: true,
      describe: "what the worker pool wrote for this run: its task, what its tools read, the calls so far",
    }),
  async run({ file }) {
    await serveTools(file, VERSION);
  },
});
