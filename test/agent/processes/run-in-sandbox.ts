/** Runs the command of its first argument within bounds as JSON, and prints how it was run and what it printed. */

import { execFileSync } from "node:child_process";
import type { SandboxMode } from "@mimikit/agent/provider";
import { findSandbox, sandboxed } from "@mimikit/agent/shell/sandbox";

const [command = "", home = "", mode = ""] = process.argv.slice(2);
const bounds = { home, workDir: home, allow: [], mode: mode as SandboxMode };
try {
  const { commandLine, isSandboxed } = await sandboxed(["/bin/sh", "-c", command], bounds);
  const [file, ...args] = commandLine;
  const output = execFileSync(file, args, { encoding: "utf8" });
  process.stdout.write(JSON.stringify({ isSandboxed, output, sandbox: await findSandbox() }));
} catch (error) {
  process.stdout.write(JSON.stringify({ error: error instanceof Error ? `${error.name}: ${error.message}` : error }));
}
