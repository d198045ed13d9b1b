/** The facts that decisions are made of: what was on disk at one look. Nothing here reads a clock or a disk. */

import type { FailedAttempt } from "@mimikit/protocol/claim";
import { ancestorsOf, cancelMark, turnNumber } from "@mimikit/protocol/id";
import type { Wish } from "@mimikit/protocol/inbox";
import type { Result } from "@mimikit/protocol/result";
import type { Role } from "@mimikit/protocol/role";
import type { Signal } from "@mimikit/protocol/signal";
import type { Report, Task } from "@mimikit/protocol/task";
import type { Trigger } from "@mimikit/protocol/trigger";

/** One claim of a task: whether the process that made it still lives, and how it ended if it said so. */
export interface Attempt {
  role: Role;
  attempt: number;
  ownerAlive: boolean;
  /** When it was claimed, ISO 8601; not known of a claim that is gone. */
  at?: string;
  failed?: FailedAttempt;
}

/** How many attempts of a task have begun, by the number of the last: of those of an outage not all are kept. */
export function countAttempts(attempts: readonly Pick<Attempt, "attempt">[] = []): number {
  return attempts.at(-1)?.attempt ?? 0;
}

/** Was this attempt cut off: by a crash, or because its pool was told to stop? That is no failure of the task. */
export function wasCutOff(attempt: Attempt): boolean {
  if (attempt.failed !== undefined) return attempt.failed.failureReason === "interrupted";
  return !attempt.ownerAlive;
}

/** A file that is none of our records, as it has been since `sinceMs`. */
export interface Unreadable {
  path: string;
  reason: string;
  sinceMs: number;
}

/** Which task a steer or a stop found; null where nothing ran. Archived with the wish, so that it is decided once. */
export interface Decision {
  taskId: string | null;
}

export interface Snapshot {
  /** Wishes and events by id, settled ones that are not cleaned up yet included. */
  inbox: ReadonlyMap<string, Wish>;
  /** Dropped files by path, completed to full wishes. */
  dropped: ReadonlyMap<string, Wish>;
  unreadable: readonly Unreadable[];
  triggers: ReadonlyMap<string, Trigger>;
  /** What running tasks are told, by the id of the wish. */
  signals: ReadonlyMap<string, Signal>;
  /** Tasks of all roles by id. */
  queue: ReadonlyMap<string, Task>;
  /** Claims by task id, oldest first; also of tasks that are gone. */
  attempts: ReadonlyMap<string, readonly Attempt[]>;
  results: ReadonlyMap<string, Result>;
  /** "Has this ever been settled?", from memory; execution confirms a no by name (PROTOCOL R4). */
  isArchived(id: string): boolean;
  /** The final outcome of a task that a trigger waits for; undefined while it has none. */
  outcomeOf(taskId: string): Report | undefined;
  /** The steers that an ended task heard; undefined while it has no final outcome. */
  heardBy(taskId: string): ReadonlySet<string> | undefined;
  /** What was decided about an archived wish that is still in inbox/. */
  decisionOf(wishId: string): Decision | undefined;
  /** The highest number of a settled turn; 0 before the first. */
  settledTurn: number;
}

/** Is this task, or a task above it, cancelled? (PROTOCOL, Cancel) */
export function isCancelled(snapshot: Pick<Snapshot, "isArchived">, id: string): boolean {
  return [id, ...ancestorsOf(id)].some((each) => snapshot.isArchived(cancelMark(each)));
}

/** Queued tasks that have no final outcome yet. */
export function openTasks(snapshot: Snapshot): Task[] {
  return [...snapshot.queue.values()].filter((task) => !snapshot.results.has(task.id) && !snapshot.isArchived(task.id));
}

/** Triggers that have neither fired nor ended. */
export function openTriggers(snapshot: Snapshot): Trigger[] {
  return [...snapshot.triggers.values()].filter(
    ({ id }) => !snapshot.queue.has(id) && !snapshot.results.has(id) && !snapshot.isArchived(id),
  );
}

/** Outcomes that nobody has settled yet. */
export function openResults(snapshot: Snapshot): Result[] {
  return [...snapshot.results.values()].filter((result) => !snapshot.isArchived(result.id));
}

/** The highest turn number that exists in any state. */
export function highestTurn(snapshot: Snapshot): number {
  let highest = snapshot.settledTurn;
  for (const id of snapshot.queue.keys()) highest = Math.max(highest, turnNumber(id));
  for (const id of snapshot.results.keys()) highest = Math.max(highest, turnNumber(id));
  return highest;
}
