/** One attempt of one task: its context, its folder, its mark, its time limit and its stream around the provider. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { ToolCallRecord } from "@mimikit/agent/bus";
import type { Provider } from "@mimikit/agent/provider";
import { type Outcome, runTask } from "@mimikit/agent/run-task";
import type { Steering } from "@mimikit/agent/steering";
import type { Candidate } from "@mimikit/core/dispatch";
import { failedResult } from "@mimikit/core/finish";
import { timeLimitSec } from "@mimikit/core/retry";
import type { Role } from "@mimikit/protocol/role";
import type { Task } from "@mimikit/protocol/task";
import { NO_USAGE } from "@mimikit/protocol/usage";
import { MARK_VARIABLE, markOf } from "@mimikit/runtime/marked-processes";
import { runPath } from "@mimikit/store/state";
import { gatherContext, type Sources } from "./gather-context.ts";
import { openStream } from "./stream-file.ts";

export interface Workshop extends Sources {
  providerOf(role: Role): Provider;
  onToolCall(task: Task, call: ToolCallRecord): void;
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
  const stream = openStream(home, task.id, onError);
  const limitMs = timeLimitSec(task, workshop.timeLimits, earlier) * 1_000;
  const outcome = await runTask(
    {
      task,
      attempt,
      provider: workshop.providerOf(task.role),
      context: await gatherContext(task, workshop),
      workDir,
      home,
      runDir,
      environment: { [MARK_VARIABLE]: markOf(home, task.id, attempt) },
      steering,
      onToolCall: (call) => workshop.onToolCall(task, call),
      onStream: (line) => stream.write(line),
    },
    AbortSignal.any([stop, AbortSignal.timeout(limitMs)]),
  );
  await stream.end();
  return outcome;
}
