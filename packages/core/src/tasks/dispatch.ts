/** Which queued tasks the pool may claim now, in order (SPEC A5). Each role is a lane of its own. */

import { compareTaskIds } from "@mimikit/protocol/base/id";
import { byRole } from "@mimikit/protocol/base/kind";
import { Role } from "@mimikit/protocol/base/role";
import { isForPool, type Task } from "@mimikit/protocol/records/task";
import { type AttemptFacts, countAttempts, wasCutOff } from "../base/snapshot.ts";
import { isAnnouncement } from "./announcement.ts";
import { companyOf, isPoison, type Placed } from "./poison.ts";
import { permitsNeeded } from "./question.ts";
import { isRetryDue, outagesOf } from "./retry.ts";

export interface Candidate extends Placed {
  /** The number of the attempt to claim: one more than the last. */
  attempt: number;
  /** Failed attempts before this one; those that were cut off, were an outage or asked the owner are not among them. */
  earlier: NonNullable<AttemptFacts["failed"]>[];
  /** Attempts before this one that were an outage. */
  outages: NonNullable<AttemptFacts["failed"]>[];
  /** An earlier attempt was cut off. */
  interrupted: boolean;
}

export interface Waiting {
  queue: Iterable<Task>;
  attempts: ReadonlyMap<string, readonly AttemptFacts[]>;
  hasOutcome(id: string): boolean;
  /** The names of permits to run a task again that was cut off (SPEC C5), or whose call the owner was asked about (SPEC I10). */
  permits: ReadonlySet<string>;
}

/** @param free how many more tasks of each role may run here; those for other machines are all among the candidates, as they come. */
export function dispatch(waiting: Waiting, free: Record<Role, number>, nowMs: number): Candidate[] {
  const lanes = byRole((): Candidate[] => []);
  const forPools: Candidate[] = [];
  for (const task of waiting.queue) {
    if (waiting.hasOutcome(task.id)) continue;
    const candidate = candidateOf(task, waiting, nowMs);
    if (candidate !== null) (isForPool(task) ? forPools : lanes[task.role]).push(candidate);
  }
  const here = Role.options.flatMap((role) => lanes[role].sort(bySuspicion).slice(0, Math.max(0, free[role])));
  return [...here, ...forPools];
}

/** Suspects come first: after a death nothing runs, so they need not wait until it is so again. */
function bySuspicion(a: Candidate, b: Candidate): number {
  const isSuspect = [a, b].map(({ company }) => company !== "all");
  if (isSuspect[0] !== isSuspect[1]) return isSuspect[0] ? -1 : 1;
  return byUrgency(a.task, b.task);
}

/** The part of a task that may be claimed now; null if none may. An attempt whose pool died must have been judged before the next begins. */
export function candidateOf(task: Task, waiting: Omit<Waiting, "queue">, nowMs: number): Candidate | null {
  if (isAnnouncement(task)) return null;
  const attempts = waiting.attempts.get(task.id) ?? [];
  const earlier: NonNullable<AttemptFacts["failed"]>[] = [];
  for (const { failed } of attempts) {
    if (failed === undefined) return null;
    if (failed.failureReason === "interrupted" || failed.outage === true) continue;
    if (failed.asks !== undefined) continue;
    if (!isRetryDue(failed, nowMs)) return null;
    earlier.push(failed);
  }
  const interrupted = attempts.some(wasCutOff);
  if (isPoison(attempts) || (interrupted && task.onInterrupt === "fail")) return null;
  if (permitsNeeded(task, attempts).some((permit) => !waiting.permits.has(permit))) return null;
  const company = companyOf(task, attempts);
  return { task, company, attempt: countAttempts(attempts) + 1, earlier, outages: outagesOf(attempts), interrupted };
}

/** Semantic conditions first: work that has waited for its moment may begin with their answer. */
export function byUrgency(a: Task, b: Task): number {
  const isAsked = [a, b].map(({ kind }) => kind === "evaluation");
  if (isAsked[0] !== isAsked[1]) return isAsked[0] ? -1 : 1;
  if (a.priority !== b.priority) return b.priority - a.priority;
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1;
  return compareTaskIds(a.id, b.id);
}
