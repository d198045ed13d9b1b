/**
 * The one door in: whatever a user, the CLI or a script wants is a record in `inbox/` (docs/file-protocol.md#commands). The
 * one table of them is COMMANDS, below. Events are the supervisor's own records for the Teller.
 */
import { z } from "zod";
import { AttachedFiles, AttachmentOrders } from "../base/attachment.ts";
import { MESSAGE_CHARS_MAX, MemoryDocument, PoolName, Prompt } from "../base/fields.ts";
import { Id } from "../base/id.ts";
import { Via } from "../channels/via.ts";
import { Given, TriggerDefinition, TriggerPatch } from "../triggers/trigger-order.ts";
import { BacklogEffect, MemoryTarget, RememberEffect } from "./effect.ts";
import { ENTRY_NAME_CHARS_MAX } from "./memory-entry.ts";
import { Answer } from "./question.ts";

/** Every record in inbox/ begins with its kind, its id and its time. */
function stamp<K extends string>(kind: K) {
  return { kind: z.literal(kind), id: Id, at: z.iso.datetime() };
}
/** A dropped file need not have these: the supervisor completes them. */
const COMPLETED = { id: true, at: true } as const;
/** A record that carries authority is believed only with its signature: the HMAC of it with the token (`sign.ts` in packages/store). */
const SIGNED = { mac: z.string() };

export const ClientClock = z.object({ timeZone: z.string().min(1).max(64), now: z.iso.datetime({ offset: true }) });
export type ClientClock = z.infer<typeof ClientClock>;

/** The provider and model for one message, in place of those of the settings. */
export const AnswerBy = z.strictObject({
  provider: z.string().min(1).max(64),
  model: z.string().trim().min(1).max(200).optional(),
});
export type AnswerBy = z.infer<typeof AnswerBy>;

export const Message = z.object({
  ...stamp("message"),
  text: z.string().min(1).max(MESSAGE_CHARS_MAX),
  client: ClientClock.optional(),
  quote: Id.optional(),
  /** `next`: it gets a turn of its own, after the one that runs (SPEC I5). */
  mode: z.literal("next").optional(),
  /** The files attached to the message (SPEC I8). */
  attachments: AttachedFiles.optional(),
  /** Believed only with its signature; such a message has a turn of its own. */
  answerBy: AnswerBy.optional(),
  /** Where the work that it starts is done. Believed only with its signature; such a message has a turn of its own. */
  pool: PoolName.optional(),
  /** The channel that it came by; none for the page, a terminal, the API and files. */
  via: Via.optional(),
  /** It came with words of others, as a forwarded text, which are in its attachments: no order is read from its text. */
  isQuoting: z.literal(true).optional(),
  mac: z.string().optional(),
});
export type Message = z.infer<typeof Message>;

/** The part of an event's data that code reads. The rest, which only a model reads, is kept as it is: the signature is over it, too. */
const EventData = z.looseObject({ triggerId: z.string().optional(), triggerDepth: z.number().optional() });
const FiredData = EventData.extend({ occurrence: z.string(), prompt: z.string() });
const AskedData = EventData.extend({
  questionId: z.string().optional(),
  question: z.string().optional(),
  answer: z.string().nullable().optional(),
  wishId: z.string().optional(),
  /** The message that answered it; the same turn takes both. */
  messageId: z.string().optional(),
  /** The report that was asked about. */
  about: z.unknown().optional(),
});

const AnyEvent = z.object({ ...stamp("event"), text: z.string(), data: EventData, mac: z.string().optional() });
/**
 * A system event for the Teller (SPEC H). `data` is for the model, `text` for people. Only the supervisor may say such
 * things, so it signs them.
 */
export const Event = z.discriminatedUnion("name", [
  AnyEvent.extend({ name: z.enum(["task_result", "action_feedback", "budget", "restarted"]) }),
  AnyEvent.extend({ name: z.literal("cron_trigger"), data: FiredData }),
  AnyEvent.extend({ name: z.enum(["question_answered", "question_expired"]), data: AskedData }),
]);
export type Event = z.infer<typeof Event>;
export type FiredEvent = Extract<Event, { name: "cron_trigger" }>;

/**
 * Words for what runs now (SPEC I5). Without `taskId` it is the running turn or, where no turn runs, the task that began
 * last. Where nothing hears them they become a message.
 */
