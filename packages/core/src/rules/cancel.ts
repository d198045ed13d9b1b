/**
 * A cancelled task ends, with everything below it. Commands come first in a tick. A cancel command leaves a mark; every
 * open task that is marked, or below a mark, ends as cancelled. The second half looks only at marks, so a child that is
 * created late is caught all the same.
 */
import { ancestorsOf, turnNumber } from "@mimikit/protocol/base/id";
import type { CancelWish } from "@mimikit/protocol/records/inbox";
import type { Task } from "@mimikit/protocol/records/task";
import type { Action } from "../base/action.ts";
import {
  countAttempts,
  isCancelled,
  openLinks,
  openResults,
  openStanding,
  openTasks,
  type Snapshot,
} from "../base/snapshot.ts";
import { failedResult } from "../tasks/finish.ts";
import { deletionOf } from "../triggers/take-back-trigger.ts";
import { isSettledAtOnce } from "./settle.ts";

export function cancel(snapshot: Snapshot, nowMs: number): Action[] {
  const actions: Action[] = [];
  let cancellable: string[] | undefined;
  for (const wish of snapshot.inbox.values()) {
    if (wish.kind !== "cancel" || snapshot.isArchived(wish.id)) continue;
    cancellable ??= cancellableIn(snapshot);
    actions.push(answer(wish, cancellable, snapshot));
  }
  const { tasks, links } = snapshot.attention;
  const attended = [
    ...openTasks(snapshot, tasks.values()),
    ...openLinks(snapshot, links.values()).map((link) => link.task),
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
  const open: Task[] = [...openTasks(snapshot), ...openLinks(snapshot).map((link) => link.task)];
  // A plan that is made and not applied yet would still start its tasks.
  const unsettled = openResults(snapshot)
    .filter(isSettledAtOnce)
    .map((result) => result.task);
  return [...open, ...unsettled, ...openStanding(snapshot)].map(({ id }) => id);
}

function answer(wish: CancelWish, open: readonly string[], snapshot: Snapshot): Action {
  const { taskId } = wish;
  if (turnNumber(taskId) > 0)
    return { type: "cancel", wish, taskId: null, outcome: "a reply is not a task: nothing to cancel" };
  if (open.some((id) => id === taskId || ancestorsOf(id).includes(taskId))) {
    const trigger = openStanding(snapshot).find(({ id }) => id === taskId);
    const change = trigger && deletionOf(trigger, { ...wish, by: "user" });
    return { type: "cancel", wish, taskId, outcome: "cancelled", change };
  }
  const ended = snapshot.isArchived(taskId) || snapshot.results.has(taskId);
  return { type: "cancel", wish, taskId: null, outcome: ended ? "it had already ended" : "there is no such task" };
}
