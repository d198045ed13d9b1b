/**
 * The tasks as people see them, kept from look to look. Records never change: what is shown of a task is made again only when a
 * record came or went of which it is made.
 */
import { outageOf, outagesOf } from "@mimikit/core/tasks/retry";
import { isOnBoard, openSummary, waitingSummary } from "@mimikit/core/views/board";
import { byRole } from "@mimikit/protocol/base/kind";
import { Role } from "@mimikit/protocol/base/role";
import type { Steer } from "@mimikit/protocol/base/signal";
import type { Outage } from "@mimikit/protocol/records/result";
import { isTurn, type Task } from "@mimikit/protocol/records/task";
import type { DependentTask } from "@mimikit/protocol/records/trigger";
import type { TaskSummary } from "@mimikit/protocol/wire/api";
import type { AttemptRecord, StateCache } from "@mimikit/store/state-cache/state-cache";
import { lookups, runningClaim } from "@mimikit/store/views/attempts-told";
import { type EndedTasks, newestFirst } from "@mimikit/store/views/ended-tasks";
import { OrderedList } from "@mimikit/store/views/ordered-list";

/** A task whose provider could not be reached. */
export interface TaskOutage {
  task: Task;
  outage: Outage;
  /** The error of the newest attempt, and the end of the rate limit that it has met. */
  newest: { error: string; until: string | undefined };
  /** Until it is applied, a turn whose result is there already goes on saying what it said. */
  isOpen: boolean;
}

/** Steers that a task has taken and that no turn reports yet. */
export interface Heard {
  taskId: string;
  steers: readonly Steer[];
}

export class Board {
  /** Tasks and turns that have no outcome yet. */
  readonly open: ReadonlySet<string>;
  private readonly cache: StateCache;
  private readonly ended: EndedTasks;
  private readonly openIds = new Set<string>();
  private readonly shown = new OrderedList<TaskSummary>(newestFirst);
  private readonly queuedIds = byRole(() => new Set<string>());
  private readonly runs = new Map<string, Task>();
  private readonly told = new Map<string, TaskOutage>();
  private readonly begun = new Map<string, Task>();
  private readonly heardMeanwhile = new Map<string, Heard>();

  constructor(cache: StateCache, ended: EndedTasks) {
    this.cache = cache;
    this.ended = ended;
    this.open = this.openIds;
  }

  /** Open ones and the newest that have ended, newest first; only what is on the board. */
  get tasks(): readonly TaskSummary[] {
    return this.shown.list;
  }

  /** Tasks and turns that run now. */
  get running(): Task[] {
    return [...this.runs.values()];
  }

  /** How many tasks and turns wait for a free place or for their next attempt. */
  get queued(): Record<Role, number> {
    return byRole((role) => this.queuedIds[role].size);
  }

  get outages(): TaskOutage[] {
    return [...this.told.values()];
  }

  /** Turns that have begun and are not cleaned up. */
  get turns(): Task[] {
    return [...this.begun.values()];
  }

  /** Tasks to which something was said meanwhile: that have a result, or go on with what their plan was told. */
  get heard(): Heard[] {
    return [...this.heardMeanwhile.values()];
  }

  /** The line of a task that is shown. */
  lineOf(id: string): TaskSummary | undefined {
    return this.shown.get(id);
  }

  /**
   * Makes what is shown of these again, as the state cache has their records now, and of what has come to the ended tasks.
   * @param touched everything of which a record came or went since the last call, by its id.
   */
  refresh(touched: Iterable<string>): void {
    const { queue, dependents, results, attempts, archiveIndex } = this.cache;
    const lines = new Map<string, TaskSummary | undefined>();
    for (const id of new Set([...touched, ...this.ended.takeChanged()])) {
      const [task, result, tries] = [queue.get(id), results.get(id), attempts.get(id)];
      const dependent = task === undefined ? dependents.get(id) : undefined;
      const isOpen = result === undefined && !this.ended.has(id) && !archiveIndex.has(id);
      const line = isOpen ? openLine(task, dependent, tries) : undefined;
      lines.set(id, line ?? this.ended.get(id));
      if (isOpen && (task ?? dependent) !== undefined) this.openIds.add(id);
      else this.openIds.delete(id);
      const runs = isOpen && runningClaim(tries) !== undefined;
      for (const role of Role.options) this.queuedIds[role].delete(id);
      if (isOpen && !runs && task !== undefined) this.queuedIds[task.role].add(id);
      put(this.runs, id, runs ? task : undefined);
      const outages = archiveIndex.has(id) ? [] : outagesOf(tries ?? []);
      const outage = outageOf(outages);
      const newest = { error: outages.at(-1)?.error ?? "", until: outages.at(-1)?.problem?.until };
      put(this.told, id, task && outage !== null ? { task, outage, newest, isOpen } : undefined);
      put(this.begun, id, task && isTurn(task) && (tries ?? result) !== undefined ? task : undefined);
      const steers = [...((result?.task ?? task ?? dependent?.task)?.steers ?? []), ...(result?.steers ?? [])];
      put(this.heardMeanwhile, id, steers.length > 0 ? { taskId: id, steers } : undefined);
    }
    this.shown.patch(lines);
  }
}

function put<T>(map: Map<string, T>, id: string, value: T | undefined): void {
  if (value === undefined) map.delete(id);
  else map.set(id, value);
}

function openLine(
  task: Task | undefined,
  dependent: DependentTask | undefined,
  attempts: readonly AttemptRecord[] | undefined,
): TaskSummary | undefined {
  if (task !== undefined) return isOnBoard(task) ? openSummary(task, lookups(attempts)) : undefined;
  return dependent && waitingSummary(dependent);
}
