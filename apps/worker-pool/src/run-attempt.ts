/** One attempt of one task: its context, its folder, its mark, its time limit and its stream around the provider. */
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ToolCallRecord } from "@mimikit/agent/bus";
import type { Circuits } from "@mimikit/agent/circuit";
import type { Answerers } from "@mimikit/agent/providers/index";
import { type Outcome, runTask } from "@mimikit/agent/run-task";
import type { SandboxMode } from "@mimikit/agent/sandbox";
import type { Steering } from "@mimikit/agent/steering";
import type { Candidate } from "@mimikit/core/dispatch";
import { failedResult } from "@mimikit/core/finish";
import { timeLimitSec } from "@mimikit/core/retry";
import type { Role } from "@mimikit/protocol/role";
import type { Task } from "@mimikit/protocol/task";
import { NO_USAGE, type Price, priced } from "@mimikit/protocol/usage";
import { MARK_VARIABLE, markOf } from "@mimikit/runtime/marked-processes";
import { runPath, streamPath } from "@mimikit/store/state";
import { gatherContext, type Sources } from "./gather-context.ts";
import { openStream } from "./stream-file.ts";
import { ToolTally } from "./tool-tally.ts";
import { recordUsage } from "./usage-file.ts";

export interface Workshop extends Sources {
  /** Who answers, and who stands in. */
  answerersOf(role: Role): Answerers;
  circuits: Circuits;
  /** Milliseconds of a clock that never jumps: that of the circuits. */
  monotonicMs(): number;
  /** By the name of the model. */
  prices: Readonly<Record<string, Price>>;
  onToolCall(task: Task, call: ToolCallRecord): void;
  sandbox: SandboxMode;
  /** Seconds, by role. */
  timeLimits: Record<Role, number>;
  onError(error: unknown): void;
}

/**
 * Never throws: what goes wrong around the provider is a failed attempt too.
 * @param stop aborts with "cancelled" or "interrupted".
 */
export async function runAttempt(
  candidate: Candidate,
  steering: Steering,
  stop: AbortSignal,
  workshop: Workshop,
): Promise<Outcome> {
  try {
    return await run(candidate, steering, stop, workshop);
  } catch (error) {
    workshop.onError(error);
    const message = error instanceof Error ? error.message : String(error);
    const { resultType, effects } = failedResult(candidate.task, "error", message, workshop.nowMs(), candidate.attempt);
    const provider = workshop.providers[candidate.task.role];
    return {
      status: "failed",
      failureReason: "error",
      error: message,
      retryable: true,
      resultType,
      result: null,
      effects,
      steers: steering.taken,
      usage: NO_USAGE,
      provider,
    };
  }
}

async function run(candidate: Candidate, steering: Steering, stop: AbortSignal, workshop: Workshop): Promise<Outcome> {
  const { task, attempt, earlier } = candidate;
  const { home, workDir, onError } = workshop;
  const runDir = join(home, runPath(task.id, attempt));
  await mkdir(runDir, { recursive: true, mode: 0o700 });
  const stream = await openStream(home, task.id, onError);
  const tally = new ToolTally();
  const limitMs = timeLimitSec(task, workshop.timeLimits, earlier) * 1_000;
  const ran = await runTask(
    {
      task,
      attempt,
      answerers: workshop.answerersOf(task.role),
      circuits: workshop.circuits,
      monotonicMs: workshop.monotonicMs,
      context: await gatherContext(task, workshop),
      workDir,
      home,
      sandbox: workshop.sandbox,
      runDir,
      environment: { [MARK_VARIABLE]: markOf(home, task.id, attempt) },
      steering,
      onToolCall: (call) => {
        tally.note(call);
        workshop.onToolCall(task, call);
      },
      onStream: (line) => stream.write(line),
    },
    AbortSignal.any([stop, AbortSignal.timeout(limitMs)]),
  );
  await stream.end();
  const outcome = { ...ran, usage: priced(ran.usage, priceOf(ran.model, workshop.prices)) };
  noteUsage(candidate, outcome, tally, workshop);
  if (outcome.isOutage === true) await forget(task, attempt, outcome, home).catch(onError);
  return outcome;
}

function priceOf(model: string | undefined, prices: Workshop["prices"]): Price | undefined {
  return model !== undefined && Object.hasOwn(prices, model) ? prices[model] : undefined;
}

/** An outcome is worth more than the note of what it cost: a disk that refuses the note costs only the note. */
function noteUsage({ task, attempt }: Candidate, outcome: Outcome, tally: ToolTally, workshop: Workshop): void {
  const { usage, provider, model } = outcome;
  const tools = tally.total;
  if (isFree(outcome) && tools === null) return;
  const at = new Date(workshop.nowMs()).toISOString();
  const { id: taskId, role } = task;
  try {
    recordUsage(workshop.home, {
      at,
      taskId,
      attempt,
      role,
      provider,
      ...(model !== undefined && { model }),
      ...usage,
      ...(tools !== null && { tools }),
    });
  } catch (error) {
    workshop.onError(error);
  }
}

function isFree({ usage }: Outcome): boolean {
  return Object.values(usage).every((value) => value === 0);
}

/** An attempt that reached nobody has nothing to show: however long an outage lasts, it leaves one record behind. */
async function forget({ id }: Task, attempt: number, outcome: Outcome, home: string): Promise<void> {
  if (!isFree(outcome)) return;
  await rm(join(home, runPath(id, attempt)), { recursive: true, force: true });
  await rm(join(home, streamPath(id)), { force: true });
}
