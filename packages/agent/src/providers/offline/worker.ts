/**
 * The Worker without a model: its task is one command, and it runs it in the workspace. Nothing of the command outlives
 * the run: whatever it left behind, in its process group or out of it, is gone before the result is told.
 *
 * The output of an earlier task of the chain is the command's standard input, and MIMIKIT_UPSTREAM names the file that
 * holds it. Without an earlier task the input is empty.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Report } from "@mimikit/protocol/base/report";
import { NO_USAGE } from "@mimikit/protocol/base/usage";
import { RESULT_SCHEMAS } from "@mimikit/protocol/records/result";
import { boundsFor, reachesOf } from "../../approval/command-reach.ts";
import { type FailedEvent, type ProviderEvent, type Run, stopReason } from "../../provider.ts";
import { followsReadOnly } from "../../roles/index.ts";
import { artifactOf } from "../../shell/artifact.ts";
import { describeEnd, runCommand } from "../../shell/command.ts";
import { Output } from "../../shell/output.ts";
import type { Ended } from "../../shell/run-child.ts";
import { boundsOf, SandboxMissing } from "../../shell/sandbox.ts";
import { parseMessage } from "./parse.ts";
import { languageOf, WORDS, type Words } from "./words.ts";

export const OUTPUT_FILE = "output.txt";
export const UPSTREAM_FILE = "upstream.txt";
/** The variable with the path of what the earlier task printed. */
export const UPSTREAM_VARIABLE = "MIMIKIT_UPSTREAM";

/** The end of the output that goes into the result. */
const OUTPUT_TAIL_BYTES_MAX = 65_536;
const PROGRESS_MS_MIN = 200;
/** Its only tool, and the only call of it. */
const SHELL = "shell";
const NOTHING_DECLARED = { network: false, outside: false };
/** Signals with which other processes end one; any other is the command's own fault. */
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
  const stopped = await judge(command, run);
  if (stopped !== null) {
    yield stopped;
    return;
  }
  try {
    yield* perform(command, run, signal, words);
  } catch (error) {
    if (error instanceof SandboxMissing) {
      yield failure({ failureReason: "error", error: error.message, retryable: false });
      return;
    }
    // No process could be started, or nothing written (no memory, a full disk): the same run may succeed later.
    yield failure({ failureReason: "provider", error: String(error), retryable: true });
  }
}

/** A command that came by a model is held as if the model ran it. @returns how the run ends where it may not be made now. */
async function judge(command: string, { gate, sandbox }: Run): Promise<ProviderEvent | null> {
  if (gate === undefined || gate.leave.isOwnersWords) return null;
  const reaches = await reachesOf(NOTHING_DECLARED, gate.mode, sandbox);
  const judged = await gate.judge(SHELL, { command }, { reaches, shown: command, command });
  if (judged === "allowed") return null;
  if ("asked" in judged) return failure({ failureReason: "needs_approval", error: command, retryable: true });
  return failure({ failureReason: "error", error: judged.refused, retryable: false });
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

async function* perform(command: string, run: Run, signal: AbortSignal, words: Words): AsyncGenerator<ProviderEvent> {
  const upstream = await findUpstream(run);
  const output = await Output.create(join(run.runDir, OUTPUT_FILE), OUTPUT_TAIL_BYTES_MAX);
  const environment = { ...run.environment, ...(upstream !== null && { [UPSTREAM_VARIABLE]: upstream }) };
  try {
    const held =
      run.gate === undefined || run.gate.leave.isOwnersWords ? {} : boundsFor(NOTHING_DECLARED, run.gate.mode);
    const options = {
      bounds: { ...(await boundsOf(run)), ...held, ...(followsReadOnly(run.task) && { isOffline: true }) },
      environment,
      output,
      ...(upstream !== null && { input: upstream }),
    };
    run.tell({ type: "call", id: SHELL, tool: SHELL, input: command });
    const ended = yield* show(runCommand(command, options, signal));
    const result = { text: output.tail(), artifact: output.path };
    const isDone = ended.exitCode === 0;
    const text = isDone || ended.cause !== undefined ? result.text : `${result.text}\n(${describeEnd(ended)})`;
    run.tell({ type: "output", id: SHELL, ok: isDone, text });
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
    await output.close();
  }
}

/** Shows the last line of the command now and then. */
async function* show(lines: AsyncGenerator<string, Ended>): AsyncGenerator<ProviderEvent, Ended> {
  let shownMs = Number.NEGATIVE_INFINITY;
  try {
    for (;;) {
      const next = await lines.next();
      if (next.done === true) return next.value;
      const nowMs = performance.now();
      if (next.value === "" || nowMs - shownMs < PROGRESS_MS_MIN) continue;
      shownMs = nowMs;
      yield { type: "progress", step: next.value };
    }
  } finally {
    // A reader that stops listening ends the command too.
    await lines.return({});
  }
}

/** The file with what the earlier tasks printed: the artifact of a single one where it still exists, else written again. */
async function findUpstream({ task, home, runDir }: Run): Promise<string | null> {
  const [first, ...others] = task.upstream;
  if (first === undefined) return null;
  const artifact = others.length === 0 ? await artifactOf(first, home) : null;
  if (artifact !== null) return artifact;
  const path = join(runDir, UPSTREAM_FILE);
  await writeFile(path, task.upstream.map(textOf).join("\n"), { mode: 0o600 });
  return path;
}

function textOf({ resultType, result }: Report): string {
  const text = resultType === "text" ? RESULT_SCHEMAS.text.safeParse(result).data?.text : undefined;
  return text ?? JSON.stringify(result, null, 2);
}
