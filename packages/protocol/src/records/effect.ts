/**
 * A change that a role wants, as data. Effects are staged in a result and applied once, when the supervisor applies it
 * (docs/ARCHITECTURE.md#the-five-ideas). The effect at index k of task T makes the record `T.k`, so its id is known when
 * it is staged.
 */
import { z } from "zod";
import {
  MESSAGE_CHARS_MAX,
  MemoryDocument,
  OnInterrupt,
  PoolName,
  Priority,
  Prompt,
  TaskName,
  TimeoutSec,
  Title,
} from "../base/fields.ts";
import { Id } from "../base/id.ts";
import type { Role } from "../base/role.ts";
import { SkillRef } from "../base/skill.ts";
import { Condition } from "../triggers/condition-schema.ts";
import { TriggerOrder, When } from "../triggers/trigger-order.ts";
import { ENTRY_NAME_CHARS_MAX } from "./memory-entry.ts";
import { Answer, OPTION_CHARS_MAX, OPTIONS_MAX, QUESTION_CHARS_MAX, QUESTION_TIMEOUT_SEC_MAX } from "./question.ts";

export const REPLY_CHARS_MAX = 200_000;
export const REMEMBER_CHARS_MAX = 2_000;
export const BACKLOG_ITEM_CHARS_MAX = 500;
export const EFFECTS_MAX = 64;
export const CONVERSATION_SUMMARY_CHARS_MAX = 4_000;
export const RESULT_SUMMARY_CHARS_MAX = 2_000;
/** More does not fit where a notification is shown. */
export const NOTIFICATION_CHARS_MAX = 500;
export const NOTIFICATION_TITLE_CHARS_MAX = 100;

/** Files of the Teller's own beside memory: who it is, and who the user is (SPEC F1). */
export const RememberTarget = z.enum(["persona", "profile"]);
export type RememberTarget = z.infer<typeof RememberTarget>;
/** The same, and the words that no model is shown again. */
export const MemoryTarget = z.enum([...RememberTarget.options, "forgotten"]);
export type MemoryTarget = z.infer<typeof MemoryTarget>;

export const ReplyEffect = z.object({
  type: z.literal("reply"),
  text: z.string().min(1).max(REPLY_CHARS_MAX),
  /** Characters at its beginning that the assistant said itself; a notice of the code follows. All of it if not given. */
  spoken: z.number().int().nonnegative().optional(),
});
export const DelegateEffect = z.object({
  type: z.literal("delegate"),
  /** By which later tasks of the same plan can name it. */
  name: TaskName.optional(),
  prompt: Prompt,
  title: Title.optional(),
  priority: Priority.optional(),
  timeoutSec: TimeoutSec.optional(),
  condition: Condition.optional(),
  onInterrupt: OnInterrupt.optional(),
  /** The skill that the Worker follows, and whose limits apply to it. */
  skill: SkillRef.optional(),
  /** The machine, or the label of machines, where it is done. */
  pool: PoolName.optional(),
});
/** A trigger; its id is that of the effect. */
export const ScheduleEffect = z.object({ type: z.literal("schedule"), order: TriggerOrder, when: When });
export const AskEffect = z.object({
  type: z.literal("ask_user"),
  question: z.string().min(1).max(QUESTION_CHARS_MAX),
  options: z.array(z.string().min(1).max(OPTION_CHARS_MAX)).max(OPTIONS_MAX).optional(),
  default: Answer.optional(),
  timeoutSec: z.number().int().min(1).max(QUESTION_TIMEOUT_SEC_MAX).optional(),
});
/** The processes start again, once the user has said yes. */
export const RestartEffect = z.object({ type: z.literal("restart_server") });
/** An entry of a document of memory, named by how it begins. */
const Entry = z.object({ document: MemoryDocument, entry: z.string().min(1).max(ENTRY_NAME_CHARS_MAX) });
export const RememberEffect = z.object({
  type: z.literal("remember"),
  content: z.string().trim().min(1).max(REMEMBER_CHARS_MAX),
  longTerm: z.boolean(),
  target: RememberTarget.optional(),
  /** It takes the place of this; where that is not there any more, it is added. */
  replaces: Entry.optional(),
});
/** The entry goes, and what was said of it up to then is shown to no model; without an entry, what was said. */
export const ForgetEffect = z.object({
  type: z.literal("forget"),
  ...Entry.partial().shape,
  said: z.string().min(1).max(MESSAGE_CHARS_MAX).optional(),
});
/** Later contexts read `summary` instead of the conversation up to this turn; without one it is made by rule (SPEC F3). */
export const CompressEffect = z.object({
  type: z.literal("compress_context"),
  summary: z.string().min(1).max(CONVERSATION_SUMMARY_CHARS_MAX).optional(),
});
/** Later turns read `summary` instead of what the task handed in. */
export const SummarizeResultEffect = z.object({
  type: z.literal("summarize_task_result"),
  taskId: Id,
  summary: z.string().min(1).max(RESULT_SUMMARY_CHARS_MAX),
});
export const BacklogEffect = z.object({
  type: z.literal("update_backlog"),
  op: z.enum(["add", "done", "remove"]),
  item: z.string().trim().min(1).max(BACKLOG_ITEM_CHARS_MAX),
});
/** The user is to see this even where they do not look. */
export const NotifyEffect = z.object({
  type: z.literal("notify"),
  text: z.string().min(1).max(NOTIFICATION_CHARS_MAX),
  title: z.string().min(1).max(NOTIFICATION_TITLE_CHARS_MAX).optional(),
});
export const CancelEffect = z.object({ type: z.literal("cancel_task"), id: Id });

export const Effect = z.discriminatedUnion("type", [
  ReplyEffect,
  DelegateEffect,
  RememberEffect,
  ForgetEffect,
  BacklogEffect,
  CancelEffect,
  ScheduleEffect,
  AskEffect,
  RestartEffect,
  CompressEffect,
  SummarizeResultEffect,
  NotifyEffect,
]);
export type Effect = z.infer<typeof Effect>;
export type EffectOf<T extends Effect["type"]> = Extract<Effect, { type: T }>;

/** The roles that may have each effect (SPEC G). */
export const EFFECT_ROLES: Record<Effect["type"], readonly Role[]> = {
  reply: ["teller"],
  delegate: ["teller", "planner"],
  remember: ["teller"],
  forget: ["teller"],
  update_backlog: ["teller"],
  cancel_task: ["teller", "planner"],
  schedule: ["teller", "planner"],
  ask_user: ["teller"],
  restart_server: ["teller"],
  notify: ["teller"],
  compress_context: ["teller"],
  summarize_task_result: ["teller"],
};
