/** The order of a trigger: its work and its time (SPEC D4, D6; docs/file-protocol.md#commands). */
import { z } from "zod";
import { OnInterrupt, PoolName, Priority, Prompt, TimeoutSec, Title } from "../base/fields.ts";
import { TARGETS } from "../base/kind.ts";
import { SkillRef } from "../base/skill.ts";
import { sentence } from "../texts/coded.ts";
import { Condition, TimeZone } from "./condition-schema.ts";

/** Triggers at one time (SPEC D8). */
export const TRIGGERS_MAX = 1_000;
/** A trigger that a trigger's work made, that a trigger's work made: no deeper (SPEC D8). */
export const TRIGGER_DEPTH_MAX = 2;
export const INTERVAL_SEC_MIN = 10;
export const INTERVAL_SEC_MAX = 366 * 86_400;
/** A condition that has fired rests at least for this long, so that a file that never rests costs no fortune. */
export const COOLDOWN_SEC_MIN = 10;
export const COOLDOWN_SEC_MAX = 366 * 86_400;
/** For so long a condition may have to hold before it fires. */
export const STABLE_SEC_MAX = 366 * 86_400;
/**
 * `missed: "all"` makes up for this many occurrences; the older ones are skipped (docs/triggers.md#what-was-missed).
 */
export const MISSED_MAX = 100;
/** Characters of what comes along with a firing from outside. */
export const GIVEN_CHARS_MAX = 32_000;

export const EVENT_CHARS_MAX = 100;

/** A payload that came with a firing from outside, through the hook `from`: data that is quoted to a model, never an order (docs/hooks.md). */
export const Given = z.object({
  from: z.string().max(64),
  text: z.string().max(GIVEN_CHARS_MAX),
  /** The event, as its sender names it. */
  event: z.string().max(EVENT_CHARS_MAX).optional(),
});
export type Given = z.infer<typeof Given>;
/** Six fields with seconds, or five; what they mean is checked by `scheduleProblem` of packages/core. */
const Cron = z.string().trim().min(9).max(120);

export const Schedule = z.union([
  z.strictObject({ interval: z.number().int().min(INTERVAL_SEC_MIN).max(INTERVAL_SEC_MAX) }),
  z.strictObject({ cron: Cron, timezone: TimeZone }),
]);
export type Schedule = z.infer<typeof Schedule>;

/** The treatment of occurrences that were missed while nothing ran (SPEC D5). */
export const Missed = z.enum(["latest", "all", "none"]);
export type Missed = z.infer<typeof Missed>;

/** The role that gets a firing (SPEC D6). */
export const Target = z.enum(TARGETS);
export type Target = z.infer<typeof Target>;

/** The daily budget of one trigger; further occurrences are skipped, with a notice (SPEC N2). */
export const TriggerBudget = z.strictObject({
  tokens: z.number().int().positive().optional(),
  costUsd: z.number().positive().optional(),
});
export type TriggerBudget = z.infer<typeof TriggerBudget>;

/** The author's description of a trigger, besides its time. */
export const TriggerOrder = z.strictObject({
  prompt: Prompt,
  title: Title.optional(),
  target: Target.optional(),
  priority: Priority.optional(),
  timeoutSec: TimeoutSec.optional(),
  onInterrupt: OnInterrupt.optional(),
  budget: TriggerBudget.optional(),
  /** The machine, or the label of machines, where its work is done (docs/pools.md). */
  pool: PoolName.optional(),
  /** The skill that each run of a trigger for a Worker is held to. Only a recipe says it, so no flat order has it. */
  skill: SkillRef.optional(),
});
const FlatOrder = TriggerOrder.omit({ skill: true });

const Moment = z.iso.datetime({
  offset: true,
  error: sentence("wrong_moment", { moment: "2026-12-01T09:00:00+08:00" }),
});
const CooldownSec = z.number().int().min(0).max(COOLDOWN_SEC_MAX);
const StableSec = z.number().int().min(0).max(STABLE_SEC_MAX);

/** When a trigger fires, as its maker says it (SPEC G `schedule`; the command trigger-put). */
export const When = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("recurring"), schedule: Schedule, missed: Missed.optional() }),
  z.strictObject({
    type: z.literal("scheduled"),
    runAt: Moment,
    missed: Missed.optional(),
  }),
  z.strictObject({
    type: z.literal("conditional"),
    condition: Condition,
    cooldown: CooldownSec.optional(),
    stableFor: StableSec.optional(),
  }),
]);
export type When = z.infer<typeof When>;

/** A whole order for a trigger: what, and when. */
export const TriggerDefinition = z.strictObject({ order: TriggerOrder, when: When });
export type TriggerDefinition = z.infer<typeof TriggerDefinition>;

/** A schedule whose last occurrence is in the future, because the clock was ahead, counts from now. */
const Anew = z.literal(true);

/**
 * The changeable part of a trigger. Its fields replace the old ones; a new `when` must be of the same type, and starts
 * over. `missed`, `cooldown` and `stableFor` alone leave the time and the condition as they are.
 */
export const TriggerPatch = z.strictObject({
  order: FlatOrder.partial().optional(),
  when: When.optional(),
  missed: Missed.optional(),
  cooldown: CooldownSec.optional(),
  stableFor: StableSec.optional(),
  paused: z.boolean().optional(),
  anew: Anew.optional(),
});
export type TriggerPatch = z.infer<typeof TriggerPatch>;

/** The ways of saying when: exactly one of them. */
export const WHEN_FIELDS = ["interval", "cron", "runAt", "condition"] as const;

/**
 * An order for a trigger as models, the API and the command line say it: flat, with one of `interval` (seconds),
 * `cron`, `runAt` and `condition`. `definitionOf` of packages/core makes a TriggerDefinition of it.
 */
export const TriggerInput = z.strictObject({
  ...FlatOrder.shape,
  type: z.enum(["recurring", "scheduled", "conditional"]).optional(),
  interval: z.number().int().min(INTERVAL_SEC_MIN).max(INTERVAL_SEC_MAX).optional(),
  cron: Cron.optional(),
  timezone: TimeZone.optional(),
  runAt: Moment.optional(),
  condition: Condition.optional(),
  cooldown: CooldownSec.optional(),
  stableFor: StableSec.optional(),
  missed: Missed.optional(),
});
export type TriggerInput = z.infer<typeof TriggerInput>;

/** The changeable part of a trigger, as the API and the command line name it. */
export const TriggerChange = TriggerInput.omit({ type: true })
  .partial()
  .extend({ paused: z.boolean().optional(), anew: Anew.optional() });
export type TriggerChange = z.infer<typeof TriggerChange>;
