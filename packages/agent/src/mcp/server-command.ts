/** How an agent CLI starts our MCP server: the same Node, the same version. */
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("./main.ts", import.meta.url));

/** @param toolsPath the file of `writeToolsFile`. */
export function serverCommand(toolsPath: string): { command: string; args: string[] } {
  return { command: process.execPath, args: [MAIN, toolsPath] };
}
