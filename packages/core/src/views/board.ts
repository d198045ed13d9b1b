/** Tasks and triggers as people see them: one line each, whatever directory they are in. */

import { compareTaskIds } from "@mimikit/protocol/base/id";
import { KINDS } from "@mimikit/protocol/base/kind";
import type { Claim } from "@mimikit/protocol/records/claim";
import type { Result } from "@mimikit/protocol/records/result";
import type { Task } from "@mimikit/protocol/records/task";
import type { DependentTask, Trigger } from "@mimikit/protocol/records/trigger";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import type { TaskState, TaskSummary, TriggerSummary } from "@mimikit/protocol/wire/api";
import { needsOf } from "../conditions/index.ts";
import { nextFiring } from "../triggers/occurrence.ts";

/** The shown prompt of a task or a trigger in a list. */
export const BOARD_PROMPT_CHARS = 500;

export interface BoardFacts {
  queue: ReadonlyMap<string, Task>;
  dependents: ReadonlyMap<string, DependentTask>;
  results: ReadonlyMap<string, Result>;
  /** The newest claim of a task, if it has one and has not failed since. */
  runningClaimOf(id: string): Claim | undefined;
  attemptsOf(id: string): number;
  /** When the rate limit ends that the task waits for, as an ISO time. */
  limitedUntilOf(id: string): string | undefined;
}

/** Every requested task that is in some directory now, newest first. */
export function boardOf(facts: BoardFacts): TaskSummary[] {
  const rows = new Map<string, TaskSummary>();
  for (const dependent of facts.dependents.values()) rows.set(dependent.id, waitingSummary(dependent));
  for (const task of facts.queue.values()) if (isOnBoard(task)) rows.set(task.id, openSummary(task, facts));
  for (const result of facts.results.values()) if (isOnBoard(result.task)) rows.set(result.id, summaryOf(result));
  return [...rows.values()].sort((a, b) => compareTaskIds(b.id, a.id));
}

/**
 * Is this a task that lists show? Turns are the chat itself, batches of conditions belong to what waits for them, and
 * memory is kept in order without a request.
 */
export function isOnBoard({ kind }: Task): boolean {
  return KINDS[kind].part === "order" || KINDS[kind].part === "improvement";
}

/** Was it requested, by a user or by a trigger? A step of self-improvement is on the board, though it was not requested. */
export function isOrdered({ kind }: Task): boolean {
  return KINDS[kind].part === "order";
}

/** An ended task. */
export function summaryOf(result: Result): TaskSummary {
  const { startedAt, failureReason, error, provider, model } = result;
  return {
    ...baseOf(result.task, result.failureReason === "cancelled" ? "cancelled" : result.status),
    attempts: result.attempts,
    completedAt: result.completedAt,
    usage: result.usage,
    ...(startedAt !== undefined && { startedAt }),
    ...(failureReason !== undefined && { failureReason }),
    ...(error !== undefined && { error }),
    ...(provider !== undefined && { provider }),
    ...(model !== undefined && { model }),
  };
}

/** A task that waits for a free place or runs, on the board or not. */
export function openSummary(
  task: Task,
  facts: Pick<BoardFacts, "runningClaimOf" | "attemptsOf" | "limitedUntilOf">,
): TaskSummary {
  const claim = facts.runningClaimOf(task.id);
  const limitedUntil = facts.limitedUntilOf(task.id);
  return {
    ...baseOf(task, claim === undefined ? "queued" : "running"),
    attempts: facts.attemptsOf(task.id),
    ...(claim !== undefined && { startedAt: claim.at }),
    ...(limitedUntil !== undefined && { limitedUntil }),
  };
}

/** A task that waits for its condition. */
export function waitingSummary({ task, condition }: DependentTask): TaskSummary {
  const after = needsOf(condition).tasks;
  return { ...baseOf(task, "waiting"), ...(after.length > 0 && { after }) };
}

function baseOf(task: Task, state: TaskState): TaskSummary {
  const { id, role, type, title, prompt, priority, createdAt, traceId, parentId, triggerId, againOf } = task;
  const after = task.upstream.map((report) => report.id);
  return {
    id,
    role,
    type,
    title,
    prompt: beginningOf(prompt, BOARD_PROMPT_CHARS),
    state,
    priority,
    attempts: 0,
    createdAt,
    traceId,
    ...(parentId !== undefined && { parentId }),
    ...(triggerId !== undefined && { triggerId }),
    ...(againOf !== undefined && { againOf }),
    ...(after.length > 0 && { after }),
  };
}

/** A trigger. */
export function triggerSummary(trigger: Trigger): TriggerSummary {
  const { id, type, title, prompt, target, priority, createdAt, parentId, paused, budget, pool, recent } = trigger;
  const nextMs = nextFiring(trigger);
  return {
    id,
    type,
    title,
    prompt: beginningOf(prompt, BOARD_PROMPT_CHARS),
    target,
    priority,
    createdAt,
    ...(parentId !== undefined && { parentId }),
    paused,
    ...(trigger.type === "recurring" && { schedule: trigger.schedule, missed: trigger.missed, last: trigger.last }),
    ...(trigger.type === "scheduled" && { runAt: trigger.runAt, missed: trigger.missed }),
    ...(trigger.type === "conditional" && { condition: trigger.condition, cooldownSec: trigger.cooldownSec }),
    ...(trigger.type === "conditional" && trigger.stableSec !== undefined && { stableSec: trigger.stableSec }),
    ...(budget !== undefined && { budget }),
    ...(pool !== undefined && { pool }),
    next: nextMs === null ? null : new Date(nextMs).toISOString(),
    recent,
  };
}
