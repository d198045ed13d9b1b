/** The newest tasks that have ended. What ended never changes again, so each is read once. */
import { summaryOf } from "@mimikit/core/board";
import type { TaskSummary } from "@mimikit/protocol/api";
import { childId, compareTaskIds, turnNumber } from "@mimikit/protocol/id";
import type { Result } from "@mimikit/protocol/result";
import type { Ledger } from "@mimikit/store/ledger";

/** Ended tasks that lists show; older ones can still be read by their id. */
const ENDED_TASKS_MAX = 500;

export class EndedTasks {
  private readonly ledger: Ledger;
  private readonly summaries = new Map<string, TaskSummary>();

  constructor(ledger: Ledger) {
    this.ledger = ledger;
  }

  has(id: string): boolean {
    return this.summaries.has(id);
  }

  values(): TaskSummary[] {
    return [...this.summaries.values()];
  }

  /** Reads the newest tasks of archive/; the ledger must know its names. */
  async load(): Promise<void> {
    const newestFirst = [...this.ledger.names()].filter(mayBeTask).sort((a, b) => compareTaskIds(b, a));
    for (const id of newestFirst.slice(0, ENDED_TASKS_MAX)) await this.find(id);
  }

  note(result: Result): void {
    if (this.summaries.has(result.id) || turnNumber(result.id) > 0) return;
    this.summaries.set(result.id, summaryOf(result));
    if (this.summaries.size <= ENDED_TASKS_MAX) return;
    const oldest = [...this.summaries.keys()].reduce((a, b) => (compareTaskIds(a, b) < 0 ? a : b));
    this.summaries.delete(oldest);
  }

  /** Looks for a task in archive/ and notes it when it is there. */
  async find(id: string): Promise<Result | null> {
    if (!(await this.ledger.confirm(id))) return null;
    const result = await this.ledger.readResult(id);
    if (result !== null) this.note(result);
    return result;
  }
}

/** The tasks that a settled turn started or reported: some of them may have come and gone between two looks. */
export function tasksOf(turn: Result): string[] {
  const started = turn.effects.flatMap((effect, k) => (effect.type === "delegate" ? [childId(turn.id, k)] : []));
  return [...started, ...(turn.task.turn?.results ?? []).map((report) => report.id)];
}

/** Only tasks below a turn are told by their name; the rest of archive/ are messages, wishes, marks and turns. */
function mayBeTask(id: string): boolean {
  return /^t-\d{6,}(\.\d+)+$/.test(id);
}
