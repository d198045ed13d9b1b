/**
 * What a role wants to change, as data. Effects are staged in a result and applied once, when the supervisor settles
 * it (ARCHITECTURE 4). The effect at index k of task T makes the record `T.k`, so its id is known when it is staged.
 */
import { z } from "zod";
import { Condition } from "./condition.ts";
import { Id } from "./id.ts";

export const REPLY_CHARS_MAX = 200_000;
export const PROMPT_CHARS_MAX = 100_000;
export const TITLE_CHARS_MAX = 200;
export const REMEMBER_CHARS_MAX = 2_000;
export const BACKLOG_ITEM_CHARS_MAX = 500;
export const TIMEOUT_SEC_MAX = 86_400;
export const EFFECTS_MAX = 64;

export const Priority = z.number().int().min(0).max(10);
export const TimeoutSec = z.number().int().min(1).max(TIMEOUT_SEC_MAX);
export const Title = z.string().min(1).max(TITLE_CHARS_MAX);
export const Prompt = z.string().min(1).max(PROMPT_CHARS_MAX);

export const ReplyEffect = z.object({ type: z.literal("reply"), text: z.string().min(1).max(REPLY_CHARS_MAX) });
export const DelegateEffect = z.object({
  type: z.literal("delegate"),
  prompt: Prompt,
  title: Title.optional(),
  priority: Priority.optional(),
  timeoutSec: TimeoutSec.optional(),
  condition: Condition.optional(),
});
export const RememberEffect = z.object({
  type: z.literal("remember"),
  content: z.string().min(1).max(REMEMBER_CHARS_MAX),
  longTerm: z.boolean(),
});
export const BacklogEffect = z.object({
  type: z.literal("update_backlog"),
  op: z.enum(["add", "done", "remove"]),
  item: z.string().min(1).max(BACKLOG_ITEM_CHARS_MAX),
});
export const CancelEffect = z.object({ type: z.literal("cancel_task"), id: Id });

export const Effect = z.discriminatedUnion("type", [
  ReplyEffect,
  DelegateEffect,
  RememberEffect,
  BacklogEffect,
  CancelEffect,
]);
export type Effect = z.infer<typeof Effect>;
export type EffectOf<T extends Effect["type"]> = Extract<Effect, { type: T }>;
