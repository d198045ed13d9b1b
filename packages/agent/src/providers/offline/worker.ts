/**
 * The Worker without a model: its task is one command, and it runs it in the workspace. Nothing of the command outlives
 * the run: whatever it left behind, in its process group or out of it, is gone before the result is told.
 *
 * What an earlier task of the chain printed is the command's standard input, and MIMIKIT_UPSTREAM names the file that
 * holds it. Without an earlier task the input is empty.
 */
import { type FileHandle, open, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { RESULT_SCHEMAS } from "@mimikit/protocol/result";
import type { Report } from "@mimikit/protocol/task";
import { NO_USAGE } from "@mimikit/protocol/usage";
import { findMarked, killMarked, MARK_VARIABLE } from "@mimikit/runtime/marked-processes";
import { hasCode } from "@mimikit/store/error-code";
import { execa } from "execa";
import { type FailedEvent, type ProviderEvent, type Run, stopReason } from "../../provider.ts";
import { Output } from "./output.ts";
import { parseMessage } from "./parse.ts";
import { languageOf, WORDS, type Words } from "./words.ts";

export const OUTPUT_FILE = "output.txt";
export const UPSTREAM_FILE = "upstream.txt";
/** The variable with the path of what the earlier task printed. */
export const UPSTREAM_VARIABLE = "MIMIKIT_UPSTREAM";

/** What a command sees of our own environment; keys and tokens are not among it. */
const ENVIRONMENT_ALLOWED = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"];
const PROGRESS_MS_MIN = 200;
/** Between asking a command to end and making it end. */
const TERM_MS = 2_000;
/** How long the output of an ended command is awaited where something it started still holds it open. */
const DRAIN_MS = 500;
/** Signals by which somebody else ends a process; any other is the command's own fault. */
const ENDED_BY_OTHERS = ["SIGKILL", "SIGTERM", "SIGHUP"];

/** Runs a task. A command that ends with another code than 0 is a failure of its own and is not tried again. */
export async function* work(run: Run, signal: AbortSignal): AsyncGenerator<ProviderEvent> {
  const words = WORDS[languageOf(run.task.prompt)];
  const command = readCommand(run);
  if (command === null) {
    yield failure({ failureReason: "error", error: words.noCommand, retryable: false });
    return;
  }
  if (signal.aborted) {
    yield failure({ failureReason: stopReason(signal), error: words.stopped(false), retryable: true });
    return;
  }
  try {
    yield* runCommand(command, run, signal, words);
  } catch (error) {
    // No process could be started, or nothing written (no memory, a full disk): the same run may succeed later.
    yield failure({ failureReason: "provider", error: String(error), retryable: true });
  }
}

function failure(failed: Omit<FailedEvent, "type" | "usage">): ProviderEvent {
  return { type: "failed", usage: NO_USAGE, ...failed };
}

/** A task is exactly one order with one command; anything else is for a model. */
function readCommand({ task, context }: Run): string | null {
  const [intent, ...others] = parseMessage(task.prompt, { nowMs: Date.parse(context.now), timeZone: "UTC" });
  if (intent?.kind !== "run" || others.length > 0) return null;
  const [command, ...rest] = intent.steps.flat();
  return rest.length === 0 ? (command ?? null) : null;
}

async function* runCommand(
  command: string,
  run: Run,
  signal: AbortSignal,
  words: Words,
): AsyncGenerator<ProviderEvent> {
  const upstream = await findUpstream(run);
  const input = upstream === null ? null : await open(upstream, "r");
  const output = await Output.create(join(run.runDir, OUTPUT_FILE));
  try {
    const ended = yield* follow(command, { run, signal, upstream, input, output });
    const result = { text: output.tail(), artifact: output.path };
    if (signal.aborted && ended.exitCode !== 0) {
      const failureReason = stopReason(signal);
      const error = words.stopped(failureReason === "timeout");
      yield failure({ failureReason, error, retryable: true, resultType: "text", result });
    } else if (ended.exitCode === 0) {
      yield { type: "done", status: "done", resultType: "text", result, usage: NO_USAGE };
    } else if (ended.signal !== undefined && ENDED_BY_OTHERS.includes(ended.signal)) {
      const error = words.signal(ended.signal);
      yield failure({ failureReason: "killed", error, retryable: true, resultType: "text", result });
    } else if (ended.exitCode === undefined && ended.signal === undefined) {
      throw ended.cause ?? new Error("the command could not be started");
    } else {
      const error = ended.signal === undefined ? words.exitCode(ended.exitCode ?? -1) : words.signal(ended.signal);
      yield failure({ failureReason: "error", error, retryable: false, resultType: "text", result });
    }
  } finally {
    await input?.close();
    await output.close();
  }
}

interface Stage {
  run: Run;
  signal: AbortSignal;
  upstream: string | null;
  input: FileHandle | null;
  output: Output;
}

interface Ended {
  exitCode?: number | undefined;
  signal?: string | undefined;
  cause?: unknown;
}

/** Runs the command and shows its last line now and then. When it returns, nothing of the command is left. */
async function* follow(command: string, stage: Stage): AsyncGenerator<ProviderEvent, Ended> {
  const { run, signal, upstream, input, output } = stage;
  const child = execa(command, {
    shell: true,
    cwd: run.workDir,
    env: environmentOf(run, upstream),
    extendEnv: false,
    // The command gets the file itself, not a pipe that we would have to feed and that `/dev/stdin` could not open.
    stdin: input?.createReadStream({ autoClose: false }) ?? "ignore",
    all: true,
    buffer: false,
    reject: false,
    encoding: "buffer",
    cancelSignal: signal,
    killDescendants: true,
    forceKillAfterDelay: TERM_MS,
  });
  // Where the shell is gone but its output does not end, something that it left in the background holds it open.
  let isCutLoose = false;
  let drain: NodeJS.Timeout | undefined;
  const cutLoose = () => {
    isCutLoose = true;
    endAll(child.pid, run).then(
      () => child.all.destroy(),
      (error: Error) => child.all.destroy(error),
    );
  };
  child.nodeChildProcess.once("exit", () => {
    drain = setTimeout(cutLoose, signal.aborted ? TERM_MS : DRAIN_MS);
  });
  try {
    yield* show(child.all, output);
  } catch (error) {
    if (!(isCutLoose && hasCode(error, "ERR_STREAM_PREMATURE_CLOSE"))) throw error;
  } finally {
    clearTimeout(drain);
    await endAll(child.pid, run);
  }
  return await child;
}

async function* show(stream: AsyncIterable<Buffer>, output: Output): AsyncGenerator<ProviderEvent> {
  let shownMs = Number.NEGATIVE_INFINITY;
  for await (const chunk of stream) {
    await output.add(chunk);
    const nowMs = performance.now();
    const step = nowMs - shownMs >= PROGRESS_MS_MIN ? output.lastLine() : "";
    if (step === "") continue;
    shownMs = nowMs;
    yield { type: "progress", step };
  }
}

/** Ends what is left of the command: its process group, and whatever carries the mark of this run. */
async function endAll(pid: number | undefined, { environment }: Run): Promise<void> {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (!hasCode(error, "ESRCH", "EPERM")) throw error;
  }
  const mark = environment[MARK_VARIABLE];
  if (mark !== undefined && (await findMarked(mark)).length > 0) await killMarked(mark);
}

function environmentOf(run: Run, upstream: string | null): Record<string, string> {
  const allowed = ENVIRONMENT_ALLOWED.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(allowed),
    ...(upstream !== null && { [UPSTREAM_VARIABLE]: upstream }),
    ...run.environment,
  };
}

/** The file with what the earlier tasks printed: the artifact of a single one where it still exists, else written anew. */
async function findUpstream({ task, runDir }: Run): Promise<string | null> {
  const [first, ...others] = task.upstream;
  if (first === undefined) return null;
  const artifact = RESULT_SCHEMAS.text.safeParse(first.result).data?.artifact;
  if (others.length === 0 && artifact !== undefined && (await isFile(artifact))) return artifact;
  const path = join(runDir, UPSTREAM_FILE);
  await writeFile(path, task.upstream.map(textOf).join("\n"), { mode: 0o600 });
  return path;
}

function textOf({ resultType, result }: Report): string {
  const text = resultType === "text" ? RESULT_SCHEMAS.text.safeParse(result).data?.text : undefined;
  return text ?? JSON.stringify(result, null, 2);
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return false;
    throw error;
  }
}
