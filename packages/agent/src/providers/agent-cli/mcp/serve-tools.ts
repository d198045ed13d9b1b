/**
 * The tools of one run as an MCP server on standard input and output, for an agent CLI. It answers what the run's own bus
 * will answer, and changes nothing: the pool takes the effects from what the CLI says it has called. Calls of tools from
 * outside go to the pool, which makes them.
 */
import { readForgotten, shownLog } from "@mimikit/memory/forgotten/read-forgotten";
import { HistoryIndex } from "@mimikit/memory/search/history-index";
import { wellFormed } from "@mimikit/protocol/texts/whole-characters";
import { Server } from "@modelcontextprotocol/server";
import { type StdioServerHandle, serveStdio } from "@modelcontextprotocol/server/stdio";
import { createToolBus, type ToolAnswer, type ToolBus } from "../../../bus.ts";
import { describeTool } from "../../../kernel/describe-tool.ts";
import { TOOLS, toolsOf } from "../../../tools/index.ts";
import { ToolText } from "../../../tools/tool-text.ts";
import { callPool } from "./pool-socket.ts";
import { SERVER_NAME } from "./server-name.ts";
import { readToolsFile, type ToolsFile } from "./tools-file.ts";

/** Serves until standard input ends. Throws where the file cannot be read, or is not that of this version. */
export async function serveTools(path: string, version: string): Promise<StdioServerHandle> {
  const file = await readToolsFile(path);
  const bus = await replayed(file);
  return serveStdio(() => serverOf(file, bus, version));
}

/** A bus on which everything that was staged so far is staged. */
async function replayed({ task, reads: told, newest, calls }: ToolsFile): Promise<ToolBus> {
  const { home } = told.memoryPlace;
  const reads = { ...told, said: shownLog(new HistoryIndex(home).with(newest), await readForgotten(home)) };
  const bus = createToolBus({ task, tools: TOOLS, reads, onCall: () => undefined });
  for (const { tool, input } of calls) {
    const answer = await bus.call(tool, input);
    if (!answer.ok) throw new Error(`an earlier call of ${tool} is refused now: ${answer.message}`);
  }
  return bus;
}

function serverOf({ task, reads, external }: ToolsFile, bus: ToolBus, version: string): Server {
  const server = new Server({ name: SERVER_NAME, version }, { capabilities: { tools: {} } });
  // One after the other: ids are given in the order in which the calls came.
  let last: Promise<unknown> = Promise.resolve();
  server.setRequestHandler("tools/list", () => ({
    tools: [...toolsOf(task.role, reads.pools).map(describeTool), ...(external?.tools ?? [])].map(
      ({ parameters, ...tool }) =>
        wellFormed({
          ...tool,
          inputSchema: { ...parameters, type: "object" as const },
        }),
    ),
  }));
  server.setRequestHandler("tools/call", ({ params }) => {
    if (external?.tools.some(({ name }) => name === params.name))
      return callPool(external.socket, params.name, params.arguments ?? {}).then(contentOf);
    const answer = last.then(() => bus.call(params.name, params.arguments ?? {}));
    last = answer;
    return answer.then(contentOf);
  });
  return server;
}

function contentOf(answer: ToolAnswer) {
  const text = answer.ok
    ? textOf(answer.data)
    : JSON.stringify({ error: { code: answer.code, message: answer.message } });
  return { content: [{ type: "text" as const, text: wellFormed(text) }], ...(!answer.ok && { isError: true }) };
}

function textOf(data: unknown): string {
  return ToolText.safeParse(data).data?.text ?? JSON.stringify(data);
}
