/** A chain's link starts the moment its condition holds; if that never can, it ends too (SPEC C8, D2). */

import type { Link } from "@mimikit/protocol/trigger";
import type { Action } from "../action.ts";
import type { Verdict } from "../conditions/condition.ts";
import { judge, needsOf, withBaselines } from "../conditions/index.ts";
import { failedResult } from "../finish.ts";
import { factsAt, isCancelled, openLinks, type Snapshot } from "../snapshot.ts";

export function fire(snapshot: Snapshot, nowMs: number): Action[] {
  return openLinks(snapshot)
    .filter((link) => !isCancelled(snapshot, link.id))
    .flatMap((link) => fireOne(link, snapshot, nowMs));
}

function fireOne(link: Link, snapshot: Snapshot, nowMs: number): Action[] {
  const { condition, task } = link;
  const { tasks } = needsOf(condition);
  const facts = factsAt(snapshot, nowMs);
  const evidence = withBaselines(condition, facts, link.evidence);
  if (evidence !== null) return [{ type: "advance", trigger: { ...link, version: link.version + 1, evidence } }];
  const verdict = judge(condition, facts, link.evidence);
  if (verdict.holds === true) {
    const upstream = tasks.flatMap((taskId) => snapshot.outcomeOf(taskId) ?? []);
    return [{ type: "fire", task: { ...task, upstream } }];
  }
  if (isNever(verdict)) {
    const ended = tasks.flatMap((taskId) => snapshot.outcomeOf(taskId)?.title ?? []).map((title) => `"${title}"`);
    const error = `not run: ${ended.join(", ")} did not end as it needed`;
    return [{ type: "finish", result: failedResult(task, "cancelled", error, nowMs, 0) }];
  }
  const missing = tasks.find((taskId) => !exists(taskId, snapshot));
  if (missing === undefined || !isComplete(link, snapshot)) return [];
  const error = `it waits for a task that does not exist: ${missing}`;
  return [{ type: "finish", result: failedResult(task, "error", error, nowMs, 0) }];
}

/** It does not hold, and it never will. */
function isNever({ holds, isFinal }: Verdict): boolean {
  return holds === false && isFinal;
}

function exists(taskId: string, snapshot: Snapshot): boolean {
  return snapshot.links.has(taskId) || snapshot.queue.has(taskId) || snapshot.outcomeOf(taskId) !== undefined;
}

/** Have all records of the plan that made this link been written? */
function isComplete({ task }: Link, snapshot: Snapshot): boolean {
  return task.parentId === undefined || snapshot.isArchived(task.parentId);
}
