/**
 * Does the log of the supervisor have the end of each turn that the archive has, and did any process log each task whose result such
 * a turn reported (docs/audit.md#the-archive)? A turn is in the archive before its line is written: a kill in between leaves it
 * without one, and only there, where the next start follows no clean stop, may a line be missing. No clock is asked.
 */
import { turnNumber } from "@mimikit/protocol/base/id";
import { KINDS } from "@mimikit/protocol/base/kind";
import type { AuditLine } from "@mimikit/protocol/records/audit";
import { WITNESS_EVENT } from "./witness.ts";

/** An applied turn of the archive. */
export interface ArchivedTurn {
  id: string;
  /** The ids of the tasks whose results it reported. */
  reports: readonly string[];
}

const TASK_OF_TURN = /^(t-\d+)\./;
const LOST_EVENT = "audit_lost";

/** Turns and tasks in the chains, taken down line by line. */
export class LoggedWork {
  /** Where in the chain of the supervisor a turn was applied, by its number. */
  private readonly settled = new Map<number, number>();
  /** Places before which lines may be missing. */
  private readonly gaps: number[] = [];
  private readonly tasks = new Set<string>();
  /** Of the supervisor: whether it begins with its first line of all, and keyed. */
  private isFromTheFirst = false;
  private place = 0;
  private last = "";

  /** Takes down a line that is not proven wrong, in the order of its chain. @param isKeyed was it written with a code? */
  note({ actor, event, seq, taskId }: AuditLine, isKeyed: boolean): void {
    if (taskId !== undefined) this.tasks.add(taskId);
    if (actor !== "supervisor" || event === WITNESS_EVENT) return;
    const before = this.last;
    this.last = event;
    this.place++;
    if (this.place === 1) this.isFromTheFirst = seq === 1 && isKeyed;
    const isUnclean = event === "supervisor_started" && before !== "supervisor_stopped";
    if ((isUnclean && this.place > 1) || event === LOST_EVENT) this.gaps.push(this.place);
    if (isKeyed && event === KINDS.turn.settled && taskId !== undefined)
      this.settled.set(turnNumber(taskId), this.place);
  }

  /** The number of the first applied turn that the log should have; Infinity where it should have none. */
  turnsFrom(): number {
    if (this.place === 0 || this.isFromTheFirst) return 1;
    return [...this.settled.keys()].reduce((least, each) => Math.min(least, each), Number.POSITIVE_INFINITY);
  }

  /** One sentence for each turn and task that the archive has and the log should have, and has not. @param turns in any order. */
  missing(turns: readonly ArchivedTurn[]): string[] {
    if (this.place === 0 && turns.length > 0)
      return ["the archive has applied turns, but the log of the supervisor has no line: it was removed or emptied"];
    const from = this.turnsFrom();
    const inOrder = turns
      .map(({ id, reports }) => ({ id, reports, number: turnNumber(id) }))
      .filter(({ number }) => number >= from)
      .sort((a, b) => a.number - b.number);
    return inOrder.flatMap(({ id, number, reports }) => {
      const at = this.settled.get(number);
      if (at === undefined)
        return this.mayMiss(this.before(number), this.after(number))
          ? []
          : [`${id} is in the archive, but no line of the audit log says that it was applied`];
      const isMissed = (task: string) => {
        const ordered = turnNumber(TASK_OF_TURN.exec(task)?.[1] ?? "");
        return !this.tasks.has(task) && ordered >= from && !this.mayMiss(this.before(ordered), at);
      };
      return reports
        .filter(isMissed)
        .map((task) => `${task} was reported by ${id}, and no line of the audit log names it`);
    });
  }

  /** May a line between these two places be missing without having been removed? */
  private mayMiss(from: number, to: number): boolean {
    const isOpenEnd = to === Number.POSITIVE_INFINITY && this.last !== "supervisor_stopped";
    return isOpenEnd || from > to || this.gaps.some((gap) => gap >= from && gap <= to);
  }

  /** The place of the last applied turn below a number; 0 where there is none. */
  private before(number: number): number {
    return this.inOrder().findLast(([each]) => each < number)?.[1] ?? 0;
  }

  /** The place of the first applied turn above a number; Infinity where there is none. */
  private after(number: number): number {
    return this.inOrder().find(([each]) => each > number)?.[1] ?? Number.POSITIVE_INFINITY;
  }

  private inOrder(): [number: number, place: number][] {
    return [...this.settled].sort(([a], [b]) => a - b);
  }
}
