/** MCP servers for tests: those of the registry as they come, and one that misbehaves as it is told. */
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { McpServer } from "@mimikit/protocol/wire/mcp";

const ROOT = join(import.meta.dirname, "../..");

/** A server package as it is installed, run by this Node. */
export function published(name: "everything" | "filesystem" | "memory", args: string[] = []): McpServer {
  const main = join(ROOT, `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`);
  if (!existsSync(main)) throw new Error(`${main} is not installed`);
  return { command: process.execPath, args: [main, ...args] };
}

/** The server of `odd-mcp-server.ts`. @param env what it is told to do. */
export function odd(env: Record<string, string> = {}, ...says: string[]): McpServer {
  return { command: process.execPath, args: [join(import.meta.dirname, "odd-mcp-server.ts"), ...says], env };
}

export function writeMcpFile(home: string, mcpServers: Record<string, unknown>): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const path = join(home, "mcp.json");
  writeFileSync(path, JSON.stringify({ mcpServers }));
  chmodSync(path, 0o600);
}
