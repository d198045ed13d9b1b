/** The tools from outside as people are shown them: what the files say, and what the worker pool knows. Starts nothing. */
import { EXTERNAL_ROLES, type McpList, type McpServerView } from "@mimikit/protocol/wire/mcp";
import { isAdopted } from "@mimikit/runtime/home/adoption";
import type { Environment } from "@mimikit/runtime/home/home";
import { readMcpRecord } from "@mimikit/runtime/process/mcp-record";
import { MCP_PATH } from "@mimikit/store/disk/state";
import { readOwnCommands } from "./files/command-files.ts";
import { readMcpFile, targetOf } from "./files/mcp-file.ts";
import { OWN, toolNames } from "./tool-names.ts";

const UNKNOWN = { state: "unknown" as const, problems: [], stderr: [], tools: [] };

const ownName = (tool: string) => toolNames([{ server: OWN, tool }])[0] ?? tool;

/** Throws what the disk throws. */
export async function describeServers(home: string, env: Environment): Promise<McpList> {
  const { servers, problems } = readMcpFile(home, env);
  const known = readMcpRecord(home);
  const views = [...servers].map(([name, server]): McpServerView => {
    const transport = server.url === undefined ? "stdio" : "http";
    const roles = EXTERNAL_ROLES.filter((role) => (server.mimikit?.roles ?? ["worker"]).includes(role));
    const isOff = server.disabled === true;
    const condition = isOff ? { ...UNKNOWN, state: "disabled" as const } : (known[name] ?? UNKNOWN);
    return { ...condition, name, transport, target: targetOf(server), roles };
  });
  const own = isAdopted(home, env) ? await readOwnCommands(home) : { commands: [], problems: [] };
  return {
    servers: views,
    commands: own.commands.map(({ name, level, roles, description }) => ({
      name: ownName(name),
      level,
      roles,
      description,
    })),
    problems: [...[...problems].map(([name, why]) => `${MCP_PATH}${name && `: ${name}`}: ${why}`), ...own.problems],
  };
}
