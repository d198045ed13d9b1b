/** Every record has a derived id, so that doing anything twice does it once (docs/file-protocol.md R2). */
import { z } from "zod";
import { ID_PATTERN } from "./id-pattern.ts";

export const Id = z.string().regex(ID_PATTERN, "an id has 1 to 128 characters of a-z 0-9 . _ -");

/** Fifteen digits are exact as a number, and more turns than are ever taken. */
const TURN_PATTERN = /^t-(\d{6,15})$/;

/** The id of Teller turn `n` (1, 2, 3, …): `t-000042`. */
export function turnId(n: number): string {
  return `t-${String(n).padStart(6, "0")}`;
}

/** The number of a turn's id, or 0 when `id` is not a turn. Turns are compared by number, never as text. */
export function turnNumber(id: string): number {
  return Number(TURN_PATTERN.exec(id)?.[1] ?? 0);
}

/** The id of batch `n` (1, 2, 3, …) of semantic conditions: creating it is the compare-and-swap. */
export function evaluationId(n: number): string {
  return `eval-${String(n).padStart(6, "0")}`;
}

/** The number of a batch's id, or 0 when `id` is not one. */
export function evaluationNumber(id: string): number {
  return Number(/^eval-(\d{6,15})$/.exec(id)?.[1] ?? 0);
}

/** The id of improvement `n` (1, 2, 3, …), and of its first step: creating it is the compare-and-swap (SPEC J1). */
export function improvementId(n: number): string {
  return `imp-${String(n).padStart(6, "0")}`;
}

/** The number of the improvement that an id is a step of, or 0 when `id` is none. */
export function improvementNumber(id: string): number {
  return Number(/^imp-(\d{6,15})(\.(work|review|land)|-undo-\d+)?$/.exec(id)?.[1] ?? 0);
}

/**
 * The id of try `n` (1, 2, 3, …) to take merged improvement `number` back: `imp-000012-undo-1`. It is not below the
 * improvement: that was ordered, and may have been cancelled; this is another order (SPEC J3).
 */
export function unmergeId(number: number, n: number): string {
  return `${improvementId(number)}-undo-${n}`;
}

/** The id of note `n` (1, 2, 3, …) of the conversation: creating it is the compare-and-swap. */
export function noteId(n: number): string {
  return `note-${String(n).padStart(6, "0")}`;
}

/** The number of a note's id, or 0 when `id` is not one. */
export function noteNumber(id: string): number {
  return Number(/^note-(\d{6,15})$/.exec(id)?.[1] ?? 0);
}

/** The name under which it is kept that the messages of a note are durable in their file. */
export function keptId(note: string): string {
  return `${note}.kept`;
}

/** The id of try `n` (1, 2, 3, …) to sum up a period (`2026-11-17` or `2026-08`): `sum-20261117-1`. */
export function rollUpId(period: string, n: number): string {
  return `sum-${period.replaceAll("-", "")}-${n}`;
}

/** The period and the number of a roll-up's id; null when `id` is not one. */
export function rollUpOf(id: string): { period: string; number: number } | null {
  const [, year, month, day, number] = /^sum-(\d{4})(\d{2})(\d{2})?-([1-9]\d{0,8})$/.exec(id) ?? [];
  if (year === undefined || month === undefined || number === undefined) return null;
  return { period: [year, month, ...(day === undefined ? [] : [day])].join("-"), number: Number(number) };
}

/** The name under which later turns find the summary of what a task handed in. */
export function resultSummaryId(taskId: string): string {
  return `${taskId}.summary`;
}

/** The id of the k-th effect of `parent`: `t-000042.1`. */
export function childId(parent: string, k: number): string {
  return `${parent}.${k}`;
}

/** In the id of a task that is tried again. */
const AGAIN = "--again-";
/** Digits of the command that say which try it is, and characters of the first task's id. */
const AGAIN_DIGITS = 12;
const AGAIN_OF_CHARS_MAX = 80;

