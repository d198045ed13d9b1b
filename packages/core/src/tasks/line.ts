/**
 * The queued tasks in the order in which they are claimed, kept up as tasks change: the pool looks at the first few of each
 * role, however many wait behind them, and at no retry before its time.
 */
import { byRole } from "@mimikit/protocol/base/kind";
import { Role } from "@mimikit/protocol/base/role";
import { isForPool, type Task } from "@mimikit/protocol/records/task";
import { Heap } from "../base/heap.ts";
import type { AttemptFacts } from "../base/snapshot.ts";
import { byUrgency, candidateOf, type Waiting } from "./dispatch.ts";
import { companyOf } from "./poison.ts";
import { permitsNeeded } from "./question.ts";

/** The facts about all queued tasks now. */
export type KnownTasks = Omit<Waiting, "queue" | "permits"> & { queue: ReadonlyMap<string, Task> };

interface Retry {
  id: string;
  /** Milliseconds since the epoch. */
  dueMs: number;
}

/** To find out whether a task may be claimed apart from what the user has to say to it. */
const ANY_PERMIT = { has: () => true } as unknown as ReadonlySet<string>;

export class WaitingLine {
  private lanes = byRole(() => new Heap<Task>(byUrgency));
  /** The tasks in its lane; a task that has left stays in the heap until its turn. */
  private readonly standing = new Map<string, Task>();
  private retries = new Heap<Retry>((a, b) => a.dueMs - b.dueMs);
  private readonly asked = new Map<string, Task>();
  /** Those that must run apart from others, which are few and come first. */
  private readonly suspects = new Map<string, Task>();
  /** Those that other machines run: they wait for room there. */
  private readonly forPools = new Map<string, Task>();
  private readonly changed = new Set<string>();
  private lastMs = Number.NEGATIVE_INFINITY;

  /** Something about a task has changed: it is looked at again. */
  note(id: string): void {
    this.changed.add(id);
  }

  /** All of it is looked at again, whatever was known: the safety net. */
  noteAll(ids: Iterable<string>): void {
    this.lanes = byRole(() => new Heap<Task>(byUrgency));
    this.retries = new Heap<Retry>((a, b) => a.dueMs - b.dueMs);
    this.standing.clear();
    this.asked.clear();
    this.suspects.clear();
    this.forPools.clear();
    this.changed.clear();
    for (const id of ids) this.note(id);
  }

  /** Those that are run again only with a permit. Call after `update`. */
  get askedAbout(): Iterable<Task> {
    return this.asked.values();
  }

  /** Puts what was noted, and the retries that are due, where they belong. */
  update(known: KnownTasks, nowMs: number): void {
    // A clock that was set back may have gone behind a failure, which makes its retry due.
    const isSetBack = nowMs < this.lastMs;
    this.lastMs = nowMs;
    for (;;) {
      const first = this.retries.peek();
      if (first === undefined || (!isSetBack && first.dueMs > nowMs)) break;
      this.retries.pop();
      this.changed.add(first.id);
    }
    for (const id of this.changed) this.place(id, known, nowMs);
    this.changed.clear();
  }

  /**
   * The first tasks of each role that may be claimed now, and all that are asked about, suspects or for other machines, these by their
   * urgency. Call after `update`.
   */
  first(known: KnownTasks, free: Record<Role, number>, nowMs: number): Task[] {
    const { asked, suspects, forPools } = this;
    return [
      ...asked.values(),
      ...suspects.values(),
      ...[...forPools.values()].sort(byUrgency),
      ...Role.options.flatMap((role) => this.firstOf(role, known, free[role], nowMs)),
    ];
  }

  private firstOf(role: Role, known: KnownTasks, free: number, nowMs: number): Task[] {
    const lane = this.lanes[role];
    const first: Task[] = [];
    while (first.length < free && lane.size > 0) {
      const task = lane.pop() as Task;
      if (this.standing.get(task.id) !== task) continue;
      this.standing.delete(task.id);
      if (mayRun(task, known, nowMs)) first.push(task);
      else this.place(task.id, known, nowMs);
    }
    for (const task of first) this.stand(task);
    return first;
  }

  /** Where a task belongs now: in its lane, among the retries, among those that are asked about, or nowhere. */
  private place(id: string, known: KnownTasks, nowMs: number): void {
    const task = known.queue.get(id);
    this.asked.delete(id);
    this.suspects.delete(id);
    this.forPools.delete(id);
    if (task === undefined || known.hasOutcome(id)) {
      this.standing.delete(id);
      return;
    }
    const attempts = known.attempts.get(id) ?? [];
    if (permitsNeeded(task, attempts).length > 0) {
      this.standing.delete(id);
      this.asked.set(id, task);
    } else if (!mayRun(task, known, nowMs)) {
      this.standing.delete(id);
      const dueMs = nextRetryMs(attempts, nowMs);
      if (Number.isFinite(dueMs)) this.retries.push({ id, dueMs });
    } else if (isForPool(task)) this.forPools.set(id, task);
    else if (companyOf(task, attempts) === "all") this.stand(task);
    else {
      this.standing.delete(id);
      this.suspects.set(id, task);
    }
  }

  private stand(task: Task): void {
    if (this.standing.get(task.id) === task) return;
    this.standing.set(task.id, task);
    this.lanes[task.role].push(task);
  }
}

function mayRun(task: Task, known: KnownTasks, nowMs: number): boolean {
  return !known.hasOutcome(task.id) && candidateOf(task, { ...known, permits: ANY_PERMIT }, nowMs) !== null;
}

/** When the next of the retries is due; infinity where none is to come. */
function nextRetryMs(attempts: readonly AttemptFacts[], nowMs: number): number {
  const times = attempts.flatMap(({ failed }) => (failed === undefined ? [] : [Date.parse(failed.retryAt)]));
  return Math.min(...times.filter((ms) => ms > nowMs));
}
