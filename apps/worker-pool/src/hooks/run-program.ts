/** The command of a hook: a program of the owner's in the sandbox of a Worker's shell, with the event on its standard input. */
import { join } from "node:path";
import type { SandboxMode } from "@mimikit/agent/provider";
import { describeEnd, finishProgram } from "@mimikit/agent/shell/command";
import { Output } from "@mimikit/agent/shell/output";
import { type CommandLine, SandboxMissing } from "@mimikit/agent/shell/sandbox";
import { type EndedDelivery, HOOK_TIMEOUT_SEC, type HookDelivery } from "@mimikit/protocol/records/hook";
import { MARK_VARIABLE, markOf } from "@mimikit/runtime/process/marked-processes";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { HOOKS, runPath } from "@mimikit/store/disk/state";

/** Of the output, its end is kept with the outcome; all of it is in the folder of the run for a while. */
const OUTPUT_BYTES_KEPT = 2_000;
/** A command is started once. */
const ATTEMPT = 1;

export interface ProgramEnvironment {
  home: string;
  workDir: string;
  fs: FileSystem;
  sandbox(): SandboxMode;
}

export type ProgramResult = Pick<EndedDelivery, "outcome" | "detail" | "output">;

/**
 * Runs it to its end, or until its time is over, with everything that it has started. Throws what the disk throws.
 * @param stop ends it: then it was interrupted.
 */
export async function runHookProgram(
  program: readonly string[],
  timeoutSec = HOOK_TIMEOUT_SEC,
  { id, event }: HookDelivery,
  { home, workDir, fs, sandbox }: ProgramEnvironment,
  stop: AbortSignal,
): Promise<ProgramResult> {
  const runDir = runPath(id, ATTEMPT);
  await fs.makeDir(runDir);
  const output = await Output.create(join(home, runDir, "output.txt"), OUTPUT_BYTES_KEPT);
  const timeLimit = AbortSignal.timeout(timeoutSec * 1_000);
  try {
    const ended = await finishProgram(
      program as CommandLine,
      {
        // A script may lie beside the file of its hook; nothing else of the state is to be seen.
        bounds: { home, workDir, mode: sandbox(), allow: [{ path: join(home, HOOKS), isWritable: false }] },
        environment: { [MARK_VARIABLE]: markOf(home, id, ATTEMPT) },
        text: `${JSON.stringify(event)}\n`,
        output,
      },
      AbortSignal.any([stop, timeLimit]),
    );
    const said = output.tail().trim();
    const kept = said === "" ? {} : { output: said };
    if (stop.aborted) return { outcome: "interrupted", detail: "Mimikit was stopped while it ran", ...kept };
    if (timeLimit.aborted && ended.exitCode !== 0)
      return { outcome: "failed", detail: `stopped after ${timeoutSec} s`, ...kept };
    return { outcome: ended.exitCode === 0 ? "ran" : "failed", detail: endOf(ended), ...kept };
  } catch (error) {
    if (error instanceof SandboxMissing) return { outcome: "failed", detail: error.message };
    throw error;
  } finally {
    await output.close();
  }
}

/** Without a code and without a signal it was never started: its cause says why, for example that there is no such program. */
function endOf(ended: Parameters<typeof describeEnd>[0]): string {
  try {
    return describeEnd(ended);
  } catch (error) {
    return `it could not be started: ${error instanceof Error ? error.message : String(error)}`;
  }
}
