/** A real process for a test: its lines can be awaited, and it is killed when the test ends. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

export interface Started {
  process: ChildProcess;
  /** The next line of its stdout; rejects when it ended without one. */
  nextLine(): Promise<string>;
  /** Every line of its stdout so far. */
  lines: readonly string[];
  /** Its exit code, or the name of the signal that ended it. */
  ended: Promise<number | string>;
}

/** Starts `processes/<name>.ts` of this folder. `ipc` gives it a channel to its parent, as PM2 does. */
export function startProcess(
  name: string,
  args: string[],
  options: { ipc?: boolean; env?: NodeJS.ProcessEnv } = {},
): Started {
  const script = fileURLToPath(new URL(`processes/${name}.ts`, import.meta.url));
  const child = spawn(process.execPath, [script, ...args], {
    stdio: ["pipe", "pipe", "inherit", ...(options.ipc ? (["ipc"] as const) : [])],
    env: { ...process.env, ...options.env },
  });
  const lines: string[] = [];
  let taken = 0;
  if (child.stdout === null) throw new Error("the process has no stdout");
  const reader = createInterface({ input: child.stdout });
  reader.on("line", (line) => lines.push(line));
  const ended = once(child, "close").then(([code, signal]) => (code ?? signal) as number | string);
  onTestFinished(() => void child.kill("SIGKILL"));
  return {
    process: child,
    lines,
    ended,
    async nextLine() {
      while (taken === lines.length) {
        const how = await Promise.race([once(reader, "line").then(() => null), ended]);
        if (how !== null && taken === lines.length) throw new Error(`${name} ended (${how}) without another line`);
      }
      return lines[taken++] ?? "";
    },
  };
}
