/**
 * When Mimikit has been idle for a while, one look for something to improve begins, and at most one piece of work
 * follows from it (SPEC J1). A run that finds nothing or fails doubles the wait; a success, or a message of the user,
 * resets it.
 */
import { improvementId } from "@mimikit/protocol/base/id";
import { kindsOf } from "@mimikit/protocol/base/kind";
import { type ImproveTask, isImprovement } from "@mimikit/protocol/records/task";
import type { Action } from "../base/action.ts";
import { usedUp } from "../base/budget.ts";
import { isOpen, openResults, openTasks, type Snapshot } from "../base/snapshot.ts";
import { improveWaitSec, lookTask } from "../tasks/improvement.ts";

export function improve(snapshot: Snapshot, nowMs: number): Action[] {
  const actions: Action[] = [];
  let refusal = refusalOf(snapshot);
  for (const command of snapshot.inbox.values()) {
    if (command.kind !== "improve" || snapshot.isArchived(command.id)) continue;
    const begun = stepsOf(snapshot).find((task) => task.improve.wishId === command.id)?.improve.number;
    const number = begun ?? snapshot.improving.number + 1;
    const isNew = begun === undefined && refusal === null;
    if (isNew) actions.push({ type: "improve", task: lookTask(number, command.id, nowMs) });
    const outcome = begun === undefined && refusal !== null ? `refused: ${refusal}` : improvementId(number);
    actions.push({ type: "answer-command", command, outcome });
    if (isNew) refusal = underWay(number);
  }
  if (refusal !== null || !isDue(snapshot, nowMs) || !isQuiet(snapshot)) return actions;
  return [...actions, { type: "improve", task: lookTask(snapshot.improving.number + 1, undefined, nowMs) }];
}

/** Why none may begin now, however quiet it is; null when one may. */
function refusalOf(snapshot: Snapshot): string | null {
  const { improving, ceiling } = snapshot;
  const [open] = stepsOf(snapshot);
  if (open !== undefined) return underWay(open.improve.number);
  if (improving.lacks !== null) return improving.lacks;
  if (ceiling !== null) return `the budget of the ${ceiling.scope} is used up`;
  if (usedUp(improving.limit, improving.spent) !== null) return "the budget of self-improvement is used up for today";
  return null;
}

function underWay(number: number): string {
  return `${improvementId(number)} is under way`;
}

function isDue({ improving }: Snapshot, nowMs: number): boolean {
  if (!improving.isEnabled) return false;
  // A clock that was set back must not put off the next look by the difference.
  const quietMs = Math.abs(nowMs - improving.activeMs);
  return quietMs >= improveWaitSec(improving.idleSec, improving.failures) * 1_000;
}

/**
 * Nothing waits and nothing runs, and no old note is to be summed up: triggers that stand and questions to the user may wait
 * for days.
 */
function isQuiet(snapshot: Snapshot): boolean {
  if (snapshot.memory.rollUp !== null) return false;
  const isPending = [...snapshot.inbox.values()].some(({ id }) => !snapshot.isArchived(id));
  if (isPending || snapshot.dropped.size > 0 || openResults(snapshot).length > 0) return false;
  for (const task of snapshot.queue.values()) if (isOpen(snapshot, task)) return false;
  return true;
}

/** The steps of improvements that are not over. */
function stepsOf(snapshot: Snapshot): ImproveTask[] {
  const tasks = openTasks(snapshot, snapshot.queuedOf(...kindsOf("improvement")));
  return [...tasks, ...openResults(snapshot).map(({ task }) => task)].filter(isImprovement);
}
