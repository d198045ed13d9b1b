/**
 * Work that starts later (SPEC C2, D). A dependent task fires once, under its own id, and is gone (docs/file-protocol.md
 * R2). The others stand: each occurrence of theirs has an id of its own. A version of a trigger never changes; what
 * becomes of it is its next version, created once, which also says what is to be started: the decision is durable before
 * anything follows from it.
 */
import { z } from "zod";
import { OnInterrupt, PoolName, Priority, Prompt, TimeoutSec, Title } from "../base/fields.ts";
import { Id } from "../base/id.ts";
import { SkillRef } from "../base/skill.ts";
import { Condition } from "../triggers/condition-schema.ts";
import {
  COOLDOWN_SEC_MAX,
  Given,
  MISSED_MAX,
  Missed,
  Schedule,
  STABLE_SEC_MAX,
  Target,
  TRIGGER_DEPTH_MAX,
  TriggerBudget,
} from "../triggers/trigger-order.ts";
import { Task } from "./task.ts";

export const RECENT_MAX = 20;
export const APPLIED_MAX = 50;
/** An id has room for four digits. */
export const EPOCH_MAX = 9_999;

/** A trigger's id leaves room for that of its occurrences. */
export const TriggerId = Id.max(96);

/** A question that models were asked in vain, `count` times in a row: first `since`, last `at`, in the batch `number`. */
export const Unanswered = z.object({
  number: z.number().int().positive(),
  count: z.number().int().positive(),
  since: z.iso.datetime(),
  at: z.iso.datetime(),
});
export type Unanswered = z.infer<typeof Unanswered>;

/** The evidence of the leaves of a condition, by the number of the leaf. */
export const ConditionEvidence = z.object({
  /** Of those that compare: what was there when a change was last acted upon, as `file_changed` has it. */
  baselines: z.record(z.string(), z.string()),
  /** `llm_eval`: the last answer. It is null once a firing has used it, or when the rest decides without it. */
  evaluations: z.record(
    z.string(),
    z.object({ number: z.number().int().positive(), result: z.boolean().nullable(), at: z.iso.datetime() }),
  ),
  /** `llm_eval`: the batches since its last answer from which none came. */
  unanswered: z.record(z.string(), Unanswered).optional(),
});
export type ConditionEvidence = z.infer<typeof ConditionEvidence>;
export const NO_EVIDENCE: ConditionEvidence = { baselines: {}, evaluations: {} };

/** Files that a firing names; of more only their number is kept. */
export const FIRED_FILES_MAX = 20;
const FILE_CHARS_MAX = 1_024;

/** The files whose changes made a trigger fire, newest first; `more` is how many others there were. */
export const FiredFiles = z.object({
  names: z.array(z.string().max(FILE_CHARS_MAX)).max(FIRED_FILES_MAX),
  more: z.number().int().positive().optional(),
});
export type FiredFiles = z.infer<typeof FiredFiles>;

/** The part of these files that a firing names. */
export function firedFiles(files: readonly string[]): FiredFiles | undefined {
  const names = files.filter(({ length }) => length <= FILE_CHARS_MAX).slice(0, FIRED_FILES_MAX);
  const more = files.length - names.length;
  return files.length === 0 ? undefined : { names, ...(more > 0 && { more }) };
}

/** One firing: the id of the task or the event that it is. */
export const Occurrence = z.object({
  id: Id,
  /** The moment that it is for; of a condition or a command, when that was decided. */
  at: z.iso.datetime(),
  given: Given.optional(),
  files: FiredFiles.optional(),
});
export type Occurrence = z.infer<typeof Occurrence>;

/** Occurrences that are not run, `from` to `to`; `count` is not known where there are too many to count. */
export const Skip = z.object({
  id: Id,
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  count: z.number().int().positive().nullable(),
  reason: z.string(),
});
export type Skip = z.infer<typeof Skip>;

/** The decision of a trigger version. Any process that sees it carries it out; the next version is made when all of it is durable. */
export const TriggerDecision = z.object({ fire: z.array(Occurrence).max(MISSED_MAX), skip: z.array(Skip).max(2) });
export type TriggerDecision = z.infer<typeof TriggerDecision>;
export const NO_DECISION: TriggerDecision = { fire: [], skip: [] };

