/**
 * The one door in: whatever a user, the CLI or a script wants is a record in `inbox/` (docs/file-protocol.md#wishes).
 * Events are the supervisor's own records for the Teller.
 */
import { z } from "zod";
import { AttachedFiles, AttachmentOrders } from "../base/attachment.ts";
import { MESSAGE_CHARS_MAX } from "../base/fields.ts";
import { Id } from "../base/id.ts";
import { TriggerDefinition, TriggerPatch } from "../triggers/trigger-order.ts";
import { BacklogEffect, RememberEffect } from "./effect.ts";
import { Answer } from "./question.ts";

export const ClientClock = z.object({ timeZone: z.string().min(1).max(64), now: z.iso.datetime({ offset: true }) });
export type ClientClock = z.infer<typeof ClientClock>;

export const Message = z.object({
  kind: z.literal("message"),
  id: Id,
  at: z.iso.datetime(),
  text: z.string().min(1).max(MESSAGE_CHARS_MAX),
  client: ClientClock.optional(),
  quote: Id.optional(),
  /** `next`: it gets a turn of its own, after the one that runs (SPEC I5). */
  mode: z.literal("next").optional(),
  /** What was given along with the words (SPEC I8). */
  attachments: AttachedFiles.optional(),
});
export type Message = z.infer<typeof Message>;

/**
 * A system event for the Teller (SPEC H). `data` is for the model, `text` for people. Only the supervisor may say such
 * things, so it seals them: `mac` is the HMAC of the record with the token (`seal.ts` in packages/store).
 */
export const Event = z.object({
  kind: z.literal("event"),
  id: Id,
  at: z.iso.datetime(),
  name: z.enum([
    "task_result",
    "cron_trigger",
    "question_answered",
    "question_expired",
    "action_feedback",
    "budget",
    "restarted",
  ]),
  text: z.string(),
  data: z.record(z.string(), z.unknown()),
  mac: z.string().optional(),
});
export type Event = z.infer<typeof Event>;

export const CancelWish = z.object({ kind: z.literal("cancel"), id: Id, at: z.iso.datetime(), taskId: Id });
export type CancelWish = z.infer<typeof CancelWish>;

/** Carries authority, so it is believed only with its seal. */
export const RestartWish = z.object({ kind: z.literal("restart"), id: Id, at: z.iso.datetime(), mac: z.string() });
export type RestartWish = z.infer<typeof RestartWish>;

/**
 * Words for what runs now (SPEC I5). Without `taskId` it is the running turn or, where no turn runs, the task that began
 * last. Where nothing hears them they become a message.
 */
export const SteerWish = z.object({
  kind: z.literal("steer"),
  id: Id,
  at: z.iso.datetime(),
  text: z.string().min(1).max(MESSAGE_CHARS_MAX),
  taskId: Id.optional(),
});
export type SteerWish = z.infer<typeof SteerWish>;

/** End what runs now; which that is, is found as for a steer. */
export const StopWish = z.object({ kind: z.literal("stop"), id: Id, at: z.iso.datetime(), taskId: Id.optional() });
export type StopWish = z.infer<typeof StopWish>;

/** The conversation begins anew: no later context reads what is before it (SPEC F3). Believed only with its seal. */
export const ClearWish = z.object({ kind: z.literal("clear"), id: Id, at: z.iso.datetime(), mac: z.string() });
export type ClearWish = z.infer<typeof ClearWish>;

/** Carries authority like all that follow, so it is believed only with its seal. */
export const AnswerWish = z.object({
  kind: z.literal("answer"),
  id: Id,
  at: z.iso.datetime(),
  questionId: Id,
  answer: Answer,
  mac: z.string(),
});
export type AnswerWish = z.infer<typeof AnswerWish>;

/** A new standing trigger; its id is `trg-` and the hexadecimal digits of the wish's. */
export const TriggerPutWish = z.object({
  kind: z.literal("trigger-put"),
  id: Id,
  at: z.iso.datetime(),
  definition: TriggerDefinition,
  mac: z.string(),
});
export type TriggerPutWish = z.infer<typeof TriggerPutWish>;

export const TriggerPatchWish = z.object({
  kind: z.literal("trigger-patch"),
  id: Id,
  at: z.iso.datetime(),
  triggerId: Id,
  patch: TriggerPatch,
  mac: z.string(),
});
export type TriggerPatchWish = z.infer<typeof TriggerPatchWish>;

export const TriggerDeleteWish = z.object({
  kind: z.literal("trigger-delete"),
  id: Id,
  at: z.iso.datetime(),
  triggerId: Id,
  mac: z.string(),
});
export type TriggerDeleteWish = z.infer<typeof TriggerDeleteWish>;

/** Fire now, whatever the schedule says; it changes nothing of the schedule. */
export const TriggerRunWish = z.object({
  kind: z.literal("trigger-run"),
  id: Id,
  at: z.iso.datetime(),
  triggerId: Id,
  mac: z.string(),
});
export type TriggerRunWish = z.infer<typeof TriggerRunWish>;

/** What the user wants to be remembered: in memory.md, in the notes of the day, or in a file of its own (`target`). */
export const MemoryAddWish = z.object({
  ...RememberEffect.omit({ type: true }).shape,
  kind: z.literal("memory-add"),
  id: Id,
  at: z.iso.datetime(),
  mac: z.string(),
});
export type MemoryAddWish = z.infer<typeof MemoryAddWish>;

/** What the user does to the backlog; an item is named by its text, or by its number in the list. */
export const BacklogEditWish = z.object({
  ...BacklogEffect.omit({ type: true }).shape,
  kind: z.literal("backlog-edit"),
  id: Id,
  at: z.iso.datetime(),
  mac: z.string(),
});
export type BacklogEditWish = z.infer<typeof BacklogEditWish>;

/** Look for something to improve now, whatever the clock says. */
export const ImproveWish = z.object({ kind: z.literal("improve"), id: Id, at: z.iso.datetime(), mac: z.string() });
export type ImproveWish = z.infer<typeof ImproveWish>;

/** A change is to be taken back (SPEC J3). */
export const UndoWish = z.object({
  kind: z.literal("undo"),
  id: Id,
  at: z.iso.datetime(),
  changeId: Id,
  mac: z.string(),
});
export type UndoWish = z.infer<typeof UndoWish>;

export const Wish = z.discriminatedUnion("kind", [
  Message,
  Event,
  CancelWish,
  RestartWish,
  SteerWish,
  StopWish,
  ClearWish,
  AnswerWish,
  TriggerPutWish,
  TriggerPatchWish,
  TriggerDeleteWish,
  TriggerRunWish,
  MemoryAddWish,
  BacklogEditWish,
  ImproveWish,
  UndoWish,
]);
export type Wish = z.infer<typeof Wish>;

/** A file that somebody dropped into `inbox/`: the supervisor completes `id` and `at`. */
export const DroppedWish = z.discriminatedUnion("kind", [
  Message.partial({ id: true, at: true }).extend({ attachments: AttachmentOrders.optional() }),
  CancelWish.partial({ id: true, at: true }),
  SteerWish.partial({ id: true, at: true }),
  StopWish.partial({ id: true, at: true }),
]);
export type DroppedWish = z.infer<typeof DroppedWish>;
