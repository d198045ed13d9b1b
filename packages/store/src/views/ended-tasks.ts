/** The newest tasks of the board that have ended. An ended task never changes again, so each is read once. */
import { nextStep } from "@mimikit/core/tasks/improvement";
import { isOnBoard, summaryOf } from "@mimikit/core/views/board";
import { ancestorsOf, childId, compareTaskIds, improvementId, turnNumber } from "@mimikit/protocol/base/id";
import type { Result } from "@mimikit/protocol/records/result";
import type { TaskSummary } from "@mimikit/protocol/wire/api";
import type { ArchiveIndex } from "../state-cache/archive-index.ts";

/** Ended tasks that lists show; older ones can still be read by their id. */
const ENDED_TASKS_MAX = 500;

export class EndedTasks {
  private readonly archiveIndex: ArchiveIndex;
  private readonly summaries = new Map<string, TaskSummary>();
  private changed = new Set<string>();
  /** The number of the newest improvement whose first step was found, and the step that follows the last one found. */
  private improvement = 0;
  private step: string | undefined;

  constructor(archiveIndex: ArchiveIndex) {
    this.archiveIndex = archiveIndex;
  }

  has(id: string): boolean {
    return this.summaries.has(id);
  }

  get(id: string): TaskSummary | undefined {
    return this.summaries.get(id);
  }

  /** The ids of what came or went since the last call. */
  takeChanged(): ReadonlySet<string> {
    const { changed } = this;
    this.changed = new Set();
    return changed;
  }

  values(): TaskSummary[] {
    return [...this.summaries.values()];
  }

  /** Reads the newest tasks of archive/; the archive index must know its names. */
  async load(): Promise<void> {
    const names = [...this.archiveIndex.names()];
    for (const { pattern, compare } of FAMILIES) {
      const newest = names.filter((id) => pattern.test(id)).sort((a, b) => compare(b, a));
      for (const id of newest.slice(0, ENDED_TASKS_MAX)) await this.find(id);
    }
    this.improvement = Math.max(0, this.archiveIndex.highestImprovement - 1);
    this.step = undefined;
  }

  /**
   * Finds the steps of improvements that have ended since the last call. No turn names them, so they are looked for by their ids.
   * @returns were there any?
   */
  async followImprovements(): Promise<boolean> {
    for (let isAny = false; ; isAny = true) {
      const next = improvementId(this.improvement + 1);
      // An improvement begins after the last step of the one before is in archive/.
      const hasNext = await this.archiveIndex.confirm(next);
      const result = this.step === undefined ? null : await this.find(this.step);
      if (result !== null) this.step = nextStep(result)?.id;
      else if (hasNext) [this.improvement, this.step] = [this.improvement + 1, next];
      else return isAny;
    }
  }

  note(result: Result): void {
    if (this.summaries.has(result.id) || !isOnBoard(result.task)) return;
    this.summaries.set(result.id, summaryOf(result));
    this.changed.add(result.id);
    if (this.summaries.size <= ENDED_TASKS_MAX) return;
    const oldest = [...this.summaries.values()].reduce((a, b) => (newestFirst(a, b) > 0 ? a : b));
    this.summaries.delete(oldest.id);
    this.changed.add(oldest.id);
  }

  /** Looks for a task in archive/ and notes it when it is there. */
  async find(id: string): Promise<Result | null> {
    if (!(await this.archiveIndex.confirm(id))) return null;
    const result = await this.archiveIndex.readResult(id);
    if (result !== null) this.note(result);
    return result;
  }
}

/**
 * The tasks that an applied turn started or reported, with the plans that the reported ones belong to: some of them may have come and gone
 * between two looks.
 */
export function tasksOf(turn: Result): string[] {
  const { results = [], events = [] } = turn.task.turn ?? {};
  const started = turn.effects.flatMap((effect, k) => (effect.type === "delegate" ? [childId(turn.id, k)] : []));
  const plans = events.flatMap(({ id }) => PLAN_REPORT.exec(id)?.[1] ?? []);
  const reported = results.map(({ id }) => id);
  const above = reported.flatMap(ancestorsOf).filter((id) => turnNumber(id) === 0);
  return [...started, ...plans, ...reported, ...above];
}

/** The event by which a plan without tasks tells that it has ended. */
const PLAN_REPORT = /^(.+)\.report$/;

/** The order of lists: by the moment at which they were made, and tasks of one moment by their place. */
export function newestFirst(a: TaskSummary, b: TaskSummary): number {
  return compare(b.createdAt, a.createdAt) || compareTaskIds(b.id, a.id);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Ids of occurrences end with what orders them. */
function compareOccurrences(a: string, b: string): number {
  return compare(a.slice(a.lastIndexOf("--")), b.slice(b.lastIndexOf("--")));
}

/** Tasks are told by their names; the rest of archive/ are messages, commands, marks and turns. */
const FAMILIES: readonly { pattern: RegExp; compare(a: string, b: string): number }[] = [
  { pattern: /^t-\d{6,}(\.\d+)+$/, compare: compareTaskIds },
  // Of schedules, and what was planned for them.
  { pattern: /--\d{8}t\d{6}z(\.\d+)*$/, compare: compareOccurrences },
  // Repeated tasks, and those that were planned for them.
  { pattern: /--again-[0-9a-f]+(\.\d+)*$/, compare },
  // Of self-improvement.
  { pattern: /^imp-\d{6,}(\.(work|review|land)|-undo-\d+)?$/, compare },
  // Of conditions, and of requests.
  { pattern: /--(\d+|run-[0-9a-f]+)(\.\d+)*$/, compare: compareOccurrences },
];