/**
 * The id of the task that a command makes of one that has ended: `t-000042-1--again-3f9a2c1b77d0`. It is not below the first
 * task, nor below its plan: those may be cancelled, and this is another order.
 */
export function againId(taskId: string, commandId: string): string {
  const [first = ""] = taskId.split(AGAIN, 1);
  const digits = commandId.slice(commandId.lastIndexOf("-") + 1).slice(0, AGAIN_DIGITS);
  return `${first.replaceAll(".", "-").slice(0, AGAIN_OF_CHARS_MAX)}${AGAIN}${digits}`;
}

/** `t-000042.1.0` → `[t-000042.1, t-000042]`, nearest first. */
export function ancestorsOf(id: string): string[] {
  const ancestors: string[] = [];
  for (let dot = id.lastIndexOf("."); dot > 0; dot = id.lastIndexOf(".", dot - 1)) ancestors.push(id.slice(0, dot));
  return ancestors;
}

/** Orders task ids by turn number, then by their place below it; other ids come last, as text. Makes nothing: lists are long. */
export function compareTaskIds(a: string, b: string): number {
  let atA = a.startsWith("t-") ? "t-".length : 0;
  let atB = b.startsWith("t-") ? "t-".length : 0;
  while (atA < a.length || atB < b.length) {
    const endA = partEnd(a, atA);
    const endB = partEnd(b, atB);
    const x = partNumber(a, atA, endA);
    const y = partNumber(b, atB, endB);
    if (Number.isNaN(x) || Number.isNaN(y)) return a < b ? -1 : a > b ? 1 : 0;
    if (x !== y) return x - y;
    atA = endA + 1;
    atB = endB + 1;
  }
  return 0;
}

const CODE_OF_ZERO = "0".charCodeAt(0);
const DECIMAL = 10;

function partEnd(id: string, from: number): number {
  const dot = id.indexOf(".", from);
  return dot < 0 ? id.length : dot;
}

/** The number that a part of an id is: -1 behind its end, NaN where it is none. */
function partNumber(id: string, from: number, end: number): number {
  if (from >= id.length) return -1;
  let number = 0;
  for (let i = from; i < end; i++) {
    const digit = id.charCodeAt(i) - CODE_OF_ZERO;
    if (digit < 0 || digit >= DECIMAL) return Number.NaN;
    number = number * DECIMAL + digit;
  }
  return number;
}

const CANCELLED = ".cancelled";
const SAID = ".said";

/** The mark that says "this task and everything below it is cancelled" (docs/file-protocol.md#the-life-of-a-task). */
export function cancelMark(id: string): string {
  return id + CANCELLED;
}

/** The task that a name is the cancel mark of; null where it is none. */
export function cancelledOf(name: string): string | null {
  return name.endsWith(CANCELLED) ? name.slice(0, -CANCELLED.length) : null;
}

/** The name that says "this change was undone" (SPEC J3). */
export function undoneId(changeId: string): string {
  return `${changeId}.undone`;
}

/** The id of the edit that takes a change of a document back. */
export function undoEditId(changeId: string): string {
  return `${changeId}.undo`;
}

/** The id of the edit that forgets what was said, beside the edit of a document that forgets the same: both are undone as one. */
export function saidEditId(changeId: string): string {
  return `${changeId}${SAID}`;
}

/** The change that this one is undone with; null where it stands for itself. */
export function wholeOfSaidEdit(changeId: string): string | null {
  return changeId.endsWith(SAID) ? changeId.slice(0, -SAID.length) : null;
}

/** The name that says "the user wants this task to be run again, though attempt K of it was cut off" (SPEC C5). */
export function runAgainPermit(taskId: string, attempt: number): string {
  return `${taskId}.a${attempt}.again`;
}

/** The name that says "the owner was asked about the call that attempt K of this task wanted to make, and this is the answer". */
export function approvalPermit(taskId: string, attempt: number): string {
  return `${taskId}.a${attempt}.approved`;
}

/** The turn that everything below an id came from: `t-000042.1.0` → `t-000042`. */
export function rootOf(id: string): string {
  return ancestorsOf(id).at(-1) ?? id;
}
