/** How an agent CLI starts our MCP server: `mimikit mcp tools`, on the same Node and of the same version. */
import { programOf } from "@mimikit/runtime/home/programs";

/** @param toolsPath the file of `writeToolsFile`. */
export function serverCommand(toolsPath: string): { command: string; args: string[] } {
  return { command: process.execPath, args: [programOf("cli"), "mcp", "tools", toolsPath] };
}
