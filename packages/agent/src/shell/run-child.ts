/**
 * One child of a run: a shell command, or an agent CLI. Nothing of it outlives it: whatever it left behind, in its process
 * group or out of it, is gone before its end is told, also when it is stopped (docs/file-protocol.md R6).
 */
import { setTimeout as wait } from "node:timers/promises";
import { platform } from "@mimikit/runtime/platform/this-platform";
import { findMarked, killMarked, MARK_VARIABLE } from "@mimikit/runtime/process/marked-processes";
import { endProcesses, listProcesses } from "@mimikit/runtime/process/process-table";
import { hasCode } from "@mimikit/store/disk/error-code";
import { execa } from "execa";
import { type Lifeline, noteLeft, openLifeline } from "./lifeline.ts";
import type { CommandLine } from "./sandbox.ts";

/** How long the output of an ended child is awaited where something it started still holds it open. */
const DRAIN_MS = 500;
/** A process that was just killed, alone or with its sandbox, is still listed for a moment. */
const LOOKS_MAX = 3;
const LOOK_EVERY_MS = 2;

export interface Child<T> {
  /** The native program, or a sandbox around it: killing any other wrapper would leave the program itself alive. */
  commandLine: CommandLine;
  cwd: string;
  /** All that it sees. */
  environment: Readonly<Record<string, string>>;
  /** The mark in `environment`, by which what it started is found again. */
  mark: string | undefined;
  /** Its standard input; empty when not given. */
  input?: string;
  /** Handed over to the sandbox on the descriptor SECRET_FD: it is in no variable and in no file. */
  handedOver?: string;
  /** It is our sandbox: a stop asks this program in it to end, and without one everything in it. */
  sandbox?: { program?: string };
  /** Between asking it to end and making it end. */
  termMs: number;
  /** DRAIN_MS after a stop: processes that it started may want to tidy up. */
  stoppedDrainMs?: number;
  /** Makes what is yielded of its output. It is asked for the next piece only when it has taken the last. */
  read(output: AsyncIterable<Buffer>): AsyncIterable<T>;
  /** Receives standard error as it comes; where not given, that is part of the output. */
  onStderr?(chunk: Buffer): void;
}

/** How it ended. Without a code and without a signal it was never started, and `cause` says why. */
export interface Ended {
  exitCode?: number | undefined;
  signal?: string | undefined;
  cause?: unknown;
}

/** Runs a child until it ends or `stop` aborts. Throws what `read` throws. */
export async function* runChild<T>(options: Child<T>, stop: AbortSignal): AsyncGenerator<T, Ended> {
  const { commandLine, cwd, environment, mark, input, handedOver, sandbox, termMs, onStderr } = options;
  // Processes in our sandbox end with it.
  const group = sandbox === undefined && mark !== undefined ? platform.makeGroup(mark) : null;
  // Without either, it is at least known that something is left.
  const lifeline = sandbox === undefined && mark !== undefined && group === null ? await openLifeline() : null;
  const [file, ...args] = group?.entering(commandLine) ?? commandLine;
  const child = execa(file, args, {
    cwd,
    env: environment,
    extendEnv: false,
    stdio: [
      input === undefined ? "ignore" : "pipe",
      "pipe",
      "pipe",
      ...(handedOver === undefined ? [] : [Buffer.from(handedOver)]),
      // The types know the first descriptors only.
      ...(lifeline === null ? [] : [lifeline.fd as 3]),
    ],
    ...(input !== undefined && { input }),
    all: onStderr === undefined,
    buffer: false,
    reject: false,
    encoding: "buffer",
    killDescendants: true,
    forceKillAfterDelay: termMs,
    ...(sandbox === undefined && { cancelSignal: stop }),
  });
  lifeline?.letGo();
  const output = child.all ?? child.stdout;
  if (onStderr !== undefined) child.stderr.on("data", onStderr);
  // Each ending is over before the next child of this run begins, which has the same mark and would be ended too.
  const endings: Promise<void>[] = [];
  // Where the child is gone but its output does not end, something that it left in the background holds it open.
  let isOver = false;
  let isCutLoose = false;
  let drain: NodeJS.Timeout | undefined;
  const cutLoose = () => {
    isCutLoose = true;
    output.destroy();
    if (onStderr !== undefined) child.stderr.destroy();
  };
  const endHolder = () => {
    // Without its holder the output ends by itself; where the holder cannot be found, nothing more is awaited.
    const goOn = () => {
      if (!isOver) drain = setTimeout(cutLoose, DRAIN_MS);
    };
    endings.push(endChild(child.pid, mark));
    endings.at(-1)?.then(goOn, goOn);
  };
  child.nodeChildProcess.once("exit", () => {
    if (!isOver) drain = setTimeout(endHolder, stop.aborted ? (options.stoppedDrainMs ?? DRAIN_MS) : DRAIN_MS);
  });
  const stopInside = () => {
    if (sandbox === undefined) return;
    endings.push(endSandboxed(child.pid, options, sandbox.program));
    endings.at(-1)?.catch((error: Error) => output.destroy(error));
  };
  if (stop.aborted) stopInside();
  else stop.addEventListener("abort", stopInside, { once: true });
  try {
    yield* options.read(output);
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
    group?.remove();
    await look(lifeline, mark);
  }
  const { exitCode, signal, cause } = await child;
  return { exitCode, signal, cause };
}

/** At once: its process group, and whatever carries the mark of its run. A child that was never started has no pid. */
export async function endChild(pid: number | undefined, mark: string | undefined): Promise<void> {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (!hasCode(error, "ESRCH", "EPERM")) throw error;
  }
  if (mark === undefined) return;
  for (let looks = 0; looks < LOOKS_MAX; looks++) {
    if ((await findMarked(mark)).length === 0) return;
    await wait(LOOK_EVERY_MS);
  }
  await killMarked(mark);
}

/** Notes that something of the run goes on although all that could be found of it has been ended. */
async function look(lifeline: Lifeline | null, mark: string | undefined): Promise<void> {
  if (lifeline === null || mark === undefined) return;
  try {
    if (await lifeline.isHeld()) noteLeft(mark);
  } finally {
    lifeline.close();
  }
}

/**
 * Asks what runs in the sandbox `pid` to end, and after `termMs` ends the sandbox. A signal for all would end the sandbox
 * first, and with it, at once, whatever wants to tidy up. A `program` has to end what it started by itself.
 */
async function endSandboxed(
  pid: number | undefined,
  { mark, termMs }: Pick<Child<unknown>, "mark" | "termMs">,
  program: string | undefined,
): Promise<void> {
  const inside = async () =>
    (await listProcesses()).filter(
      (each) =>
        each.pid !== pid &&
        each.environment.get(MARK_VARIABLE) === mark &&
        (program === undefined || each.args[0] === program),
    );
  if (mark !== undefined) await endProcesses(inside, termMs);
  await endChild(pid, mark);
}

/** Those of our own variables that are in `names`. Keys and tokens must not be among them. */
export function ownVariables(names: readonly string[]): Record<string, string> {
  const own = names.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(own);
}
