/** Which queued tasks the pool may claim now, in order (SPEC A5). Each role is a lane of its own. */

import { compareTaskIds, runAgainPermit } from "@mimikit/protocol/base/id";
import { byRole } from "@mimikit/protocol/base/kind";
import { Role } from "@mimikit/protocol/base/role";
import type { Task } from "@mimikit/protocol/records/task";
import { type Attempt, countAttempts, wasCutOff } from "../base/snapshot.ts";
import { isAnnouncement } from "./announcement.ts";
import { attemptToAskAbout } from "./question.ts";
import { isPoison, isRetryDue, outagesOf } from "./retry.ts";

export interface Candidate {
  task: Task;
  /** The number of the attempt to claim: one more than the last. */
  attempt: number;
  /** Failed attempts before this one; those that were cut off or reached nobody are not among them. */
  earlier: NonNullable<Attempt["failed"]>[];
  /** Attempts before this one that reached nobody. */
  outages: NonNullable<Attempt["failed"]>[];
  /** An earlier attempt was cut off. */
  interrupted: boolean;
}

export interface Waiting {
  queue: Iterable<Task>;
  attempts: ReadonlyMap<string, readonly Attempt[]>;
  hasOutcome(id: string): boolean;
  /** The names of permits to run a task again that was cut off (SPEC C5). */
  permits: ReadonlySet<string>;
}

/** @param free how many more tasks of each role may run. */
export function dispatch(waiting: Waiting, free: Record<Role, number>, nowMs: number): Candidate[] {
  const lanes = byRole((): Candidate[] => []);
  for (const task of waiting.queue) {
    if (waiting.hasOutcome(task.id)) continue;
    const candidate = candidateOf(task, waiting, nowMs);
    if (candidate !== null) lanes[task.role].push(candidate);
  }
  return Role.options.flatMap((role) =>
    lanes[role].sort((a, b) => byUrgency(a.task, b.task)).slice(0, Math.max(0, free[role])),
  );
}

/** What of a task may be claimed now; null where nothing may. */
export function candidateOf(task: Task, waiting: Omit<Waiting, "queue">, nowMs: number): Candidate | null {
  if (isAnnouncement(task)) return null;
  const attempts = waiting.attempts.get(task.id) ?? [];
  const earlier: NonNullable<Attempt["failed"]>[] = [];
  for (const { ownerAlive, failed } of attempts) {
    if (failed === undefined && ownerAlive) return null;
    if (failed === undefined || failed.failureReason === "interrupted" || failed.outage === true) continue;
    if (!isRetryDue(failed, nowMs)) return null;
    earlier.push(failed);
  }
  const interrupted = attempts.some(wasCutOff);
  if (isPoison(attempts) || (interrupted && task.onInterrupt === "fail")) return null;
  const asked = attemptToAskAbout(task, attempts);
  if (asked !== undefined && !waiting.permits.has(runAgainPermit(task.id, asked))) return null;
  return { task, attempt: countAttempts(attempts) + 1, earlier, outages: outagesOf(attempts), interrupted };
}

/** Semantic conditions first: work that has waited for its moment may begin with their answer. */
export function byUrgency(a: Task, b: Task): number {
  const isAsked = [a, b].map(({ kind }) => kind === "evaluation");
  if (isAsked[0] !== isAsked[1]) return isAsked[0] ? -1 : 1;
  if (a.priority !== b.priority) return b.priority - a.priority;
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1;
  return compareTaskIds(a.id, b.id);
}
