/**
 * A cancelled task ends, with everything below it. Commands come first in a tick. A cancel command leaves a mark; every
 * open task that is marked, or below a mark, ends as cancelled. The second half looks only at marks, so a child that is
 * created late is caught all the same.
 */
import { ancestorsOf, turnNumber } from "@mimikit/protocol/base/id";
import type { CancelCommand } from "@mimikit/protocol/records/inbox";
import type { Task } from "@mimikit/protocol/records/task";
import type { Action } from "../base/action.ts";
import {
  countAttempts,
  isCancelled,
  openDependents,
  openResults,
  openTasks,
  openTriggers,
  type Snapshot,
} from "../base/snapshot.ts";
import { failedResult } from "../tasks/finish.ts";
import { deletionOf } from "../triggers/take-back-trigger.ts";
import { isSettledAtOnce } from "./settle.ts";

export function cancel(snapshot: Snapshot, nowMs: number): Action[] {
  const actions: Action[] = [];
  let cancellable: string[] | undefined;
  for (const command of snapshot.inbox.values()) {
    if (command.kind !== "cancel" || snapshot.isArchived(command.id)) continue;
    cancellable ??= cancellableIn(snapshot);
    actions.push(answer(command, cancellable, snapshot));
  }
  const { tasks, dependents } = snapshot.attention;
  const attended = [
    ...openTasks(snapshot, tasks.values()),
    ...openDependents(snapshot, dependents.values()).map((dependent) => dependent.task),
  ];
  for (const task of attended) {
    if (!isCancelled(snapshot, task.id)) continue;
    const attempts = countAttempts(snapshot.attempts.get(task.id));
    actions.push({ type: "finish", result: failedResult(task, "cancelled", "cancelled by the user", nowMs, attempts) });
  }
  return actions;
}

/** The ids of what is not over. */
function cancellableIn(snapshot: Snapshot): string[] {
  const open: Task[] = [...openTasks(snapshot), ...openDependents(snapshot).map((dependent) => dependent.task)];
  // A plan that is made and not applied yet would still start its tasks.
  const unsettled = openResults(snapshot)
    .filter(isSettledAtOnce)
    .map((result) => result.task);
  return [...open, ...unsettled, ...openTriggers(snapshot)].map(({ id }) => id);
}

function answer(command: CancelCommand, open: readonly string[], snapshot: Snapshot): Action {
  const { taskId } = command;
  if (turnNumber(taskId) > 0)
    return { type: "cancel", command, taskId: null, outcome: "a reply is not a task: nothing to cancel" };
  if (open.some((id) => id === taskId || ancestorsOf(id).includes(taskId))) {
    const trigger = openTriggers(snapshot).find(({ id }) => id === taskId);
    const change = trigger && deletionOf(trigger, { ...command, by: "user" });
    return { type: "cancel", command, taskId, outcome: "cancelled", change };
  }
  const ended = snapshot.isArchived(taskId) || snapshot.results.has(taskId);
  return { type: "cancel", command, taskId: null, outcome: ended ? "it had already ended" : "there is no such task" };
}
