/** A shell command as the child of a run, in a sandbox where there is one. */
import { realpath } from "node:fs/promises";
import { constants } from "node:os";
import { MARK_VARIABLE } from "@mimikit/runtime/process/marked-processes";
import { networkVariables } from "./network.ts";
import type { Output } from "./output.ts";
import { repositoryPlaces } from "./repository.ts";
import { type Child, type Ended, ownVariables, runChild } from "./run-child.ts";
import { type Bounds, type CommandLine, sandboxed } from "./sandbox.ts";

/** The variables of our own environment that a command sees; keys and tokens are not among them. */
export const ENVIRONMENT_ALLOWED = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "TZ",
  "TMPDIR",
];
/** Between asking a command to end and making it end. */
const TERM_MS = 2_000;
/** A program that runs another one and cannot end as it did, by a signal, ends with this and the signal's number. */
const SIGNAL_CODE = 128;
const SHELL = "/bin/sh";

export interface ProgramOptions {
  /** It runs in their workspace, and in a sandbox where there is one. */
  bounds: Bounds;
  /** Beyond the allowed variables of our own: at least the mark of the run. */
  environment: Record<string, string>;
  /** Its standard input; empty when not given. */
  text?: string;
  /** Receives standard output and standard error as they come. */
  output: Output;
}

export interface CommandOptions extends Omit<ProgramOptions, "text"> {
  /** A file that is standard input and that the bounds allow; an empty input when not given. */
  input?: string;
  /** Path of the shell; the system's when not given. */
  shell?: string;
}

/**
 * Runs a command until it ends or `stop` aborts, and yields the last line of its output whenever there is more of it.
 * Throws what the disk throws while the output is kept, and `SandboxMissing`.
 */
export function runCommand(
  command: string,
  { input, shell = SHELL, ...options }: CommandOptions,
  stop: AbortSignal,
): AsyncGenerator<string, Ended> {
  const inShell: CommandLine = [shell, "-c", command];
  return runProgram(input === undefined ? inShell : reading(input, inShell), options, stop);
}

/** The same for a program and its arguments, which no shell looks at. @param options `text` is its standard input. */
async function* runProgram(
  program: CommandLine,
  { bounds, environment, text, output }: ProgramOptions,
  stop: AbortSignal,
): AsyncGenerator<string, Ended> {
  const { commandLine, isSandboxed, isHeld } = await sandboxed(program, bounds);
  const child: Child<string> = {
    commandLine,
    cwd: bounds.workDir,
    environment: { ...ownVariables(ENVIRONMENT_ALLOWED), ...networkVariables(false), ...environment },
    mark: environment[MARK_VARIABLE],
    ...(text !== undefined && { input: text }),
    ...(isHeld && { sandbox: {} }),
    termMs: TERM_MS,
    stoppedDrainMs: TERM_MS,
    async *read(chunks) {
      for await (const chunk of chunks) {
        await output.add(chunk);
        yield output.lastLine();
      }
    },
  };
  try {
    const ended = yield* runChild(child, stop);
    return isHeld ? unwrapped(ended) : ended;
  } finally {
    if (isSandboxed && bounds.keepsOutside === true) await repositoryPlaces(await realpath(bounds.workDir));
  }
}

/** Runs a command whose output is not watched. Throws as `runCommand` does. */
export function finishCommand(...options: Parameters<typeof runCommand>): Promise<Ended> {
  return finish(runCommand(...options));
}

/** Runs a program with these arguments, as they are, whose output is not watched. Throws as `runCommand` does. */
export function finishProgram(...options: Parameters<typeof runProgram>): Promise<Ended> {
  return finish(runProgram(...options));
}

async function finish(lines: AsyncGenerator<string, Ended>): Promise<Ended> {
  for (;;) {
    const next = await lines.next();
    if (next.done === true) return next.value;
  }
}

/** Throws the cause where the command was never started. */
export function describeEnd({ exitCode, signal, cause }: Ended): string {
  if (signal !== undefined) return `ended by ${signal}`;
  if (exitCode !== undefined) return `exit code ${exitCode}`;
  throw cause ?? new Error("the command could not be started");
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
