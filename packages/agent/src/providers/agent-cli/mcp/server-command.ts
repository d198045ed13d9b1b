/** How an agent CLI starts our MCP server: `mimikit mcp`, on the same Node and of the same version. */
import { fileURLToPath } from "node:url";

const MIMIKIT = fileURLToPath(new URL("../../../../../../apps/cli/bin/mimikit.mjs", import.meta.url));

/** @param toolsPath the file of `writeToolsFile`. */
export function serverCommand(toolsPath: string): { command: string; args: string[] } {
  return { command: process.execPath, args: [MIMIKIT, "mcp", toolsPath] };
}
