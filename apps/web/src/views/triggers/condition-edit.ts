/** The steps of the condition builder: each makes a new condition. Pure. */
import { ATOM_TYPES, type AtomType, ROWS } from "@mimikit/protocol/triggers/atoms";
import { type Atom, type Condition, isAtom, leavesOf, partsOf } from "@mimikit/protocol/triggers/condition";

/** A part that is new waits for a file. */
const NEW = "file_exists";
const PLACES: Partial<Record<AtomType, number>> = { [NEW]: -1, llm_eval: 1 };
/** The leaves as they are offered: the usual one first, and last what only a model can tell. */
export const LEAVES = ATOM_TYPES.toSorted((a, b) => (PLACES[a] ?? 0) - (PLACES[b] ?? 0));

/** A condition begins with one part: all of nothing is no condition. */
export function emptyCondition(): Condition {
  return { type: "and", conditions: [emptyPart()] };
}

export function emptyPart(): Atom {
  return likeAtom({}, NEW);
}

/** The same with another value in a field; what is empty is left out. */
export function withField({ type, params }: Atom, name: string, value: unknown): Atom {
  const isEmpty = value === false || String(value) === "";
  return { type, params: { ...params, [name]: isEmpty ? undefined : value } } as Atom;
}

/** The same as another type, with as much of it as that can hold: a leaf becomes the first part of a group. */
export function asType(condition: Condition, type: Condition["type"]): Condition {
  if (type === condition.type) return condition;
  if (type === "not") return { type, condition: onlyPartOf(condition) };
  if (type === "and" || type === "or")
    return { type, conditions: isAtom(condition) ? [condition] : [...partsOf(groupIn(condition))] };
  return likeAtom({ ...leavesOf(condition)[0]?.params }, type);
}

/** The group that a `not` is around, else the same: a group of one group would be one deeper with every change back. */
function groupIn(condition: Condition): Condition {
  if (condition.type !== "not") return condition;
  const inner = condition.condition;
  return inner.type === "and" || inner.type === "or" ? inner : condition;
}

/** The part that a `not` of it is about: the one part of a group, or all of it. */
function onlyPartOf(condition: Condition): Condition {
  const parts = partsOf(condition);
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : condition;
}

/** A leaf of another type about the same file or task. */
function likeAtom(old: Record<string, unknown>, type: AtomType): Atom {
  const params = Object.entries(ROWS[type].fields).map(([name, { kind, isOptional, initial }]) => {
    // The reader means the clock on the wall; the server may stand elsewhere.
    if (kind === "zone") return [name, Intl.DateTimeFormat().resolvedOptions().timeZone];
    return [name, initial ?? (isOptional ? undefined : old[name])];
  });
  return { type, params: Object.fromEntries(params) };
}

/** The same with other parts. */
export function withParts(condition: Exclude<Condition, Atom>, parts: Condition[]): Condition {
  if (condition.type !== "not") return { ...condition, conditions: parts };
  return { ...condition, condition: parts[0] ?? condition.condition };
}
