/** One attempt of one task: its context, its folder, its mark, its time limit and its stream around the provider. */

import { mkdirSync } from "node:fs";
import { mkdir, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ToolCallRecord } from "@mimikit/agent/bus";
import { layOut } from "@mimikit/agent/prompt/evidence";
import type { SandboxMode } from "@mimikit/agent/provider";
import type { Answerers } from "@mimikit/agent/providers/index";
import type { Circuits } from "@mimikit/agent/run/circuit";
import { priceOf } from "@mimikit/agent/run/reservation";
import { type Outcome, runTask } from "@mimikit/agent/run/run-task";
import { takeLeft } from "@mimikit/agent/shell/lifeline";
import type { Steering } from "@mimikit/agent/steering";
import type { Context } from "@mimikit/agent/tools/context";
import { addSpending, isLimited, type Limit, NO_SPENDING, overrun, spendingOf } from "@mimikit/core/base/budget";
import { failedResult } from "@mimikit/core/tasks/finish";
import { timeLimitSec } from "@mimikit/core/tasks/retry";
import { KINDS, ROLES } from "@mimikit/protocol/base/kind";
import { NO_USAGE, type Price, priced, type Usage, type UsageLine } from "@mimikit/protocol/base/usage";
import type { AuditEvent } from "@mimikit/protocol/records/audit";
import { isImprovement, isTurn, type Task } from "@mimikit/protocol/records/task";
import type { Config } from "@mimikit/runtime/config/config";
import { isFree } from "@mimikit/runtime/config/providers";
import { MARK_VARIABLE, markOf } from "@mimikit/runtime/process/marked-processes";
import { runPath, streamPath } from "@mimikit/store/disk/state";
import type { UsageBook } from "@mimikit/store/views/usage-book";
import { type Allotted, estimateOf } from "../claim/allot.ts";
import { isFleeting, keepClaim } from "../claim/claim.ts";
import { assertImprovable, type Bench, openBench } from "../improve/bench.ts";
import { Unimprovable } from "../improve/git.ts";
import { land } from "../improve/land.ts";
import type { MoveOptions } from "../improve/move-forward.ts";
import type { Site } from "../improve/site.ts";
import { unmerge } from "../improve/unmerge.ts";
import type { Outside } from "./external.ts";
import { gatherContext, type Sources } from "./gather-context.ts";
import { openStream } from "./stream-file.ts";
import { ToolTally } from "./tool-tally.ts";
import { openTranscript } from "./transcript-file.ts";

/** Who answers for what no model is asked for. */
const CODE = "code";

export interface Workshop extends Sources {
  /** Who answers, and who stands in. */
  answerersOf(task: Task): Answerers;
  circuits: Circuits;
  /** Milliseconds of a clock that never jumps: that of the circuits. */
  monotonicMs(): number;
  /** By the name of the model. */
  prices: Record<string, Price>;
  /** What one task may take, all its attempts together. */
  taskLimit: Limit;
  book: UsageBook;
  /** Never throws: an outcome is worth more than the note of what it cost. */
  noteUsage(line: UsageLine): void;
  onToolCall(task: Task, call: ToolCallRecord): void;
  sandbox: SandboxMode;
  /** The tools that are not ours. */
  outside: Pick<Outside, "of">;
  improve: Config["selfImprove"];
  /** What is wrong with the running system; null while all is well. */
  problemOf(): Promise<string | null>;
  audit(event: AuditEvent): void;
  /** Seconds that a run of this task may take, where it does not say so itself. */
  timeLimitOf(task: Task): number;
  onError(error: unknown): void;
}

/**
 * Never throws: what goes wrong around the provider is a failed attempt too.
 * @param stop aborts with "cancelled" or "interrupted".
 */
export async function runAttempt(
  candidate: Allotted,
  steering: Steering,
  stop: AbortSignal,
  workshop: Workshop,
): Promise<Outcome> {
  try {
    if (KINDS[candidate.task.kind].runner === "pool") return await runCode(candidate, steering, workshop);
    return await run(candidate, steering, stop, workshop);
  } catch (error) {
    if (error instanceof Unimprovable)
      return unrun(candidate, { failureReason: "error", error: error.message, retryable: false }, steering, workshop);
    workshop.onError(error);
    const message = error instanceof Error ? error.message : String(error);
    return unrun(candidate, { failureReason: "error", error: message, retryable: true }, steering, workshop);
  }
}

