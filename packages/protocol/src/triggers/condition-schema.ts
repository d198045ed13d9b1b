/** The schemas of conditions, of the rows of `atoms.ts`. */
import { z } from "zod";
import { Id } from "../base/id.ts";
import { sentence } from "../texts/coded.ts";
import { ATOM_TYPES, type AtomRow, type AtomType, type ConditionField, ROWS, WEEKDAYS } from "./atoms.ts";
import * as plain from "./condition.ts";

/** An IANA time zone, `Asia/Shanghai`. */
export const TimeZone = z.string().min(1).max(64).refine(plain.isTimeZone, sentence("wrong_time_zone"));

/** The schema of a field, by its kind. */
const VALUES: Record<ConditionField["kind"], z.ZodType> = {
  /** Relative to the workspace, or absolute; `/` divides. It names no place above the workspace by `..`. */
  path: z
    .string()
    .min(1)
    .max(plain.PATH_CHARS_MAX)
    .refine(plain.hasNoNul, sentence("path_with_nul"))
    .refine(plain.hasNoWayUp, sentence("path_upwards")),
  task: Id,
  question: z.string().min(1).max(plain.EVALUATION_PROMPT_CHARS_MAX),
  flag: z.boolean(),
  bound: z.string().refine(plain.isTimeBound, sentence("wrong_time")),
  weekdays: z.array(z.enum(WEEKDAYS)).min(1).max(7),
  zone: TimeZone,
  count: z.number().int().min(0),
};

/** Params of which kind, each row says; `Atom` below knows it by the type. */
type AtomSchema = z.ZodObject<{ type: z.ZodLiteral<AtomType>; params: z.ZodType<never> }>;
const atoms = ATOM_TYPES.map((type) =>
  z.strictObject({ type: z.literal(type), params: paramsOf(ROWS[type]) }),
) as unknown as [AtomSchema, ...AtomSchema[]];

function paramsOf({ fields, checks = [] }: AtomRow) {
  const shape = Object.entries(fields).map(([name, { kind, isOptional }]) => [
    name,
    isOptional ? VALUES[kind].optional() : VALUES[kind],
  ]);
  return checks.reduce(
    (params, { isMet, message }) => params.refine(isMet, message),
    z.strictObject(Object.fromEntries(shape)),
  );
}

export type Atom = plain.Atom;
export const Atom: z.ZodType<Atom> = z.discriminatedUnion("type", atoms);

/** A condition of any depth. */
export const ConditionTree: z.ZodType<Condition> = z.lazy(() =>
  z.discriminatedUnion("type", [...atoms, All, Any, Not]),
);
export const All = z.strictObject({
  type: z.literal("and"),
  conditions: z.array(ConditionTree).min(1).max(plain.CONDITION_LEAVES_MAX),
});
export const Any = z.strictObject({
  type: z.literal("or"),
  conditions: z.array(ConditionTree).min(1).max(plain.CONDITION_LEAVES_MAX),
});
export const Not = z.strictObject({ type: z.literal("not"), condition: ConditionTree });

export type Condition = plain.Condition;
export const Condition = ConditionTree.superRefine((condition, context) => {
  const depth = plain.depthOf(condition);
  if (depth > plain.CONDITION_DEPTH_MAX)
    context.addIssue({
      code: "custom",
      message: sentence("condition_deep", { depth, max: plain.CONDITION_DEPTH_MAX }),
    });
  const { length } = plain.leavesOf(condition);
  if (length > plain.CONDITION_LEAVES_MAX)
    context.addIssue({
      code: "custom",
      message: sentence("condition_wide", { count: length, max: plain.CONDITION_LEAVES_MAX }),
    });
});
