/**
 * What a trigger waits for (SPEC D1): atoms, and and/or/not over them. One atom per file of packages/core/src/conditions.
 * A leaf is named by its number, counted depth first from 0: that is how its evidence is kept.
 */
import { z } from "zod";
import { Id } from "../base/id.ts";

export const CONDITION_DEPTH_MAX = 16;
export const CONDITION_LEAVES_MAX = 64;
export const PATH_CHARS_MAX = 1_024;
export const EVALUATION_PROMPT_CHARS_MAX = 4_000;

const onTask = z.strictObject({ taskId: Id });

/** Relative to the workspace, or absolute; `/` divides. It names no place above the workspace by `..`. */
const Path = z
  .string()
  .min(1)
  .max(PATH_CHARS_MAX)
  .refine((path) => !path.includes("\0"), "a path holds no NUL")
  .refine((path) => !path.split("/").includes(".."), "a path has no .. in it");

const TIME_OF_DAY = /^([01]\d|2[0-3]):[0-5]\d$/;

/** Is this bound a time of each day, and not one moment? */
export function isTimeOfDay(bound: string): boolean {
  return TIME_OF_DAY.test(bound);
}

const Moment = z.iso.datetime({ offset: true });
/** `22:30` of each day, or one moment, ISO 8601 with its zone. */
const TimeBound = z
  .string()
  .refine(
    (bound) => isTimeOfDay(bound) || Moment.safeParse(bound).success,
    "neither a time of day like 22:30 nor a moment with its zone like 2026-12-01T09:00:00+08:00",
  );

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

/** An IANA time zone, `Asia/Shanghai`. */
export const TimeZone = z.string().min(1).max(64).refine(isTimeZone, "not a time zone like Europe/Paris or UTC");

export const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

const atoms = [
  z.strictObject({
    type: z.literal("file_changed"),
    params: z.strictObject({
      /** A path or a glob; created, written and removed all count as changed. */
      path: Path,
      /** The first sight counts as a change, if there is anything to see; otherwise it is only the baseline. */
      fireOnInit: z.boolean().optional(),
    }),
  }),
  z.strictObject({ type: z.literal("file_exists"), params: z.strictObject({ path: Path }) }),
  z.strictObject({ type: z.literal("task_done"), params: onTask }),
  z.strictObject({ type: z.literal("task_failed"), params: onTask }),
  z.strictObject({
    type: z.literal("llm_eval"),
    params: z.strictObject({ prompt: z.string().min(1).max(EVALUATION_PROMPT_CHARS_MAX) }),
  }),
  z.strictObject({
    type: z.literal("time"),
    params: z
      .strictObject({
        after: TimeBound.optional(),
        before: TimeBound.optional(),
        weekdays: z.array(z.enum(WEEKDAYS)).min(1).max(7).optional(),
        /** Of times of day and weekdays; that of the server where it is not said. */
        timezone: TimeZone.optional(),
      })
      .refine(
        ({ after, before, weekdays }) => [after, before, weekdays].some((each) => each !== undefined),
        "say after, before or weekdays",
      )
      .refine(
        ({ after, before }) => after === undefined || after !== before,
        "after and before are the same, so it would never hold",
      ),
  }),
] as const;

export const Atom = z.discriminatedUnion("type", atoms);
export type Atom = z.infer<typeof Atom>;

export type Condition =
  | Atom
  | { type: "and"; conditions: Condition[] }
  | { type: "or"; conditions: Condition[] }
  | { type: "not"; condition: Condition };

/** A condition of any depth. */
export const ConditionTree: z.ZodType<Condition> = z.lazy(() =>
  z.discriminatedUnion("type", [...atoms, All, Any, Not]),
);
export const All = z.strictObject({
  type: z.literal("and"),
  conditions: z.array(ConditionTree).min(1).max(CONDITION_LEAVES_MAX),
});
export const Any = z.strictObject({
  type: z.literal("or"),
  conditions: z.array(ConditionTree).min(1).max(CONDITION_LEAVES_MAX),
});
export const Not = z.strictObject({ type: z.literal("not"), condition: ConditionTree });

export const Condition = ConditionTree.superRefine((condition, context) => {
  const depth = depthOf(condition);
  if (depth > CONDITION_DEPTH_MAX)
    context.addIssue({ code: "custom", message: `nested ${depth} deep, more than ${CONDITION_DEPTH_MAX}` });
  const { length } = leavesOf(condition);
  if (length > CONDITION_LEAVES_MAX)
    context.addIssue({ code: "custom", message: `${length} leaves, more than ${CONDITION_LEAVES_MAX}` });
});

/** The conditions right below this one; none below an atom. */
export function partsOf(condition: Condition): readonly Condition[] {
  if (condition.type === "and" || condition.type === "or") return condition.conditions;
  return condition.type === "not" ? [condition.condition] : [];
}

/** The atoms, depth first: the index of each is the number of its leaf. */
export function leavesOf(condition: Condition): Atom[] {
  if (condition.type === "and" || condition.type === "or") return condition.conditions.flatMap(leavesOf);
  return condition.type === "not" ? leavesOf(condition.condition) : [condition];
}

function depthOf(condition: Condition): number {
  return 1 + Math.max(0, ...partsOf(condition).map(depthOf));
}
