/**
 * Which records a rule may have to act upon now, kept up as records come, go and change: a tick looks at these, however many
 * others wait (docs/decisions/0023-work-in-proportion-to-what-changed.md). It holds too many rather than too few: the rules
 * look for themselves, and what is left out is known to need nothing until something of it changes or its time comes.
 */
import { ancestorsOf, cancelledOf } from "@mimikit/protocol/base/id";
import type { Task } from "@mimikit/protocol/records/task";
import type { DependentTask, Trigger } from "@mimikit/protocol/records/trigger";
import { leavesOf } from "@mimikit/protocol/triggers/condition";
import { Heap } from "../base/heap.ts";
import { type AttemptFacts, type Attended, isCancelled, type Snapshot, wasCutOff } from "../base/snapshot.ts";
import type { Facts } from "../conditions/condition.ts";
import { judge, needsOf } from "../conditions/index.ts";
import { Rests } from "../conditions/rests.ts";
import { isAnnouncement } from "../tasks/announcement.ts";
import { callToAskAbout } from "../tasks/question.ts";
import { outagesOf } from "../tasks/retry.ts";
import { nextFiring } from "../triggers/occurrence.ts";
import { triggerOfOccurrence } from "../triggers/triggers.ts";
import { hasUndone } from "../triggers/undone.ts";

/** All that is known now. */
export type KnownRecords = Pick<
  Snapshot,
  "queue" | "dependents" | "triggers" | "attempts" | "results" | "inbox" | "isArchived"
>;

interface Due {
  id: string;
  /** Milliseconds since the epoch. */
  atMs: number;
}

/** Before anything has an outcome. */
const NO_OUTCOMES: Facts = {
  nowMs: 0,
  timeZone: "UTC",
  outcomeOf: () => undefined,
  isForgiven: () => false,
  stampOf: () => undefined,
  hasSettled: () => false,
};

export class Attention implements Attended {
  readonly tasks = new Map<string, Task>();
  readonly dependents = new Map<string, DependentTask>();
  readonly triggers = new Map<string, Trigger>();
  readonly attempts = new Map<string, readonly AttemptFacts[]>();
  /** For how long the files of conditions have stayed the same. */
  readonly rests = new Rests();
  private readonly changed = new Set<string>();
  private isAllChanged = true;
  /** The ids of the dependent tasks that wait for a task, by that. */
  private readonly waiting = new Map<string, Set<string>>();
  private readonly followed = new Map<string, DependentTask>();
  private due = new Heap<Due>((a, b) => a.atMs - b.atMs);

  /** Something about an id has changed: a record of it, an attempt, the life of an owner, its name in the archive. */
  note(id: string): void {
    if (!this.isAllChanged) this.changed.add(id);
  }

  /** Everything is looked at again, whatever was known: at the start, and as the safety net. */
  noteAll(): void {
    this.isAllChanged = true;
  }

  /** Brings it up to what is known now. Costs what has changed, what is due, and what it holds. */
  update(known: KnownRecords, nowMs: number): void {
    for (const id of this.isAllChanged ? this.forgetAll(known) : this.concerned(known, nowMs))
      this.place(id, known, nowMs);
    this.isAllChanged = false;
    this.changed.clear();
  }

  private forgetAll({ queue, dependents, triggers, attempts }: KnownRecords): Set<string> {
    for (const each of [this.tasks, this.dependents, this.triggers, this.attempts, this.waiting, this.followed])
      each.clear();
    this.due = new Heap((a, b) => a.atMs - b.atMs);
    return new Set([...queue.keys(), ...dependents.keys(), ...triggers.keys(), ...attempts.keys()]);
  }

  private concerned({ queue, dependents, triggers }: KnownRecords, nowMs: number): Set<string> {
    const ids = new Set([...this.changed, ...this.dependents.keys(), ...this.triggers.keys()]);
    const cancelled = new Set<string>();
    for (const id of this.changed) {
      for (const dependent of this.waiting.get(id) ?? []) ids.add(dependent);
      const below = cancelledOf(id);
      if (below !== null) cancelled.add(below);
      const trigger = triggerOfOccurrence(id);
      if (trigger !== null) ids.add(trigger);
    }
    // A mark is rare, and what is below it may be anywhere.
    if (cancelled.size > 0)
      for (const records of [queue, dependents, triggers])
        for (const id of records.keys()) if ([id, ...ancestorsOf(id)].some((each) => cancelled.has(each))) ids.add(id);
    for (let first = this.due.peek(); first !== undefined && first.atMs <= nowMs; first = this.due.peek()) {
      ids.add(first.id);
      this.due.pop();
    }
    return ids;
  }