const Steer = z.object({
  ...stamp("steer"),
  text: z.string().min(1).max(MESSAGE_CHARS_MAX),
  taskId: Id.optional(),
  /** The channel that it came by, if it is to become a message of it. */
  via: Via.optional(),
});
/**
 * End what runs now; which that is, is found as for a steer. With `only` it is the open turn or nothing: a reply that ends
 * just before the stop arrives must not hand it on to a task.
 */
const Stop = z.object({ ...stamp("stop"), taskId: Id.optional(), only: z.literal("reply").optional() });
const Cancel = z.object({ ...stamp("cancel"), taskId: Id });

/** The conversation starts over: no later context reads what is before it (SPEC F3). */
export const ClearCommand = z.object({ ...stamp("clear"), ...SIGNED });

/** The last thing that the user said is to be answered again (docs/file-protocol.md#the-life-of-a-second-thought). */
export const RetryCommand = z.object({
  ...stamp("retry"),
  /** The turn that has answered it; the last one where none is named. */
  turnId: Id.optional(),
  /** The last message of that turn, in other words. */
  edit: z.object({ messageId: Id, text: z.string().min(1).max(MESSAGE_CHARS_MAX) }).optional(),
  answerBy: AnswerBy.optional(),
  ...SIGNED,
});
export type RetryCommand = z.infer<typeof RetryCommand>;

/** One kind of command. Any process may drop it as a file, or it carries authority: then it has a signature, and needs it. */
type CommandRow = {
  /** How its ids begin. */
  prefix: string;
  /** The pattern of its ids, if the prefix does not say enough. */
  id?: RegExp;
} & (
  | { schema: z.ZodObject; dropped: z.ZodObject }
  | { schema: z.ZodObject & { shape: typeof SIGNED }; dropped?: never }
);

/** Every kind of command there is: all that knows them by kind follows from this table (docs/file-protocol.md#commands). */
const TABLE = [
  {
    prefix: "m",
    schema: Message,
    dropped: Message.omit({ answerBy: true, pool: true, via: true, mac: true })
      .partial(COMPLETED)
      .extend({ attachments: AttachmentOrders.optional() }),
  },
  { prefix: "c", schema: Cancel, dropped: Cancel.partial(COMPLETED) },
  // If no run receives it, its message is called m-<id>: that must be an id, too.
  { prefix: "s", id: /^(s|m-f)-.{1,122}$/, schema: Steer, dropped: Steer.omit({ via: true }).partial(COMPLETED) },
  { prefix: "stop", schema: Stop, dropped: Stop.partial(COMPLETED) },
  { prefix: "r", schema: z.object({ ...stamp("restart"), ...SIGNED }) },
  { prefix: "clear", schema: ClearCommand },
  { prefix: "retry", schema: RetryCommand },
  {
    prefix: "a",
    schema: z.object({ ...stamp("answer"), questionId: Id, answer: Answer, via: Via.optional(), ...SIGNED }),
  },
  // A new trigger; its id is `trg-` and the hexadecimal digits of the command's.
  { prefix: "put", schema: z.object({ ...stamp("trigger-put"), definition: TriggerDefinition, ...SIGNED }) },
  { prefix: "patch", schema: z.object({ ...stamp("trigger-patch"), triggerId: Id, patch: TriggerPatch, ...SIGNED }) },
  { prefix: "delete", schema: z.object({ ...stamp("trigger-delete"), triggerId: Id, ...SIGNED }) },
  // Fire now, whatever the schedule says; it changes nothing of the schedule.
  { prefix: "run", schema: z.object({ ...stamp("trigger-run"), triggerId: Id, given: Given.optional(), ...SIGNED }) },
  // To be remembered in memory.md, in the notes of the day, or in a file of its own (`target`); `forgotten` is the opposite.
  {
    prefix: "memory",
    schema: z.object({
      ...RememberEffect.omit({ type: true, replaces: true }).shape,
      target: MemoryTarget.optional(),
      ...stamp("memory-add"),
      ...SIGNED,
    }),
  },
  // An entry of a document of memory is to read otherwise or, without `to`, to go. It is named by how it begins.
  {
    prefix: "entry",
    schema: z.object({
      ...stamp("memory-edit"),
      document: MemoryDocument,
      entry: z.string().min(1).max(ENTRY_NAME_CHARS_MAX),
      to: RememberEffect.shape.content.optional(),
      ...SIGNED,
    }),
  },
  // An item is named by its text, or by its number in the list.
  {
    prefix: "backlog",
    schema: z.object({ ...BacklogEffect.omit({ type: true }).shape, ...stamp("backlog-edit"), ...SIGNED }),
  },
  // Look for something to improve now, whatever the clock says.
  { prefix: "improve", schema: z.object({ ...stamp("improve"), ...SIGNED }) },
  // An ended task is to be done once more, as a new one; `text` is asked in place of what was asked then.
  { prefix: "again", schema: z.object({ ...stamp("again"), taskId: Id, text: Prompt.optional(), ...SIGNED }) },
  // Commands with a prefix that was allowed for good ask again.
  { prefix: "revoke", schema: z.object({ ...stamp("revoke"), approvalId: Id, ...SIGNED }) },
  // A change is to be undone (SPEC J3).
  { prefix: "undo", schema: z.object({ ...stamp("undo"), changeId: Id, ...SIGNED }) },
] as const satisfies readonly CommandRow[];

