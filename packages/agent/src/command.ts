/**
 * A shell command as the child of a run. Nothing of it outlives the run: whatever it left behind, in its process group
 * or out of it, is gone before its end is told (PROTOCOL R6).
 */
import type { FileHandle } from "node:fs/promises";
import { findMarked, killMarked, MARK_VARIABLE } from "@mimikit/runtime/marked-processes";
import { hasCode } from "@mimikit/store/error-code";
import { execa } from "execa";
import type { Output } from "./output.ts";

/** What a command sees of our own environment; keys and tokens are not among it. */
const ENVIRONMENT_ALLOWED = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"];
/** Between asking a command to end and making it end. */
const TERM_MS = 2_000;
/** How long the output of an ended command is awaited where something it started still holds it open. */
const DRAIN_MS = 500;

export interface CommandOptions {
  cwd: string;
  /** Beyond the allowed variables of our own: at least the mark of the run. */
  environment: Record<string, string>;
  /** Standard input; null is an empty one. */
  input?: FileHandle | null;
  /** Receives standard output and standard error as they come. */
  output: Output;
  /** Path of the shell; the system's `sh` when not given. */
  shell?: string;
}

/** How the shell ended. Without a code and without a signal it was never started, and `cause` says why. */
export interface Ended {
  exitCode?: number | undefined;
  signal?: string | undefined;
  cause?: unknown;
}

/**
 * Runs a command until it ends or `stop` aborts, and yields the last line of its output whenever there is more of it.
 * Throws what the disk throws while the output is kept.
 */
export async function* runCommand(
  command: string,
  { cwd, environment, input, output, shell }: CommandOptions,
  stop: AbortSignal,
): AsyncGenerator<string, Ended> {
  const child = execa(command, {
    shell: shell ?? true,
    cwd,
    env: { ...allowedEnvironment(), ...environment },
    extendEnv: false,
    // The command gets the file itself, not a pipe that we would have to feed and that `/dev/stdin` could not open.
    stdin: input?.createReadStream({ autoClose: false }) ?? "ignore",
    all: true,
    buffer: false,
    reject: false,
    encoding: "buffer",
    cancelSignal: stop,
    killDescendants: true,
    forceKillAfterDelay: TERM_MS,
  });
  const mark = environment[MARK_VARIABLE];
  // Where the shell is gone but its output does not end, something that it left in the background holds it open.
  let isCutLoose = false;
  let drain: NodeJS.Timeout | undefined;
  const cutLoose = () => {
    isCutLoose = true;
    endAll(child.pid, mark).then(
      () => child.all.destroy(),
      (error: Error) => child.all.destroy(error),
    );
  };
  child.nodeChildProcess.once("exit", () => {
    drain = setTimeout(cutLoose, stop.aborted ? TERM_MS : DRAIN_MS);
  });
  try {
    for await (const chunk of child.all) {
      await output.add(chunk);
      yield output.lastLine();
    }
  } catch (error) {
    if (!(isCutLoose && hasCode(error, "ERR_STREAM_PREMATURE_CLOSE"))) throw error;
  } finally {
    clearTimeout(drain);
    await endAll(child.pid, mark);
  }
  return await child;
}

/** Ends what is left of the command: its process group, and whatever carries the mark of its run. */
async function endAll(pid: number | undefined, mark: string | undefined): Promise<void> {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (!hasCode(error, "ESRCH", "EPERM")) throw error;
  }
  if (mark !== undefined && (await findMarked(mark)).length > 0) await killMarked(mark);
}

function allowedEnvironment(): Record<string, string> {
  const allowed = ENVIRONMENT_ALLOWED.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(allowed);
}
