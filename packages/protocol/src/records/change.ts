/**
 * A change that can be undone (SPEC J3). Its record `undo/<id>.json` is created once, before the change is made, under
 * the id of the effect or the command that it comes from, and holds what taking it back needs. It never changes: that it was
 * undone is said by `archive/<id>.undone`.
 */
import { z } from "zod";
import { MemoryDocument, OnInterrupt, Priority, Prompt, TimeoutSec, Title } from "../base/fields.ts";
import { Id } from "../base/id.ts";
import { Condition } from "../triggers/condition-schema.ts";
import { Missed, Schedule, Target, TriggerBudget } from "../triggers/trigger-order.ts";
import { EFFECT_ROLES } from "./effect.ts";
import { Merged, SELF_IMPROVE } from "./improvement.ts";
import { Trigger, TriggerId } from "./trigger.ts";

export const CHANGE_TITLE_CHARS_MAX = 120;
/** Records of changes are kept for so many days, and the newest of them. */
export const CHANGES_KEEP_DAYS = 30;
export const CHANGES_KEPT_MAX = 1_000;

/** The author of the change; roles only make triggers. */
export const Changer = z.enum(["user", ...EFFECT_ROLES.schedule, SELF_IMPROVE]);
export type Changer = z.infer<typeof Changer>;

const change = {
  kind: z.literal("change"),
  id: Id,
  at: z.iso.datetime(),
  by: Changer,
  title: z.string().min(1).max(CHANGE_TITLE_CHARS_MAX),
};

/** A line that was removed, with those around it; null where it was the first or the last. */
const removed = {
  op: z.literal("remove"),
  line: z.string(),
  previous: z.string().nullable(),
  next: z.string().nullable(),
};

const memory = { ...change, what: z.literal("memory"), document: MemoryDocument };
/** `line` and `after` may be several lines: those of an entry, with their marks. */
export const MemoryChange = z.discriminatedUnion("op", [
  /** Lines that were added to a document, as they were written, with the mark of their edit. */
  z.object({ ...memory, op: z.literal("add"), text: z.string() }),
  z.object({ ...memory, op: z.literal("change"), line: z.string(), after: z.string() }),
  z.object({ ...memory, ...removed }),
]);

const backlog = { ...change, what: z.literal("backlog"), document: z.literal("backlog.md") };
export const BacklogChange = z.discriminatedUnion("op", [
  z.object({ ...backlog, op: z.literal("add"), text: z.string() }),
  /** A line before and after it was ticked off. */
  z.object({ ...backlog, op: z.literal("done"), line: z.string(), after: z.string() }),
  z.object({ ...backlog, ...removed }),
]);
export type BacklogChange = z.infer<typeof BacklogChange>;

/** A change of a document that people edit too. */
export const DocumentChange = z.discriminatedUnion("what", [MemoryChange, BacklogChange]);
export type DocumentChange = z.infer<typeof DocumentChange>;

/** The fields of a trigger that users can change. */
export const TriggerFields = z
  .object({
    title: Title,
    prompt: Prompt,
    target: Target,
    priority: Priority,
    timeoutSec: TimeoutSec.nullable(),
    onInterrupt: OnInterrupt,
    budget: TriggerBudget,
    paused: z.boolean(),
    schedule: Schedule,
    missed: Missed,
    runAt: z.iso.datetime({ offset: true }),
    condition: Condition,
    cooldownSec: z.number().int().nonnegative(),
    stableSec: z.number().int().nonnegative(),
  })
  .partial();
export type TriggerFields = z.infer<typeof TriggerFields>;

const trigger = { ...change, what: z.literal("trigger") };
export const TriggerEdit = z.discriminatedUnion("op", [
  z.object({ ...trigger, op: z.literal("create"), triggerId: TriggerId }),
  /** Only the fields that were changed; one that was not set before is missing there. */
  z.object({
    ...trigger,
    op: z.literal("change"),
    triggerId: TriggerId,
    before: TriggerFields,
    after: TriggerFields,
  }),
  z.object({ ...trigger, op: z.literal("delete"), trigger: Trigger }),
]);
export type TriggerEdit = z.infer<typeof TriggerEdit>;

/** The settings as they were, and the SHA-256 (hex) of the text that replaced them. */
export const ConfigChange = z.object({
  ...change,
  what: z.literal("config"),
  op: z.literal("edit"),
  before: z.string(),
  after: z.string(),
});
export type ConfigChange = z.infer<typeof ConfigChange>;

/** A self-improvement that was merged into the user's branch; the id is that of the improvement. */
export const MergeChange = z.object({
  ...change,
  what: z.literal("improvement"),
  op: z.literal("merge"),
  number: z.number().int().positive(),
  merged: Merged,
});
export type MergeChange = z.infer<typeof MergeChange>;

export const UndoableChange = z.discriminatedUnion("what", [
  MemoryChange,
  BacklogChange,
  TriggerEdit,
  ConfigChange,
  MergeChange,
]);
export type UndoableChange = z.infer<typeof UndoableChange>;
