/**
 * The shape of a condition: which facts it needs, a pure verdict over them, and its reasons
 * (docs/adding.md).
 */

import type { Report } from "@mimikit/protocol/base/report";
import type { Unanswered } from "@mimikit/protocol/records/trigger";
import type { Atom } from "@mimikit/protocol/triggers/condition";

/** `holds` is null where only a model can tell. A final verdict never changes again. */
export interface ConditionVerdict {
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
  /** A stamp of a path or glob that changes whenever its content does: "" if nothing is there, undefined if it could not be read. */
  stampOf(path: string): string | undefined;
  /** The files at a path or glob that changed after a moment, in milliseconds since the epoch, newest first; not given where nobody asks. */
  changedSince?(path: string, sinceMs: number): readonly string[];
  /** Has what is at a path or glob stayed the same for so many seconds? To explain a condition, it is taken as settled: there was no look before. */
  hasSettled(path: string, settleSec: number): boolean;
}

/** The memory of one leaf. */
export interface LeafMemory {
  /** The stamp when the change was last acted upon; undefined before the first sight. */
  baseline?: string | undefined;
  /** The last answer of a model; null once it counts no more. */
  evaluation?: { number: number; result: boolean | null; at: string } | undefined;
  /** In vain since that answer. */
  unanswered?: Unanswered | undefined;
}

export interface Needs {
  tasks?: string[];
  paths?: string[];
  /** Where a change counts only when what is there has stayed the same for a while. */
  rests?: QuietPath[];
}

/** A path that must stay the same, and for how many seconds. */
export interface QuietPath {
  path: string;
  settleSec: number;
}

export type ParamsOf<T extends Atom["type"]> = Extract<Atom, { type: T }>["params"];

/** Why a leaf is so, for people: one line (SPEC D7). */
export interface Reason {
  text: string;
  /** When that was found out, where it was not just now, ISO 8601. */
  at?: string;
  /** Models were asked in vain: how often in a row, and when first. */
  unanswered?: { count: number; since: string };
}

export interface ConditionRule<T extends Atom["type"]> {
  /** The facts that must be known before `judge` is called, if any. */
  needs?(params: ParamsOf<T>): Needs;
  judge(params: ParamsOf<T>, facts: Facts, known: LeafMemory): ConditionVerdict;
  explain(params: ParamsOf<T>, facts: Facts, known: LeafMemory): Reason;
  /**
   * Its baseline, taken from the present state: at the first sight, and with each firing. undefined if it could not be
   * read; a condition that compares with nothing has none.
   */
  baseline?(params: ParamsOf<T>, facts: Facts, isFirst: boolean): string | undefined;
  /** The files that make it true, newest first. @param sinceMs when its baseline was taken. */
  changed?(params: ParamsOf<T>, facts: Facts, known: LeafMemory, sinceMs: number): readonly string[];
}

export const UNKNOWN: ConditionVerdict = { holds: null, isFinal: false };

/** A verdict that may yet change. */
export function forNow(holds: boolean): ConditionVerdict {
  return { holds, isFinal: false };
}

/** A verdict that never changes. */
export function forEver(holds: boolean): ConditionVerdict {
  return { holds, isFinal: true };
}
