/**
 * The condition of a trigger (SPEC D1): the conditions of `atoms.ts`, and and/or/not over them. A leaf is named by its
 * number, counted depth first from 0: that is how its evidence is kept. No schemas here: the page loads this.
 */
import { regexes } from "zod/v4/core";
import { ID_PATTERN } from "../base/id-pattern.ts";
import { type ATOMS, type AtomType, type ConditionField, type ConditionFields, ROWS, type WEEKDAYS } from "./atoms.ts";

export const CONDITION_DEPTH_MAX = 16;
export const CONDITION_LEAVES_MAX = 64;
export const PATH_CHARS_MAX = 1_024;
export const EVALUATION_PROMPT_CHARS_MAX = 4_000;

export type Weekday = (typeof WEEKDAYS)[number];

/** Whether a field may hold a value, by its kind. `condition-schema.ts` is made of the same, and says why not. */
const MAY_HOLD = {
  path: (path: string) => hasChars(path, PATH_CHARS_MAX) && hasNoNul(path) && hasNoWayUp(path),
  task: (id: string) => ID_PATTERN.test(id),
  question: (prompt: string) => hasChars(prompt, EVALUATION_PROMPT_CHARS_MAX),
  flag: (_: boolean) => true,
  bound: (bound: string) => isTimeBound(bound),
  weekdays: (days: Weekday[]) => days.length > 0,
  zone: (zone: string) => isTimeZone(zone),
  count: (count: number) => Number.isSafeInteger(count) && count >= 0,
};

type Value<F extends ConditionField> = Parameters<(typeof MAY_HOLD)[F["kind"]]>[0];
type Optional<F extends ConditionFields> = {
  [Name in keyof F]: F[Name] extends { isOptional: true } ? Name : never;
}[keyof F];
type Params<F extends ConditionFields> = { [Name in Exclude<keyof F, Optional<F>>]: Value<F[Name]> } & {
  [Name in Optional<F>]?: Value<F[Name]> | undefined;
};
export type Atom = { [T in AtomType]: { type: T; params: Params<(typeof ATOMS)[T]["fields"]> } }[AtomType];

export type Condition =
  | Atom
  | { type: "and"; conditions: Condition[] }
  | { type: "or"; conditions: Condition[] }
  | { type: "not"; condition: Condition };

const hasChars = (text: string, max: number) => text !== "" && text.length <= max;
export const hasNoNul = (path: string) => !path.includes("\0");
export const hasNoWayUp = (path: string) => !path.split("/").includes("..");

const TIME_OF_DAY = /^([01]\d|2[0-3]):[0-5]\d$/;
const MOMENT = regexes.datetime({ offset: true });

/** Is this bound a time of each day, and not one moment? */
export function isTimeOfDay(bound: string): boolean {
  return TIME_OF_DAY.test(bound);
}

/** `22:30` of each day, or one moment, ISO 8601 with its zone. */
export function isTimeBound(bound: string): boolean {
  return isTimeOfDay(bound) || MOMENT.test(bound);
}

/** Finding out about a zone takes milliseconds, and each record of a trigger asks: what is known to be one is kept. */
const timeZones = new Set<string>();
const TIME_ZONES_KEPT_MAX = 1_000;

/** Does the runtime know this IANA zone? */
export function isTimeZone(name: string): boolean {
  if (timeZones.has(name)) return true;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    if (timeZones.size < TIME_ZONES_KEPT_MAX) timeZones.add(name);
    return true;
  } catch {
    return false;
  }
}

/** May the field not hold this? One that is not filled in is undefined. */
export function isRefused({ kind, isOptional }: ConditionField, value: unknown): boolean {
  const mayHold = MAY_HOLD[kind] as (value: unknown) => boolean;
  return value === undefined ? !isOptional : !mayHold(value);
}

/** The check that the fields of an atom fail together, in the words of the form. */
export function refusedTogether({ type, params }: Atom): string | undefined {
  return ROWS[type].checks?.find(({ isMet }) => !isMet(params))?.refused;
}

/** Could it be ordered as it is? */
export function isPossible(condition: Condition): boolean {
  const leaves = leavesOf(condition);
  return (
    leaves.length <= CONDITION_LEAVES_MAX && depthOf(condition) <= CONDITION_DEPTH_MAX && leaves.every(isPossibleAtom)
  );
}

function isPossibleAtom(atom: Atom): boolean {
  const values: Record<string, unknown> = atom.params;
  const fields = Object.entries(ROWS[atom.type].fields);
  return fields.every(([name, field]) => !isRefused(field, values[name])) && refusedTogether(atom) === undefined;
}

export function isAtom(condition: Condition): condition is Atom {
  return condition.type !== "and" && condition.type !== "or" && condition.type !== "not";
}

/** The conditions right below this one; none below an atom. */
export function partsOf(condition: Condition): readonly Condition[] {
  if (isAtom(condition)) return [];
  return condition.type === "not" ? [condition.condition] : condition.conditions;
}

/** The atoms, depth first: the index of each is the number of its leaf. */
export function leavesOf(condition: Condition): Atom[] {
  return isAtom(condition) ? [condition] : partsOf(condition).flatMap(leavesOf);
}

/** How deep it is nested; an atom is 1 deep. */
export function depthOf(condition: Condition): number {
  return 1 + Math.max(0, ...partsOf(condition).map(depthOf));
}
