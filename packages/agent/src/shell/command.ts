/**
 * A shell command as the child of a run. Nothing of it outlives the run: whatever it left behind, in its process group
 * or out of it, is gone before its end is told (docs/file-protocol.md R6).
 */
import { constants } from "node:os";
import { MARK_VARIABLE } from "@mimikit/runtime/process/marked-processes";
import { hasCode } from "@mimikit/store/disk/error-code";
import { execa } from "execa";
import { endChild, endSandboxed } from "./end-child.ts";
import type { Output } from "./output.ts";
import { type Bounds, type CommandLine, sandboxed } from "./sandbox.ts";

/** What a command sees of our own environment; keys and tokens are not among it. */
const ENVIRONMENT_ALLOWED = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"];
/** Between asking a command to end and making it end. */
const TERM_MS = 2_000;
/** How long the output of an ended command is awaited where something it started still holds it open. */
const DRAIN_MS = 500;
/** A program that runs another one and cannot end as it did, by a signal, ends with this and the signal's number. */
const SIGNAL_CODE = 128;
const SHELL = "/bin/sh";

export interface CommandOptions {
  /** The command runs in their workspace, and in a sandbox where there is one. */
  bounds: Bounds;
  /** Beyond the allowed variables of our own: at least the mark of the run. */
  environment: Record<string, string>;
  /** A file that is standard input and that the bounds allow; an empty input when not given. */
  input?: string;
  /** Receives standard output and standard error as they come. */
  output: Output;
  /** Path of the shell; the system's when not given. */
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
 * Throws what the disk throws while the output is kept, and `SandboxMissing`.
 */
export async function* runCommand(
  command: string,
  { bounds, environment, input, output, shell = SHELL }: CommandOptions,
  stop: AbortSignal,
): AsyncGenerator<string, Ended> {
  const inner: CommandLine = input === undefined ? [shell, "-c", command] : reading(input, [shell, "-c", command]);
  const { commandLine, isSandboxed } = await sandboxed(inner, bounds);
  const [file, ...args] = commandLine;
  const child = execa(file, args, {
    cwd: bounds.workDir,
    env: { ...allowedEnvironment(), ...environment },
    extendEnv: false,
    stdin: "ignore",
    all: true,
    buffer: false,
    reject: false,
    encoding: "buffer",
    killDescendants: true,
    forceKillAfterDelay: TERM_MS,
    ...(!isSandboxed && { cancelSignal: stop }),
  });
  const mark = environment[MARK_VARIABLE];
  // Where the shell is gone but its output does not end, something that it left in the background holds it open.
  let isOver = false;
  let isCutLoose = false;
  let drain: NodeJS.Timeout | undefined;
  // Each is over before the next command of this run begins, which has the same mark and would be ended too.
  const endings: Promise<void>[] = [];
  const cutLoose = () => {
    isCutLoose = true;
    endings.push(endChild(child.pid, mark));
    endings.at(-1)?.then(
      () => child.all.destroy(),
      (error: Error) => child.all.destroy(error),
    );
  };
  const stopInside = () => {
    endings.push(endSandboxed({ pid: child.pid, mark, termMs: TERM_MS }));
    endings.at(-1)?.catch((error: Error) => child.all.destroy(error));
  };
  if (isSandboxed && stop.aborted) stopInside();
  else if (isSandboxed) stop.addEventListener("abort", stopInside, { once: true });
  child.nodeChildProcess.once("exit", () => {
    if (isOver) return;
    drain = setTimeout(cutLoose, stop.aborted ? TERM_MS : DRAIN_MS);
  });
  try {
    for await (const chunk of child.all) {
      await output.add(chunk);
      yield output.lastLine();
    }
    // It may go on when it has closed its output.
    await child;
  } catch (error) {
    if (!(isCutLoose && hasCode(error, "ERR_STREAM_PREMATURE_CLOSE"))) throw error;
  } finally {
    isOver = true;
    clearTimeout(drain);
    stop.removeEventListener("abort", stopInside);
    await Promise.all(endings);
    await endChild(child.pid, mark);
  }
  const ended = await child;
  return isSandboxed ? unwrapped(ended) : ended;
}

/**
 * The file is opened by the command, not by us: through a descriptor of ours, the command could write a file that the
 * sandbox only lets it read.
 */
function reading(path: string, command: CommandLine): CommandLine {
  return [SHELL, "-c", 'exec "$@" <"$0"', path, ...command];
}

/** How the command itself ended: the sandbox around it cannot end by the same signal. */
function unwrapped(ended: Ended): Ended {
  const number = (ended.exitCode ?? 0) - SIGNAL_CODE;
  const signal = Object.entries(constants.signals).find(([, each]) => each === number)?.[0];
  return signal === undefined ? ended : { signal };
}

function allowedEnvironment(): Record<string, string> {
  const allowed = ENVIRONMENT_ALLOWED.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(allowed);
}
