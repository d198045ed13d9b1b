/** One attempt of one task: its context, its folder, its mark, its time limit and its stream around the provider. */

import { mkdirSync } from "node:fs";
import { mkdir, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Gate } from "@mimikit/agent/approval/gate";
import type { ToolCallRecord } from "@mimikit/agent/bus";
import type { DocumentAccess } from "@mimikit/agent/documents/document-text";
import { copyEvidence } from "@mimikit/agent/prompt/evidence";
import type { SandboxMode } from "@mimikit/agent/provider";
import type { Answerers } from "@mimikit/agent/providers/index";
import { definitionOf, isResumable } from "@mimikit/agent/roles/index";
import type { Circuits } from "@mimikit/agent/run/circuit";
import { priceOf } from "@mimikit/agent/run/reservation";
import { type RunOutcome, runTask } from "@mimikit/agent/run/run-task";
import { takeLeft } from "@mimikit/agent/shell/lifeline";
import { inheritTemporary, removeAllButInherited, removeTemporary } from "@mimikit/agent/shell/temporary";
import { readGuides } from "@mimikit/agent/skills/guides";
import type { Steering } from "@mimikit/agent/steering";
import type { Context } from "@mimikit/agent/tools/context";
import type { Web } from "@mimikit/agent/web/web";
import { addSpending, isLimited, type Limit, overrun, type Spending, spendingOf } from "@mimikit/core/base/budget";
import { failedResult } from "@mimikit/core/tasks/finish";
import { timeLimitSec } from "@mimikit/core/tasks/retry";
import { KINDS, ROLES } from "@mimikit/protocol/base/kind";
import { NO_USAGE, type Price, priced, type Usage, type UsageLine } from "@mimikit/protocol/base/usage";
import type { AuditEvent } from "@mimikit/protocol/records/audit";
import { isForPool, isImprovement, isTurn, type Task } from "@mimikit/protocol/records/task";
import type { StreamLine } from "@mimikit/protocol/wire/stream";
import type { Config } from "@mimikit/runtime/config/config";
import { isFree } from "@mimikit/runtime/config/providers";
import { MARK_VARIABLE, markOf } from "@mimikit/runtime/process/marked-processes";
import { runPath, streamPath } from "@mimikit/store/disk/state";
import type { UsageLog } from "@mimikit/store/views/usage-log";
import { type Allotted, hasNone, lineOf } from "../claim/allot.ts";
import { isFleeting, keepClaim } from "../claim/claim.ts";
import { Unimprovable } from "../improve/git.ts";
import { land } from "../improve/land.ts";
import type { MoveOptions } from "../improve/move-forward.ts";
import { assertImprovable, openRunWorktree, type RunWorktree } from "../improve/run-worktree.ts";
import type { StepContext } from "../improve/step-context.ts";
import { unmerge } from "../improve/unmerge.ts";
import type { ExternalServers } from "./external.ts";
import { type GateSources, gateOf } from "./gate-of.ts";
import { gatherContext, type Sources } from "./gather-context.ts";
import { spentEarlier } from "./spent-earlier.ts";
import { openStream } from "./stream-file.ts";
import { ToolTally } from "./tool-tally.ts";
import { openTranscript } from "./transcript-file.ts";

/** The provider of work that no model is asked for. */
const CODE = "code";

export interface RunDeps extends Sources {
  /** The provider and its fallbacks. */
  answerersOf(task: Task): Answerers;
  circuits: Circuits;
  /** Milliseconds of a clock that never jumps: that of the circuits. */
  monotonicMs(): number;
  /** By the name of the model. */
  prices: Record<string, Price>;
  /** The limit of one task, all its attempts together. */
  taskLimit: Limit;
  usageLog: UsageLog;
  /** Never throws: an outcome is worth more than the note of what it cost. */
  noteUsage(line: UsageLine): void;
  onToolCall(task: Task, call: ToolCallRecord): void;
  sandbox: SandboxMode;
  autonomy: GateSources["autonomy"];
  isOwnersWords(): boolean;
  /** The part of the web that a Worker may load; nothing if not given. */
  web?: Web;
  /** The tools that are not ours. */
  outside: Pick<ExternalServers, "of">;
  improve: Config["selfImprove"];
  /** The cost of earlier attempts, if another home knows it; else the usage log of this one says it. */
  spentBefore?: Spending;
  /** Is this the machine that a task names? */
  isOfPool?: boolean;
  /** May it begin? Asked when all is prepared, if another home decides it. Throws what the disk throws. */
  begin?(): Promise<boolean>;
  /** Each stream line goes there as well as into its file. */
  onLine?(line: StreamLine): void;
  /** Permission to act without asking, if another home decides it; else the settings here do. */
  gateFor?(task: Task, cwd: string, runDir: string): Gate | undefined;
  /** The problem of the running system; null while all is well. */
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
  deps: RunDeps,
): Promise<RunOutcome> {
  try {
    if (KINDS[candidate.task.kind].runner === "pool") return await runCode(candidate, steering, deps);
    const elsewhere = deps.isOfPool === true ? null : nowhereFor(candidate.task);
    if (elsewhere !== null)
      return unrun(candidate, { failureReason: "error", error: elsewhere, retryable: false }, steering, deps);
    return await run(candidate, steering, stop, deps);
  } catch (error) {
    if (error instanceof Unimprovable)
      return unrun(candidate, { failureReason: "error", error: error.message, retryable: false }, steering, deps);
    deps.onError(error);
    const message = error instanceof Error ? error.message : String(error);
    return unrun(candidate, { failureReason: "error", error: message, retryable: true }, steering, deps);
  }
}