/** An attempt that nobody was asked for, or whose provider is not what went wrong. */
function unrun(
  { task, attempt }: Allotted,
  failure: Required<Pick<Outcome, "failureReason" | "error" | "retryable">>,
  steering: Steering,
  { nowMs, providers }: Workshop,
): Outcome {
  const { resultType, effects } = failedResult(task, failure.failureReason, failure.error, nowMs(), attempt);
  return {
    status: "failed",
    ...failure,
    resultType,
    result: null,
    effects,
    steers: steering.taken,
    usage: NO_USAGE,
    provider: providers[task.role],
  };
}

/** The end of an improvement, and the undoing of one: nobody is asked. */
async function runCode(candidate: Allotted, steering: Steering, workshop: Workshop): Promise<Outcome> {
  const { task, attempt } = candidate;
  const { improve, problemOf, audit } = workshop;
  const site = await siteOf(candidate, workshop);
  const options: MoveOptions = {
    home: workshop.home,
    problemOf,
    audit: (event, detail) => audit({ event, taskId: task.id, traceId: task.traceId, attempts: attempt, detail }),
  };
  const done =
    task.kind === "improve-undo"
      ? { resultType: "unmerging" as const, result: await unmerge(task, site, options) }
      : { resultType: "landing" as const, result: await land(task, site, { ...options, mayMerge: improve.merge }) };
  return {
    status: "done",
    ...done,
    retryable: false,
    effects: [],
    steers: steering.taken,
    usage: NO_USAGE,
    provider: CODE,
  };
}

async function siteOf({ task, attempt }: Allotted, { home, workDir }: Workshop): Promise<Site> {
  const runDir = join(home, runPath(task.id, attempt));
  await mkdir(runDir, { recursive: true, mode: 0o700 });
  const environment = { [MARK_VARIABLE]: markOf(home, task.id, attempt) };
  return { home: await realpath(home), workDir, runDir, environment };
}

/** Where a step of self-improvement is at work; null for the steps, and all other tasks, that need no place of their own. */
async function benchOf(candidate: Allotted, workshop: Workshop): Promise<Bench | null> {
  const { task } = candidate;
  if (task.kind === "improve-look") await assertImprovable(await siteOf(candidate, workshop));
  if (task.kind !== "improve-work") return null;
  return openBench(task, await siteOf(candidate, workshop), workshop.improve);
}

async function run(candidate: Allotted, steering: Steering, stop: AbortSignal, workshop: Workshop): Promise<Outcome> {
  const { task, attempt, earlier } = candidate;
  const { home, workDir, onError } = workshop;
  const overBudget = taskBudget(task, workshop);
  const problem = overBudget(NO_USAGE, undefined);
  if (problem !== null)
    return unrun(candidate, { failureReason: "budget", error: problem, retryable: false }, steering, workshop);
  const runDir = await makeRunDir(candidate, home);
  const bench = await benchOf(candidate, workshop);
  const stream = openStream(home, task.id, onError);
  const transcript = openTranscript(home, task.id, attempt, onError);
  const tally = new ToolTally();
  const keep = keeper(candidate, workshop);
  let isAnswered = false;
  const limitMs = timeLimitSec(task, workshop.timeLimitOf(task), earlier) * 1_000;
  const { ran, isStopped } = await within(limitMs, stop, async (signal) => {
    const answerers = workshop.answerersOf(task);
    // What it costs will be known by the number of the attempt: the claim becomes durable while the model thinks.
    if (answerers.providers.some(({ name }) => !isFree(name))) void keep();
    const place = {
      task,
      workDir: bench?.workDir ?? workDir,
      home,
      // The user's tree is safe in the sandbox alone.
      sandbox: isImprovement(task) ? ("required" as const) : workshop.sandbox,
      ...(bench !== null && { protect: bench.protect }),
      runDir,
      environment: { [MARK_VARIABLE]: markOf(home, task.id, attempt), ...bench?.environment },
    };
    return runTask(
      {
        ...place,
        attempt,
        answerers,
        external: await workshop.outside.of(place, signal),
        circuits: workshop.circuits,
        monotonicMs: workshop.monotonicMs,
        context: await reachable(await gatherContext(task, runDir, workshop), task, runDir),
        steering,
        onToolCall: (call) => {
          tally.note(call);
          workshop.onToolCall(task, call);
        },
        // A reply is what a turn says; its calls are in the session.
        tell: (told) => {
          if (!isTurn(task)) transcript.add(told);
        },
        onStream: (line) => {
          if (line.type === "delta" || line.type === "thought") isAnswered = true;
          stream.write(line);
        },
        overBudget,
      },
      signal,
    );
  });
  await stream.end();
  await transcript.end();
  const usage = priced(ran.usage, priceOf(ran.model, workshop.prices));
  // It has cost that, whatever the disk makes of what follows.
  await noteUsage(candidate, { ...ran, usage }, tally, isAnswered || isStopped, keep, workshop);
  const concluded = { ...(bench === null ? ran : await bench.conclude(ran, stop)), usage };
  const outcome = takeLeft(markOf(home, task.id, attempt)) ? { ...concluded, hasLeft: true } : concluded;
  if (outcome.isOutage === true) await forget(task, attempt, outcome, home).catch(onError);
  return outcome;
}

