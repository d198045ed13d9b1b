/**
 * Self-improvement (SPEC J): when idle, Mimikit looks for one thing worth doing, does it in a worktree of its own, has
 * it reviewed, and lands it on a branch of its own or throws it away. Each step is a task.
 */
import { z } from "zod";
import { Prompt, Title } from "../base/fields.ts";
import { Id, improvementId } from "../base/id.ts";

/** The steps in their order. */
export const IMPROVE_STEPS = ["look", "work", "review", "land"] as const;
export const ImproveStep = z.enum(IMPROVE_STEPS);
export type ImproveStep = z.infer<typeof ImproveStep>;

/** The kinds of work, in the order in which they are looked for; the first hit counts. */
export const IMPROVE_KINDS = [
  "failed task",
  "lint",
  "types",
  "docs",
  "memory",
  "quality",
  "dependencies",
  "clean-up",
  "backlog",
] as const;
export const ImproveKind = z.enum(IMPROVE_KINDS);
export type ImproveKind = z.infer<typeof ImproveKind>;

/** Work of self-improvement is counted in the budgets as that of a trigger of this name. */
export const SELF_IMPROVE = "self-improve";
/** Branches of self-improvement are below this name. */
export const BRANCH_PREFIX = "self-improve/";
/** Characters of a diff in a record; the rest is in its artifact. */
export const DIFF_CHARS_MAX = 100_000;
/** Characters of the end of the output of a check. */
export const CHECK_OUTPUT_CHARS_MAX = 8_000;
export const CHECKS_MAX = 8;
export const CHANGED_FILES_MAX = 300;
const WHY_CHARS_MAX = 2_000;
export const REASONS_MAX = 20;
const REASON_CHARS_MAX = 2_000;

/** The outcome of a look: nothing, or the one thing to do. */
export const Finding = z.discriminatedUnion("found", [
  z.object({ found: z.literal(false) }),
  z.object({
    found: z.literal(true),
    kind: ImproveKind,
    title: Title,
    prompt: Prompt,
    why: z.string().trim().min(1).max(WHY_CHARS_MAX),
  }),
]);
export type Finding = z.infer<typeof Finding>;
export type FoundImprovement = Extract<Finding, { found: true }>;

/** One command that a change was checked with. */
export const CheckResult = z.object({
  command: z.string(),
  /** How it ended, for people: `exit code 0`. */
  ended: z.string(),
  isPassed: z.boolean(),
  /** The end of its output. */
  output: z.string(),
  /** The file with all of it. */
  artifact: z.string(),
});
export type CheckResult = z.infer<typeof CheckResult>;

/** The outcome of the work: a commit that no branch points at yet. */
export const CommittedChange = z.object({
  base: z.string(),
  /** null where nothing was changed. */
  commit: z.string().nullable(),
  files: z.array(z.object({ path: z.string(), action: z.string() })).max(CHANGED_FILES_MAX),
  /** The beginning of the diff. */
  diff: z.string().max(DIFF_CHARS_MAX),
  /** The file with all of it, where there is more. */
  artifact: z.string().optional(),
  checks: z.array(CheckResult).max(CHECKS_MAX),
  /** The Worker's own description of its work. */
  said: z.string(),
});
export type CommittedChange = z.infer<typeof CommittedChange>;

export const Review = z.object({
  pass: z.boolean(),
  reasons: z.array(z.string().trim().min(1).max(REASON_CHARS_MAX)).min(1).max(REASONS_MAX),
});
export type Review = z.infer<typeof Review>;

/** Where the change is in the end. */
export const Landing = z.object({
  /** `branch`: on its own branch; `merged`: on the user's, too; `removed`: nowhere. */
  outcome: z.enum(["branch", "merged", "removed"]),
  branch: z.string(),
  commit: z.string().nullable(),
  /** The branch of the user's that it was merged into. */
  into: z.string().optional(),
  /** Further notes for people, for example why it was not merged. */
  note: z.string().optional(),
});
export type Landing = z.infer<typeof Landing>;

/** The merge, as far as undoing it needs it: all that is reachable from `commit` and not from `base`. */
export const Merged = z.object({ base: z.string(), commit: z.string(), into: z.string().optional() });
export type Merged = z.infer<typeof Merged>;

/** The outcome of undoing a merged improvement (SPEC J3). */
export const Unmerging = z.object({
  /** `undone`: HEAD has nothing of it any more; `refused`: nothing was changed. */
  outcome: z.enum(["undone", "refused"]),
  /** The commit that takes it back; null where there is none. */
  commit: z.string().nullable(),
  /** In words: what was done, or what is in the way and what to do. */
  note: z.string(),
});
export type Unmerging = z.infer<typeof Unmerging>;

/** The subject of a self-improvement task; each step gets the outcomes of the steps before it. */
export const Improve = z.object({
  number: z.number().int().positive(),
  /** `undo` is none of the steps: it is ordered when they are over. */
  step: z.enum([...IMPROVE_STEPS, "undo"]),
  /** The command that asked for it, if there is one. */
  wishId: Id.optional(),
  found: Finding.optional(),
  change: CommittedChange.optional(),
  review: Review.optional(),
  /** Of `undo`: what is to be undone. */
  merged: Merged.optional(),
});
export type Improve = z.infer<typeof Improve>;

/** The id of a step: the look is the improvement itself. */
export function stepId(number: number, step: ImproveStep): string {
  return step === "look" ? improvementId(number) : `${improvementId(number)}.${step}`;
}

/** `self-improve/imp-000012` */
export function branchOf(number: number): string {
  return `${BRANCH_PREFIX}${improvementId(number)}`;
}