/** How the id of a dropped file begins. */
export const DROPPED_PREFIX = "m-f";

/** As a discriminated union wants them. */
type Many<T> = [T, ...T[]];
type Row = (typeof TABLE)[number];
type Dropped = Extract<Row, { dropped: unknown }>["dropped"];

/** The table by kind. */
export const COMMANDS = Object.fromEntries(TABLE.map((row) => [row.schema.shape.kind.value, row])) as unknown as Record<
  z.infer<Row["schema"]>["kind"],
  CommandRow
>;

const SCHEMAS = TABLE.map(({ schema }) => schema);

export const InboxCommand = z.discriminatedUnion("kind", [Event, ...SCHEMAS]);
export type InboxCommand = z.infer<typeof InboxCommand>;
export type CommandOf<K extends InboxCommand["kind"]> = Extract<InboxCommand, { kind: K }>;
export type CancelCommand = CommandOf<"cancel">;
export type RestartCommand = CommandOf<"restart">;
export type SteerCommand = CommandOf<"steer">;
export type StopCommand = CommandOf<"stop">;
export type ClearCommand = CommandOf<"clear">;
export type AnswerCommand = CommandOf<"answer">;
export type AgainCommand = CommandOf<"again">;
export type RevokeCommand = CommandOf<"revoke">;
export type UndoCommand = CommandOf<"undo">;

/** A command whose outcome is archived with it; messages and events are archived as they are. */
export const CommandWithOutcome = z.discriminatedUnion(
  "kind",
  SCHEMAS.filter((schema) => schema !== Message) as Many<Exclude<Row["schema"], typeof Message>>,
);
export type CommandWithOutcome = z.infer<typeof CommandWithOutcome>;

/** A file that was dropped into `inbox/`: the supervisor completes `id` and `at`. */
export const DroppedCommand = z.discriminatedUnion(
  "kind",
  TABLE.flatMap((row) => ("dropped" in row ? [row.dropped] : [])) as Many<Dropped>,
);

/** The content of an event decides its id; none is the id of a task, a command or a mark. */
const EVENT_ID = /\.(report|answered|expired|refused|restarted)$|--|^budget-/;

/**
 * Can a record of this kind have this id? Commands share the archive with tasks and marks: a command under the id of another
 * kind is taken for a dropped file.
 */
export function isIdOf(kind: InboxCommand["kind"], id: string): boolean {
  if (kind === "event") return EVENT_ID.test(id);
  const { prefix, dropped, id: pattern } = COMMANDS[kind];
  if (pattern !== undefined) return pattern.test(id);
  return id.startsWith(`${prefix}-`) || (dropped !== undefined && id.startsWith(`${DROPPED_PREFIX}-`));
}

/** Is this record believed only with its signature? */
export function needsSignature({
  kind,
  ...record
}: Pick<InboxCommand, "kind"> & { answerBy?: unknown; pool?: unknown }): boolean {
  return (
    kind === "event" ||
    COMMANDS[kind].dropped === undefined ||
    record.answerBy !== undefined ||
    record.pool !== undefined
  );
}
