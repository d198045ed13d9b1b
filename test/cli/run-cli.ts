/** The real command line as a process of its own, in the place of an instance. */
import { type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { CLI } from "../support/programs.ts";

export interface CliPlace {
  home: string;
  workDir: string;
}

export interface Said {
  code: number | null;
  out: string;
  error: string;
}

function environmentOf({ home, workDir }: CliPlace, env: Record<string, string>): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("MIMIKIT_"));
  return { ...Object.fromEntries(inherited), MIMIKIT_HOME: home, MIMIKIT_WORK_DIR: workDir, ...env };
}

/** Runs `mimikit <words>` before any test begins. @throws its words where it fails. */
export function runCliFirst(place: CliPlace, words: readonly string[], env: Record<string, string> = {}): void {
  const { status, stderr } = spawnSync(process.execPath, [CLI, ...words], { env: environmentOf(place, env) });
  if (status !== 0) throw new Error(`mimikit ${words.join(" ")}: ${String(stderr)}`);
}

/** Command lines for `test.each`. */
export function linesOf(...lines: string[][]): { line: string; words: string[] }[] {
  return lines.map((words) => ({ line: words.join(" "), words }));
}

/** Starts `mimikit <words>`. @param env further variables of its shell. */
export function startCli(
  place: CliPlace,
  words: readonly string[],
  env: Record<string, string> = {},
): ChildProcessByStdio<Writable, Readable, Readable> {
  const child = spawn(process.execPath, [CLI, ...words], { env: environmentOf(place, env), stdio: "pipe" });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** Runs `mimikit <words>` to its end, with `input` coming through the pipe. */
export async function runCli(
  place: CliPlace,
  words: readonly string[],
  input = "",
  env: Record<string, string> = {},
): Promise<Said> {
  const child = startCli(place, words, env);
  child.stdin.end(input);
  const [out, error] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code: child.exitCode, out, error };
}
