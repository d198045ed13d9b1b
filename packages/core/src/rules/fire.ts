/**
 * A dependent task starts the moment its condition is true; if that can never happen, it ends too. If a failure is the
 * reason, the user is asked first: "go on" makes the failure count as done for the tasks that wait for it (SPEC C8, D2).
 */

import { compareTaskIds } from "@mimikit/protocol/base/id";
import type { Report } from "@mimikit/protocol/base/report";
import type { DependentTask } from "@mimikit/protocol/records/trigger";
import { leavesOf } from "@mimikit/protocol/triggers/condition";
import type { Action } from "../base/action.ts";
import { factsAt, isCancelled, openDependents, type Snapshot } from "../base/snapshot.ts";
import type { ConditionVerdict, Facts } from "../conditions/condition.ts";
import { judge, needsOf, withBaselines } from "../conditions/index.ts";
import { failedResult } from "../tasks/finish.ts";
import { goOnId, isAgreed, isFailure, ownQuestion } from "../tasks/question.ts";
import { goOnWords } from "../views/notices.ts";

export function fire(snapshot: Snapshot, nowMs: number): Action[] {
  return openDependents(snapshot, snapshot.attention.dependents.values())
    .filter((dependent) => !isCancelled(snapshot, dependent.id))
    .flatMap((dependent) => fireOne(dependent, snapshot, nowMs));
}

function fireOne(dependent: DependentTask, snapshot: Snapshot, nowMs: number): Action[] {
  const { condition, task } = dependent;
  const { tasks } = needsOf(condition);
  const facts = dependentFactsAt(snapshot, nowMs);
  const evidence = withBaselines(condition, facts, dependent.evidence);
  if (evidence !== null)
    return [{ type: "advance", trigger: { ...dependent, version: dependent.version + 1, evidence } }];
  const verdict = judge(condition, facts, dependent.evidence);
  if (verdict.holds === true) {
    const upstream = tasks.flatMap((taskId) => snapshot.outcomeOf(taskId) ?? []);
    return [{ type: "fire", task: { ...task, upstream } }];
  }
  if (isNever(verdict)) {
    const asked = askWhetherToGoOn(dependent, facts, snapshot);
    if (asked !== null) return asked;
    const error = `not run: ${whyNever(tasks, snapshot)}`;
    return [{ type: "finish", result: failedResult(task, "cancelled", error, nowMs, 0) }];
  }
  const missing = tasks.find((taskId) => !exists(taskId, snapshot));
  if (missing === undefined || !isComplete(dependent, snapshot)) return [];
  const error = `it waits for a task that does not exist: ${missing}`;
  return [{ type: "finish", result: failedResult(task, "error", error, nowMs, 0) }];
}

/** The world as dependent tasks see it: a failure behind which the user goes on counts as done (SPEC C8). */
export function dependentFactsAt(snapshot: Snapshot, nowMs: number): Facts {
  const isForgiven = (taskId: string) =>
    isFailure(snapshot.outcomeOf(taskId)) && isAgreed(snapshot.closedQuestion(goOnId(taskId)));
  return { ...factsAt(snapshot, nowMs), isForgiven };
}

/** Where only failures are in the way, the user decides, once for each; null where that is decided, or changes nothing. */
function askWhetherToGoOn(dependent: DependentTask, facts: Facts, snapshot: Snapshot): Action[] | null {
  const forgiving = { ...facts, isForgiven: (taskId: string) => isFailure(facts.outcomeOf(taskId)) };
  if (isNever(judge(dependent.condition, forgiving, dependent.evidence))) return null;
  const open: Report[] = [];
  for (const atom of leavesOf(dependent.condition)) {
    const outcome = atom.type === "task_done" ? facts.outcomeOf(atom.params.taskId) : undefined;
    if (!isFailure(outcome)) continue;
    const id = goOnId(outcome.id);
    const closed = snapshot.closedQuestion(id);
    if (isAgreed(closed)) continue;
    if (closed !== undefined || snapshot.isArchived(id)) return null;
    open.push(outcome);
  }
  const [failed] = open;
  if (failed === undefined) return null;
  // The waiting tasks are known once the whole plan is written.
  if (!isComplete(dependent, snapshot) || snapshot.questions.has(goOnId(failed.id))) return [];
  const words = goOnWords(failed, titlesBehind(failed.id, snapshot));
  const at = new Date(facts.nowMs).toISOString();
  const { traceId } = dependent.task;
  const question = ownQuestion(goOnId(failed.id), { type: "go_on", failedId: failed.id }, words, { at, traceId });
  return [{ type: "ask", question }];
}

/** Why what waits for these tasks never starts: the user did not want it to, or what they came to. */
function whyNever(tasks: readonly string[], snapshot: Snapshot): string {
  const outcomes = tasks.flatMap((taskId) => snapshot.outcomeOf(taskId) ?? []);
  for (const { id, title } of outcomes) {
    const closed = snapshot.closedQuestion(goOnId(id));
    if (closed === undefined || closed.outcome === "cancelled" || isAgreed(closed)) continue;
    return closed.outcome === "answered"
      ? `the user chose to stop after "${title}"`
      : `there was no answer in time on whether to go on after "${title}"`;
  }
  return `${outcomes.map(({ title }) => `"${title}"`).join(", ")} did not end as it needed`;
}

/** The titles of what waits for a task, and of what waits for that. */
function titlesBehind(taskId: string, snapshot: Snapshot): string[] {
  const dependents = openDependents(snapshot).sort((a, b) => compareTaskIds(a.id, b.id));
  const behind = new Set([taskId]);
  // An earlier dependent task may wait for a later one: it is looked again until nothing is added.
  for (let size = 0; size < behind.size; ) {
    size = behind.size;
    for (const { id, condition } of dependents)
      if (needsOf(condition).tasks.some((each) => behind.has(each))) behind.add(id);
  }
  return dependents.flatMap(({ id, task }) => (behind.has(id) ? [task.title] : []));
}

/** It does not hold, and it never will. */
function isNever({ holds, isFinal }: ConditionVerdict): boolean {
  return holds === false && isFinal;
}

function exists(taskId: string, snapshot: Snapshot): boolean {
  return snapshot.dependents.has(taskId) || snapshot.queue.has(taskId) || snapshot.outcomeOf(taskId) !== undefined;
}

/** Have all records of the plan that made this dependent task been written? */
function isComplete({ task }: DependentTask, snapshot: Snapshot): boolean {
  return task.parentId === undefined || snapshot.isArchived(task.parentId);
}