/** Why a task that names another machine is not run here; null for all others. It never runs here instead. */
function nowhereFor(task: Task): string | null {
  if (!isForPool(task)) return null;
  return `no machine of this home is called ${task.pool}: see  mimikit pools`;
}

/** The end of a run that its home did not let begin: it is told to no one. */
const NOT_PERMITTED = { failureReason: "cancelled", error: "it was not permitted to begin", retryable: false } as const;

/** An attempt that asked no provider, or whose provider is not what went wrong. */
function unrun(
  { task, attempt }: Allotted,
  failure: Required<Pick<RunOutcome, "failureReason" | "error" | "retryable">>,
  steering: Steering,
  { nowMs, providers }: RunDeps,
): RunOutcome {
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

/** The end of an improvement, and the undoing of one: no provider is asked. */
async function runCode(candidate: Allotted, steering: Steering, deps: RunDeps): Promise<RunOutcome> {
  const { task, attempt } = candidate;
  const { improve, problemOf, audit } = deps;
  const context = await stepContextOf(candidate, deps);
  const options: MoveOptions = {
    home: deps.home,
    problemOf,
    audit: (event, detail) => audit({ event, taskId: task.id, traceId: task.traceId, attempts: attempt, detail }),
  };
  const done =
    task.kind === "improve-undo"
      ? { resultType: "unmerging" as const, result: await unmerge(task, context, options) }
      : { resultType: "landing" as const, result: await land(task, context, { ...options, mayMerge: improve.merge }) };
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

async function stepContextOf({ task, attempt }: Allotted, { home, workDir }: RunDeps): Promise<StepContext> {
  const runDir = join(home, runPath(task.id, attempt));
  await mkdir(runDir, { recursive: true, mode: 0o700 });
  const environment = { [MARK_VARIABLE]: markOf(home, task.id, attempt) };
  return { home: await realpath(home), workDir, runDir, environment };
}

/** Where a step of self-improvement is at work; null for the steps, and all other tasks, that need no place of their own. */
async function worktreeOf(candidate: Allotted, deps: RunDeps): Promise<RunWorktree | null> {
  const { task } = candidate;
  if (task.kind === "improve-look") await assertImprovable(await stepContextOf(candidate, deps));
  if (task.kind !== "improve-work") return null;
  return openRunWorktree(task, await stepContextOf(candidate, deps), deps.improve);
}

async function run(candidate: Allotted, steering: Steering, stop: AbortSignal, deps: RunDeps): Promise<RunOutcome> {
  const { task, attempt, earlier } = candidate;
  const { home, workDir, onError } = deps;
  const overBudget = taskBudget(task, deps);
  const problem = overBudget(NO_USAGE, undefined);
  if (problem !== null)
    return unrun(candidate, { failureReason: "budget", error: problem, retryable: false }, steering, deps);
  const runDir = await makeRunDir(candidate, home);
  if (attempt > 1 && isResumable(task)) await inheritTemporary(join(home, runPath(task.id, attempt - 1)), runDir);
  const worktree = await worktreeOf(candidate, deps);
  const stream = openStream(home, task.id, onError);
  const transcript = openTranscript(home, task.id, attempt, onError);
  const tally = new ToolTally();
  const keep = keeper(candidate, deps);
  let isAnswered = false;
  const limitMs = timeLimitSec(task, deps.timeLimitOf(task), earlier) * 1_000;
  const prepare = async (signal: AbortSignal) => {
    const answerers = deps.answerersOf(task);
    // Its cost will be known by the number of the attempt: the claim becomes durable while the model thinks.
    if (answerers.providers.some(({ name }) => !isFree(name))) void keep();
    const place = {
      task,
      workDir: worktree?.workDir ?? workDir,
      home,
      // The user's tree is safe in the sandbox alone.
      sandbox: isImprovement(task) ? ("required" as const) : deps.sandbox,
      ...(worktree !== null && { protect: worktree.protect }),
      runDir,
      environment: { [MARK_VARIABLE]: markOf(home, task.id, attempt), ...worktree?.environment },
    };
    const { fs, cache, autonomy } = deps;
    const isOwnersWords = deps.isOwnersWords();
    const { gateFor } = deps;
    const gate =
      gateFor === undefined
        ? await gateOf(task, place.workDir, { fs, cache, autonomy, isOwnersWords, onError })
        : gateFor(task, place.workDir, runDir);
    const [external, context] = await Promise.all([
      deps.outside.of(place, signal),
      contextOf(candidate, { ...place, fs }, signal, deps),
    ]);
    return { ...place, ...(gate !== undefined && { gate }), answerers, external, context };
  };
  // The answer of another home may take hours, which are not of the run.
  const prepared = deps.begin === undefined ? undefined : prepare(stop);
  prepared?.catch(() => undefined);
  const mayBegin = (await deps.begin?.()) ?? true;
  const { ran, isStopped } = await within(limitMs, stop, async (signal) => {
    if (!mayBegin) return unrun(candidate, NOT_PERMITTED, steering, deps);
    return runTask(
      {
        ...(await (prepared ?? prepare(signal))),
        ...(deps.web !== undefined && { web: deps.web }),
        attempt,
        circuits: deps.circuits,
        monotonicMs: deps.monotonicMs,
        steering,
        onToolCall: (call) => {
          tally.note(call);
          deps.onToolCall(task, call);
        },
        // A reply is what a turn says; its calls are in the session.
        tell: (told) => {
          if (!isTurn(task)) transcript.add(told);
        },
        onStream: (line) => {
          if (line.type === "delta" || line.type === "thought") isAnswered = true;
          stream.write(line);
          deps.onLine?.(line);
        },
        overBudget,
      },
      signal,
    );
  });
  await stream.end();
  await transcript.end();
  const usage = priced(ran.usage, priceOf(ran.model, deps.prices));
  // It has cost that, whatever the disk makes of what follows.
  await noteUsage(candidate, { ...ran, usage }, tally, isAnswered || isStopped, keep, deps);
  const concluded = { ...(worktree === null ? ran : await worktree.conclude(ran, stop)), usage };
  // The next attempt goes on with the same session, and finds what it left there.
  const goesOn = ran.asks !== undefined || ran.failureReason === "interrupted" || ran.isOutage === true;
  if (!goesOn) await removeTemporary(runDir).catch(onError);
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

/** The guides of the tree that a Worker is in. One that does not count is told once for each run. */
async function guidesFor(task: Task, workDir: string, { home, audit }: RunDeps): Promise<Pick<Context, "guides">> {
  if (!definitionOf(task).sections.includes("guides")) return {};
  const { guides, problems } = await readGuides(workDir, home);
  for (const detail of problems) audit({ event: "guide_refused", taskId: task.id, traceId: task.traceId, detail });
  return { guides };
}

/** The context of a run, its files with it. A Worker gets copies of them in the folder of its run: it can read nothing else of the state directory. */
async function contextOf(
  { task }: Allotted,
  place: DocumentAccess & { runDir: string },
  signal: AbortSignal,
  deps: RunDeps,
): Promise<Context> {
  const { evidence, ...gathered } = await gatherContext(task, place.runDir, deps);
  const context = { ...gathered, ...(await guidesFor(task, place.workDir, deps)) };
  if (evidence === undefined) return context;
  const { readTexts } = await import("@mimikit/agent/documents/document-text");
  const read = await readTexts(evidence, place, signal);
  return { ...context, evidence: ROLES[task.role].hasWorkspace ? await copyEvidence(read, place.runDir) : read };
}

/**
 * Says why no more may be spent on the task, if so, of what this attempt has used so far. Turns have no such budget: the
 * user waits for what they say.
 */
function taskBudget(task: Task, deps: RunDeps): TaskBudget {
  const { taskLimit, prices } = deps;
  if (isTurn(task) || !isLimited(taskLimit)) return () => null;
  const earlier = deps.spentBefore ?? spentEarlier(task, deps);
  return (usage, model) => overrun(taskLimit, addSpending(earlier, spendingOf(priced(usage, priceOf(model, prices)))));
}

type TaskBudget = (usage: Usage, model: string | undefined) => string | null;

/** Keeps the claim, once. It never throws: an outcome is worth more than the number that it is known by. */
function keeper(candidate: Allotted, { fs, onError }: RunDeps): () => Promise<void> {
  let kept: Promise<void> | undefined;
  return () => {
    kept ??= keepClaim(candidate, fs).catch(onError);
    return kept;
  };
}

/** One line for each attempt that has something to say. @param isBegun it may have cost something that it cannot tell. */
async function noteUsage(
  candidate: Allotted,
  outcome: RunOutcome,
  tally: ToolTally,
  isBegun: boolean,
  keep: () => Promise<void>,
  deps: RunDeps,
): Promise<void> {
  const ran = { outcome, isBegun, isFree: isFree(outcome.provider), tools: tally.total };
  const line = lineOf(candidate, ran, deps.nowMs());
  if (line === null) return;
  // The line is known by the number of the attempt, which no other may have after it.
  await keep();
  deps.noteUsage(line);
}

/** An attempt that was an outage has nothing to show: however long it lasts, it leaves one record behind. */
async function forget({ id }: Task, attempt: number, outcome: RunOutcome, home: string): Promise<void> {
  if (!hasNone(outcome.usage)) return;
  await removeAllButInherited(join(home, runPath(id, attempt)));
  await rm(join(home, streamPath(id)), { force: true });
}
