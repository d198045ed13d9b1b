/** Do the MCP servers run, as far as the worker pool has needed them? Starts none. */
import { describeServers } from "@mimikit/agent/mcp/describe-servers";
import { type Check, ok, type Patient, warn } from "./check.ts";

export async function checkMcp({ home, exists }: Patient): Promise<Check[]> {
  if (!exists) return [];
  const { servers, commands, problems } = await describeServers(home, process.env);
  if (servers.length + commands.length + problems.length === 0) return [ok("no tools from outside are set up")];
  const bad = servers.filter(({ state }) => state === "failed");
  const parts = servers.flatMap(({ name, problems }) => problems.map((problem) => ({ name, problem })));
  return [
    ...(servers.length > bad.length
      ? [ok(`${servers.length - bad.length} of ${servers.length} MCP servers are well`)]
      : []),
    ...(commands.length > 0 ? [ok(`commands of yours: ${commands.map(({ name }) => name).join(", ")}`)] : []),
    ...parts.map(({ name, problem }) => warn(`${name}: ${problem}`, `see why: mimikit mcp test '${name}'`)),
    ...problems.map((problem) => warn(problem, "correct it, then: mimikit mcp")),
  ];
}