export const Fired = Occurrence.omit({ given: true, files: true }).extend({ outcome: z.literal("fired") });
export const Skipped = Skip.extend({ outcome: z.literal("skipped") });
/** A line of what a trigger did lately, newest last: a firing, or a stretch that was skipped. */
export const PastOccurrence = z.discriminatedUnion("outcome", [Fired, Skipped]);
export type PastOccurrence = z.infer<typeof PastOccurrence>;

const versioned = { id: TriggerId, version: z.number().int().positive() };

/** Why a trigger is over: its one occurrence is decided, it was deleted, or its origin was cancelled. */
export const Over = z.enum(["spent", "deleted", "cancelled"]);
export type Over = z.infer<typeof Over>;

export const DependentTask = z.object({
  ...versioned,
  type: z.literal("link"),
  condition: Condition,
  task: Task,
  evidence: ConditionEvidence,
});
export type DependentTask = z.infer<typeof DependentTask>;

const triggerFields = {
  ...versioned,
  createdAt: z.iso.datetime(),
  title: Title,
  prompt: Prompt,
  target: Target,
  priority: Priority,
  timeoutSec: TimeoutSec.nullable(),
  onInterrupt: OnInterrupt,
  budget: TriggerBudget.optional(),
  /** Where its work is done, if not here. */
  pool: PoolName.optional(),
  /** Its runs are held to this skill; only those for a Worker have one. */
  skill: SkillRef.optional(),
  traceId: Id,
  parentId: Id.optional(),
  /** 0: a user's; 1: made by the work of such a one; … (SPEC D8). */
  depth: z.number().int().min(0).max(TRIGGER_DEPTH_MAX),
  paused: z.boolean(),
  /** Its work asks as `autonomy` says. One without it is older than that setting, and its work never asks. */
  asks: z.literal(true).optional(),
  /** It decides nothing any more, for this reason: when all that it has decided is durable, it is archived. */
  over: Over.optional(),
  /** The commands that are in this version, the last ones: a command that comes again changes nothing. */
  applied: z.array(Id).max(APPLIED_MAX),
  decision: TriggerDecision,
  recent: z.array(PastOccurrence).max(RECENT_MAX),
};

export const Recurring = z.object({
  ...triggerFields,
  type: z.literal("recurring"),
  schedule: Schedule,
  missed: Missed,
  /** The occurrence that was decided last or, before the first, the moment that the schedule counts from (SPEC D5). */
  last: z.iso.datetime(),
  /** How often it has started over; part of the ids of its occurrences, so that a moment that a wrong clock used up is due again. */
  epoch: z.number().int().min(1).max(EPOCH_MAX).optional(),
});
export type Recurring = z.infer<typeof Recurring>;

export const Scheduled = z.object({
  ...triggerFields,
  type: z.literal("scheduled"),
  runAt: z.iso.datetime({ offset: true }),
  missed: Missed,
});
export type Scheduled = z.infer<typeof Scheduled>;

export const Conditional = z.object({
  ...triggerFields,
  type: z.literal("conditional"),
  condition: Condition,
  cooldownSec: z.number().int().min(0).max(COOLDOWN_SEC_MAX),
  /** It fires when it has held without a break for so long; at once where this is missing. */
  stableSec: z.number().int().positive().max(STABLE_SEC_MAX).optional(),
  /** Since when it holds, as far as it was looked at. Only with `stableSec`. */
  heldSince: z.iso.datetime().optional(),
  evidence: ConditionEvidence,
  /** It was seen not to hold since it fired last (SPEC D4: it fires when it turns from false to true). */
  isArmed: z.boolean(),
  /** How often it has fired. */
  fired: z.number().int().nonnegative(),
  firedAt: z.iso.datetime().optional(),
});
export type Conditional = z.infer<typeof Conditional>;

export const Trigger = z.discriminatedUnion("type", [Recurring, Scheduled, Conditional]);
export type Trigger = z.infer<typeof Trigger>;

export const TriggerRecord = z.discriminatedUnion("type", [DependentTask, Recurring, Scheduled, Conditional]);
export type TriggerRecord = z.infer<typeof TriggerRecord>;
