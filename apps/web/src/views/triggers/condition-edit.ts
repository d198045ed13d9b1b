/** What the condition builder does to a condition: every step is a new condition. What holds of one is said by its schema. Pure. */
import { Atom, CONDITION_DEPTH_MAX, CONDITION_LEAVES_MAX, Condition, leavesOf, partsOf } from "./condition-schema.ts";
export type ConditionType = Condition["type"];

/** What begins with one that waits for a file: all of nothing is no condition. */
export function emptyCondition(): Condition {
  return { type: "and", conditions: [emptyAtom("file_exists")] };
}

function emptyAtom(type: Atom["type"]): Atom {
  switch (type) {
    case "file_changed":
    case "file_exists":
      return { type, params: { path: "" } };
    case "task_done":
    case "task_failed":
      return { type, params: { taskId: "" } };
    case "llm_eval":
      return { type, params: { prompt: "" } };
    case "time": {
      // The reader means the clock on the wall; the server may stand elsewhere.
      const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
      return { type, params: { weekdays: ["mon", "tue", "wed", "thu", "fri"], timezone } };
    }
  }
}

/** The same as another type, with as much of it as that can hold: a leaf becomes the first part of a group. */
export function asType(condition: Condition, type: ConditionType): Condition {
  if (type === condition.type) return condition;
  if (type === "not") return { type, condition: onlyPartOf(condition) };
  if (type === "and" || type === "or")
    return { type, conditions: isLeaf(condition) ? [condition] : [...partsOf(groupIn(condition))] };
  return likeAtom(leavesOf(condition)[0], type);
}

/** The group that a `not` is around, else the same: a group of one group would be one deeper with every change back. */
function groupIn(condition: Condition): Condition {
  if (condition.type !== "not") return condition;
  const inner = condition.condition;
  return inner.type === "and" || inner.type === "or" ? inner : condition;
}

/** Whether a leaf can take its place without other parts of it being lost. */
export function canBeLeaf(condition: Condition): boolean {
  return leavesOf(condition).length <= 1;
}

/** What a `not` of it is about: the one part of a group, or all of it. */
function onlyPartOf(condition: Condition): Condition {
  const parts = partsOf(condition);
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : condition;
}

/** A leaf of another type about the same file or task. */
function likeAtom(atom: Atom | undefined, type: Atom["type"]): Atom {
  const empty = emptyAtom(type);
  const old: Record<string, unknown> = atom?.params ?? {};
  const same = Object.entries(empty.params).map(([name, value]) => [name, value === "" ? (old[name] ?? "") : value]);
  return { type, params: Object.fromEntries(same) } as Atom;
}

export function isLeaf(condition: Condition): condition is Atom {
  return condition.type !== "and" && condition.type !== "or" && condition.type !== "not";
}

/** With another part at `i`. */
export function withPart(condition: Condition, i: number, part: Condition): Condition {
  if (condition.type === "not") return { ...condition, condition: part };
  if (isLeaf(condition)) return condition;
  return { ...condition, conditions: condition.conditions.with(i, part) };
}

/** With one more part at the end of a group. */
export function withOneMore(condition: Condition): Condition {
  if (condition.type !== "and" && condition.type !== "or") return condition;
  return { ...condition, conditions: [...condition.conditions, emptyAtom("file_exists")] };
}

/** Without the part at `i`; a group keeps its last. */
export function withoutPart(condition: Condition, i: number): Condition {
  if (condition.type !== "and" && condition.type !== "or") return condition;
  return { ...condition, conditions: condition.conditions.toSpliced(i, 1) };
}

/** Whether one more leaf fits into the whole. */
export function hasRoom(whole: Condition): boolean {
  return leavesOf(whole).length < CONDITION_LEAVES_MAX;
}

/** Whether a leaf so many levels down can become a group: 1 is the whole. */
export function canNest(level: number): boolean {
  return level < CONDITION_DEPTH_MAX;
}

/** The fields of a leaf that the schema refuses; `params` where it is all of them together. */
export function refusedFields(atom: Atom): ReadonlySet<string> {
  const { success, error } = Atom.safeParse(atom);
  return new Set(success ? [] : error.issues.map(({ path }) => String(path[1] ?? path[0])));
}

/** Whether it could be ordered as it is. */
export function isPossible(condition: Condition): boolean {
  return Condition.safeParse(condition).success;
}
