/** The commands that a change is checked with, run in its worktree and in the sandbox of a Worker's shell (SPEC J2). */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describeEnd, finishCommand } from "@mimikit/agent/shell/command";
import { Output } from "@mimikit/agent/shell/output";
import type { Bounds } from "@mimikit/agent/shell/sandbox";
import { BadJson, parseRecord } from "@mimikit/protocol/base/json";
import { CHECK_OUTPUT_CHARS_MAX, type CheckResult } from "@mimikit/protocol/records/improvement";
import { hasCode } from "@mimikit/store/disk/error-code";
import { z } from "zod";

/** The text that `npm init` writes: a script that is none. */
const NO_TEST = /no test specified/;

const Package = z.object({ scripts: z.object({ test: z.string().optional() }).optional() });

/** The commands: those of the settings or, where they name none, the test script of the workspace. */
export async function checksOf(settings: readonly string[] | undefined, workDir: string): Promise<readonly string[]> {
  if (settings !== undefined) return settings;
  try {
    const { scripts } = parseRecord(Package, await readFile(join(workDir, "package.json"), "utf8"));
    const isTest = scripts?.test !== undefined && !NO_TEST.test(scripts.test);
    return isTest ? ["npm test"] : [];
  } catch (error) {
    if (hasCode(error, "ENOENT") || error instanceof BadJson) return [];
    throw error;
  }
}

export interface Checking {
  bounds: Bounds;
  environment: Record<string, string>;
  /** Gets the whole output of each. */
  runDir: string;
  /** Seconds that each may take. */
  checkSec: number;
}

/** Runs them one after the other; all of them, whatever comes of the first. Throws what the disk throws, and `SandboxMissing`. */
export async function runChecks(
  commands: readonly string[],
  { bounds, environment, runDir, checkSec }: Checking,
  stop: AbortSignal,
): Promise<CheckResult[]> {
  const checks: CheckResult[] = [];
  for (const [i, command] of commands.entries()) {
    const timeLimit = AbortSignal.timeout(checkSec * 1_000);
    const output = await Output.create(join(runDir, `check-${i + 1}.txt`), CHECK_OUTPUT_CHARS_MAX);
    try {
      const end = await finishCommand(command, { bounds, environment, output }, AbortSignal.any([stop, timeLimit]));
      stop.throwIfAborted();
      const ended = timeLimit.aborted ? `stopped after ${checkSec} s` : describeEnd(end);
      const isPassed = !timeLimit.aborted && end.exitCode === 0;
      checks.push({ command, ended, isPassed, output: output.tail(), artifact: output.path });
    } finally {
      await output.close();
    }
  }
  return checks;
}
