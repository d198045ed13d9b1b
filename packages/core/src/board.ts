/** Tasks as people see them: one line each, whatever directory they are in. */

import type { TaskState, TaskSummary } from "@mimikit/protocol/api";
import type { Claim } from "@mimikit/protocol/claim";
import { compareTaskIds } from "@mimikit/protocol/id";
import type { Result } from "@mimikit/protocol/result";
import type { Task } from "@mimikit/protocol/task";
import type { Link } from "@mimikit/protocol/trigger";
import { needsOf } from "./conditions/index.ts";

/** The shown prompt of a task in a list. */
export const BOARD_PROMPT_CHARS = 500;

export interface BoardFacts {
  queue: ReadonlyMap<string, Task>;
  links: ReadonlyMap<string, Link>;
  results: ReadonlyMap<string, Result>;
  /** The newest claim of a task, if it has one and has not failed since. */
  runningClaimOf(id: string): Claim | undefined;
  attemptsOf(id: string): number;
}

/** Every task that is in some directory now, newest first. Teller turns are left out: they are the chat itself. */
export function boardOf(facts: BoardFacts): TaskSummary[] {
  const rows = new Map<string, TaskSummary>();
  for (const link of facts.links.values()) rows.set(link.id, waitingSummary(link));
  for (const task of facts.queue.values()) rows.set(task.id, queuedSummary(task, facts));
  for (const result of facts.results.values()) rows.set(result.id, summaryOf(result));
  return [...rows.values()].filter((row) => row.role !== "teller").sort((a, b) => compareTaskIds(b.id, a.id));
}

/** An ended task. */
export function summaryOf(result: Result): TaskSummary {
  const { startedAt, failureReason, error, provider } = result;
  return {
    ...baseOf(result.task, result.failureReason === "cancelled" ? "cancelled" : result.status),
    attempts: result.attempts,
    completedAt: result.completedAt,
    usage: result.usage,
    ...(startedAt !== undefined && { startedAt }),
    ...(failureReason !== undefined && { failureReason }),
    ...(error !== undefined && { error }),
    ...(provider !== undefined && { provider }),
  };
}

function queuedSummary(task: Task, facts: BoardFacts): TaskSummary {
  const claim = facts.runningClaimOf(task.id);
  return {
    ...baseOf(task, claim === undefined ? "queued" : "running"),
    attempts: facts.attemptsOf(task.id),
    ...(claim !== undefined && { startedAt: claim.at }),
  };
}

function waitingSummary({ task, condition }: Link): TaskSummary {
  const after = needsOf(condition).tasks[0];
  return { ...baseOf(task, "waiting"), ...(after !== undefined && { after }) };
}

function baseOf(task: Task, state: TaskState): TaskSummary {
  const { id, role, type, title, prompt, priority, createdAt, traceId, parentId, triggerId } = task;
  const after = task.upstream[0]?.id;
  return {
    id,
    role,
    type,
    title,
    prompt: prompt.slice(0, BOARD_PROMPT_CHARS),
    state,
    priority,
    attempts: 0,
    createdAt,
    traceId,
    ...(parentId !== undefined && { parentId }),
    ...(triggerId !== undefined && { triggerId }),
    ...(after !== undefined && { after }),
  };
}