  private place(id: string, known: KnownRecords, nowMs: number): void {
    keep(this.tasks, id, known.queue.get(id), (task) => isTaskConcerned(task, known));
    keep(this.attempts, id, known.attempts.get(id), (attempts) => areAttemptsConcerned(id, attempts, known));
    const dependent = known.dependents.get(id);
    this.follow(id, dependent);
    keep(this.dependents, id, dependent, (each) => isDependentConcerned(each, known));
    const trigger = known.triggers.get(id);
    keep(this.triggers, id, trigger, (each) => isTriggerConcerned(each, known, nowMs));
    const atMs = trigger === undefined || this.triggers.has(id) ? null : nextFiring(trigger);
    if (atMs !== null) this.due.push({ id, atMs });
  }

  /** Notes for which tasks a dependent task waits; undefined where it is gone. */
  private follow(id: string, dependent: DependentTask | undefined): void {
    const before = this.followed.get(id);
    if (before === dependent) return;
    for (const taskId of before === undefined ? [] : needsOf(before.condition).tasks) {
      const dependents = this.waiting.get(taskId);
      dependents?.delete(id);
      if (dependents?.size === 0) this.waiting.delete(taskId);
    }
    for (const taskId of dependent === undefined ? [] : needsOf(dependent.condition).tasks)
      this.waiting.set(taskId, (this.waiting.get(taskId) ?? new Set()).add(id));
    if (dependent === undefined) this.followed.delete(id);
    else this.followed.set(id, dependent);
  }
}

function keep<T>(all: Map<string, T>, id: string, record: T | undefined, isConcerned: (record: T) => boolean): void {
  if (record !== undefined && isConcerned(record)) all.set(id, record);
  else all.delete(id);
}

/** All but what waits for the pool, runs in it, or waits for its retry. */
function isTaskConcerned(task: Task, known: KnownRecords): boolean {
  const { id } = task;
  if (isAnnouncement(task) || task.asksOwner === true || known.isArchived(id) || isCancelled(known, id)) return true;
  const attempts = known.attempts.get(id) ?? [];
  return attempts.some(wasCutOff) || callToAskAbout(attempts) !== undefined;
}

/** Those that can go, or some of them. */
function areAttemptsConcerned(id: string, attempts: readonly AttemptFacts[], known: KnownRecords): boolean {
  if (known.isArchived(id) || (!known.queue.has(id) && !known.results.has(id))) return true;
  // The first and the last stay.
  return outagesOf(attempts).length > 2;
}

/** All but what waits for tasks alone, of which none has ended. */
function isDependentConcerned({ id, condition, evidence }: DependentTask, known: KnownRecords): boolean {
  const { queue, dependents, results } = known;
  const hasEnded = (each: string) => results.has(each) || known.isArchived(each);
  if (queue.has(id) || hasEnded(id) || isCancelled(known, id)) return true;
  if (leavesOf(condition).some(({ type }) => type !== "task_done" && type !== "task_failed")) return true;
  if (needsOf(condition).tasks.some((each) => hasEnded(each) || !(queue.has(each) || dependents.has(each))))
    return true;
  const { holds, isFinal } = judge(condition, NO_OUTCOMES, evidence);
  return holds === true || isFinal;
}

/** All but what is not due yet, and rests. */
function isTriggerConcerned(trigger: Trigger, known: KnownRecords, nowMs: number): boolean {
  if (trigger.type === "conditional" || trigger.over !== undefined) return true;
  if (known.isArchived(trigger.id) || isCancelled(known, trigger.id) || hasUndone(trigger, known)) return true;
  const next = nextFiring(trigger);
  return next !== null && next <= nowMs;
}
