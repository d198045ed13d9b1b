/**
 * Tasks that are about to be cancelled. The cancellation is ordered some seconds after the click, so that it can be taken
 * back until then; a reload in between keeps the task.
 */
import { effect, signal } from "@preact/signals";
import { words } from "../i18n/words.ts";
import { cancelTask } from "../model/connection.ts";
import { session } from "../model/session.ts";
import { announcement, tasks } from "../model/state.ts";
import { isOpen } from "../model/task-tree.ts";

/** Time to take it back. */
const UNDO_MS = 6_000;

export interface Cancellation {
  taskIds: readonly string[];
  /** The title of the task; undefined for several. */
  title: string | undefined;
}

/** Cancellations that can still be undone, oldest first. */
export const cancellations = signal<readonly Cancellation[]>([]);

/** Cancels tasks unless it is taken back in time. */
export function cancelSoon(taskIds: readonly string[], title?: string): void {
  const cancellation = { taskIds, title };
  cancellations.value = [...cancellations.value, cancellation];
  announcement.value = title === undefined ? words.cancelsTasks(taskIds.length) : words.cancels(title);
  setTimeout(() => {
    if (!cancellations.value.includes(cancellation)) return;
    takeBack(cancellation);
    for (const id of taskIds) if (!isOver(id)) cancelTask(id);
  }, UNDO_MS);
}

/** Whether a task, and everything below it, has ended meanwhile. */
function isOver(id: string): boolean {
  const below = [...tasks.value.values()].filter((task) => task.id === id || task.id.startsWith(`${id}.`));
  return below.length > 0 && below.every(({ state }) => !isOpen(state));
}

/** The tasks go on. */
export function takeBack(cancellation: Cancellation): void {
  cancellations.value = cancellations.value.filter((one) => one !== cancellation);
}

/** The cancellation of a task that can still be taken back. */
export function cancellationOf(taskId: string): Cancellation | undefined {
  return cancellations.value.find(({ taskIds }) => taskIds.includes(taskId));
}

// Another session orders nothing of this one.
effect(() => {
  if (session.value === "unpaired") cancellations.value = [];
});
