/**
 * The shape of a condition: which facts it needs, a pure verdict over them, and its reasons
 * (docs/adding.md).
 */

import type { Report } from "@mimikit/protocol/base/report";
import type { Atom } from "@mimikit/protocol/triggers/condition";

/** `holds` is null where only a model can tell. What is final can never become anything else. */
export interface Verdict {
  holds: boolean | null;
  isFinal: boolean;
}

/** The world as conditions see it. */
export interface Facts {
  nowMs: number;
  /** The IANA zone of times that name none. */
  timeZone: string;
  /** The final outcome of a task; undefined while it has none. */
  outcomeOf(taskId: string): Report | undefined;
  /** Does the failure of this task count as done, because the user wants to go on all the same (SPEC C8)? */
  isForgiven(taskId: string): boolean;
  /** What is at a path or glob, as a text that changes whenever it does: "" where there is nothing, undefined where nobody could look. */
  stampOf(path: string): string | undefined;
}

/** What is remembered of one leaf. */
export interface Known {
  /** The stamp when the change was last acted upon; undefined before the first sight. */
  baseline?: string | undefined;
  /** The last answer of a model; null once it counts no more. */
  evaluation?: { number: number; result: boolean | null; at: string } | undefined;
}

export interface Needs {
  tasks?: string[];
  paths?: string[];
}

export type ParamsOf<T extends Atom["type"]> = Extract<Atom, { type: T }>["params"];

export interface ConditionRule<T extends Atom["type"]> {
  /** What must be known before `judge` is asked, if anything. */
  needs?(params: ParamsOf<T>): Needs;
  judge(params: ParamsOf<T>, facts: Facts, known: Known): Verdict;
  /** Why it is so, for people: one line (SPEC D7). `at` is when that was found out, where it was not just now. */
  explain(params: ParamsOf<T>, facts: Facts, known: Known): { text: string; at?: string };
  /**
   * What is remembered as its baseline of what is there now: at the first sight, and with each firing. undefined where nobody
   * could look; a condition that compares with nothing has none.
   */
  baseline?(params: ParamsOf<T>, facts: Facts, isFirst: boolean): string | undefined;
}

export const UNKNOWN: Verdict = { holds: null, isFinal: false };

/** What may yet change. */
export function forNow(holds: boolean): Verdict {
  return { holds, isFinal: false };
}

/** What stays so. */
export function forEver(holds: boolean): Verdict {
  return { holds, isFinal: true };
}