/** The scratch folder of the attempt, which is empty where a power loss has taken the claim of one that was there before. */
async function makeRunDir(candidate: Allotted, home: string): Promise<string> {
  const runDir = join(home, runPath(candidate.task.id, candidate.attempt));
  const make = () => mkdirSync(runDir, { recursive: true, mode: 0o700 });
  const isNew = make() !== undefined;
  if (!isNew && isFleeting(candidate)) {
    await rm(runDir, { recursive: true, force: true });
    make();
  }
  return runDir;
}

/** Does `work`, which `stop` and the limit tell to stop. The timer ends with it: `AbortSignal.timeout` would hold it for hours. */
async function within<Result>(
  limitMs: number,
  stop: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<{ ran: Result; isStopped: boolean }> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new DOMException("the time limit", "TimeoutError")), limitMs).unref();
  const signal = AbortSignal.any([stop, limit.signal]);
  try {
    return { ran: await work(signal), isStopped: signal.aborted };
  } finally {
    clearTimeout(timer);
  }
}

/** Of the state directory, a Worker may read nothing but the folder of its run. */
async function reachable(context: Context, { role }: Task, runDir: string): Promise<Context> {
  const { evidence } = context;
  if (!ROLES[role].hasWorkspace || evidence === undefined) return context;
  return { ...context, evidence: await layOut(evidence, runDir) };
}

/**
 * Says why no more may be spent on the task, if so, of what this attempt has used so far. Turns have no such budget: the
 * user waits for what they say.
 */
function taskBudget(task: Task, { taskLimit, book, mirror, prices, nowMs }: Workshop): TaskBudget {
  if (isTurn(task) || !isLimited(taskLimit)) return () => null;
  const [first] = mirror.attempts.get(task.id) ?? [];
  const since = first?.claim?.at ?? first?.failed?.at;
  const days = since === undefined ? [] : book.readSince(Date.parse(since), nowMs());
  const earlier = days.map((day) => day.spentByTask(task.id)).reduce(addSpending, NO_SPENDING);
  return (usage, model) => overrun(taskLimit, addSpending(earlier, spendingOf(priced(usage, priceOf(model, prices)))));
}

type TaskBudget = (usage: Usage, model: string | undefined) => string | null;

/** Keeps the claim, once. It never throws: an outcome is worth more than the number that it is known by. */
function keeper(candidate: Allotted, { fs, onError }: Workshop): () => Promise<void> {
  let kept: Promise<void> | undefined;
  return () => {
    kept ??= keepClaim(candidate, fs).catch(onError);
    return kept;
  };
}

/** One line for each attempt that has something to say. @param isBegun it may have cost something that it cannot tell. */
async function noteUsage(
  candidate: Allotted,
  outcome: Outcome,
  tally: ToolTally,
  isBegun: boolean,
  keep: () => Promise<void>,
  workshop: Workshop,
): Promise<void> {
  const { task, attempt, reserved } = candidate;
  const { usage, provider, model } = outcome;
  const tools = tally.total;
  // Whoever is stopped, or breaks off in the middle, may not have said what it took until then.
  const isUntold = isBegun && outcome.status === "failed" && isUnpaid(outcome) && !isFree(provider);
  const hasReserved = reserved !== undefined && (isUntold || outcome.isOutage !== true);
  if (isUnpaid(outcome) && tools === null && !hasReserved) return;
  const { id: taskId, role, triggerId } = task;
  const at = new Date(workshop.nowMs()).toISOString();
  const run = { at, taskId, attempt, role, provider, ...(model !== undefined && { model }) };
  const of = { ...run, ...(triggerId !== undefined && { triggerId }) };
  const line: UsageLine = isUntold && reserved !== undefined ? estimateOf(reserved, of) : { ...of, ...usage };
  // The line is known by the number of the attempt, which no other may have after it.
  await keep();
  workshop.noteUsage({ ...line, ...(tools !== null && { tools }) });
}

function isUnpaid({ usage }: Outcome): boolean {
  return Object.values(usage).every((value) => value === 0);
}

/** An attempt that reached nobody has nothing to show: however long an outage lasts, it leaves one record behind. */
async function forget({ id }: Task, attempt: number, outcome: Outcome, home: string): Promise<void> {
  if (!isUnpaid(outcome)) return;
  await rm(join(home, runPath(id, attempt)), { recursive: true, force: true });
  await rm(join(home, streamPath(id)), { force: true });
}
