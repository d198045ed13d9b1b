/**
 * The outer contract: what goes over HTTP and the WebSocket (docs/api.md). The page, the CLI and the gateway share it.
 */
import { z } from "zod";
import { Approval } from "../approvals/approval.ts";
import { AttachmentOrders } from "../base/attachment.ts";
import { MESSAGE_CHARS_MAX, MemoryDocument, OnInterrupt, PoolName, Prompt } from "../base/fields.ts";
import { Id } from "../base/id.ts";
import { PAUSABLE } from "../base/kind.ts";
import { Report } from "../base/report.ts";
import { Role } from "../base/role.ts";
import { SkillProblem, SkillSummary } from "../base/skill.ts";
import { Usage } from "../base/usage.ts";
import { ChannelState } from "../channels/records.ts";
import { ChannelName } from "../channels/via.ts";
import { AuditLine } from "../records/audit.ts";
import { Changer } from "../records/change.ts";
import { BacklogEffect, MemoryTarget, RememberEffect } from "../records/effect.ts";
import { HistoryMessage } from "../records/history.ts";
import { CommittedChange, ImproveKind } from "../records/improvement.ts";
import { AnswerBy, ClientClock } from "../records/inbox.ts";
import { ENTRY_NAME_CHARS_MAX } from "../records/memory-entry.ts";
import { Answer } from "../records/question.ts";
import { Fired, PastOccurrence, Skipped } from "../records/trigger.ts";
import { Codes } from "../texts/coded.ts";
import { ATOM_TYPES } from "../triggers/atoms.ts";
import { Atom, Condition } from "../triggers/condition-schema.ts";
import { Missed, Schedule, Target, TriggerBudget } from "../triggers/trigger-order.ts";

/** Bytes of a body, without the text of a message. */
export const BODY_BYTES_MAX = 65_536;
/** Bytes of a character in JSON where all is escaped: `\ud83d\ude00` is the longest, `\u5b57` takes 6, `字` 3. */
const JSON_CHAR_BYTES_MAX = 12;
/** Bytes of a body that holds a message: MESSAGE_CHARS_MAX characters of any script, however they are written. */
export const MESSAGE_BODY_BYTES_MAX = BODY_BYTES_MAX + MESSAGE_CHARS_MAX * JSON_CHAR_BYTES_MAX;
export const BODY_DEPTH_MAX = 48;

/** The body of a command that says everything in its address: `{}`, or nothing at all. */
export const NoBody = z.strictObject({});

/** A command is durable, under this id. */
export const Accepted = z.object({ id: Id });
export const Health = z.object({ ok: z.literal(true) });

const PAIRING_CODE_CHARS_MAX = 256;
/** `POST /api/pair`: the one-time code of a link. */
export const PairBody = z.strictObject({ code: z.string().min(1).max(PAIRING_CODE_CHARS_MAX) });
/** The secret that the page sends along with its cookie. */
export const PairAnswer = z.object({ secret: z.string() });

/** `POST /api/pairings`: what signs one more browser in. */
export const PairingAnswer = z.object({
  code: z.string(),
  typed: z.string(),
  expiresAt: z.iso.datetime(),
  publicUrl: z.string().nullable(),
});
export type PairingAnswer = z.infer<typeof PairingAnswer>;

const CLIENT_NAME_CHARS_MAX = 80;
/** `POST /api/devices`: what its owner calls the client that gets a token. */
export const ClientBody = z.strictObject({ name: z.string().trim().min(1).max(CLIENT_NAME_CHARS_MAX) });
export const ClientAdded = z.object({ id: Id, token: z.string() });

/** A browser that is signed in, or a client with a token of its own. */
export const Device = z.object({
  id: Id,
  kind: z.enum(["browser", "client"]),
  /** As a browser calls itself, null where it was paired by a version that did not ask; or as its owner calls a client. */
  name: z.string().nullable(),
  pairedAt: z.iso.datetime(),
  /** To the minute. */
  seenAt: z.iso.datetime(),
  /** null for a client: its token counts until it is revoked. */
  expiresAt: z.iso.datetime().nullable(),
  isThis: z.boolean(),
  /** Whether it is notified by Web Push; null where it is not. */
  push: z
    .object({
      /** The HTTP status with which its push service refuses what it is sent now; null while it takes it. */
      refused: z.number().nullable(),
    })
    .nullable()
    .default(null),
});
export type Device = z.infer<typeof Device>;

export const DevicesAnswer = z.object({ devices: z.array(Device) });

export const InputBody = z.strictObject({
  text: z.string().min(1).max(MESSAGE_CHARS_MAX),
  client: ClientClock.optional(),
  quote: Id.optional(),
  /** `next`: a turn of its own, after the one that runs (SPEC I5). */
  mode: z.literal("next").optional(),
  /** Uploaded files: ids, or `{id, name}` (SPEC I8). */
  attachments: AttachmentOrders.optional(),
  /** The provider and model that answer this one message, in a turn of its own. */
  answerBy: AnswerBy.optional(),
  /** The machine, or the label of machines, where the work that it starts is done; in a turn of its own. */
  pool: PoolName.optional(),
});
export type InputBody = z.infer<typeof InputBody>;

/** Answer the last thing that was said again. */
export const RetryBody = z.strictObject({
  /** The reply, or the message of yours, that is meant; refused where it is not the last one. */
  messageId: Id.optional(),
  /** Your last message in other words; the earlier ones are a version of it. */
  text: z.string().min(1).max(MESSAGE_CHARS_MAX).optional(),
  answerBy: AnswerBy.optional(),
});
export type RetryBody = z.infer<typeof RetryBody>;

/** Words for what runs now, or for the task in the address. */
export const SteerBody = z.strictObject({ text: z.string().min(1).max(MESSAGE_CHARS_MAX) });
export type SteerBody = z.infer<typeof SteerBody>;

export const TaskState = z.enum(["waiting", "queued", "running", "done", "failed", "cancelled", "needs_input"]);
export type TaskState = z.infer<typeof TaskState>;

/** `waiting` is a dependent task whose condition does not hold yet. */
export const TaskSummary = z.object({
  id: Id,
  role: Role,
  type: z.string(),
  title: z.string(),
  prompt: z.string(),
  state: TaskState,
  priority: z.number(),
  attempts: z.number(),
  createdAt: z.string(),
  startedAt: z.string().optional(),
  completedAt: z.string().optional(),
  /** Queued tasks: the model's rate limit lasts until then. */
  limitedUntil: z.string().optional(),
  failureReason: z.string().optional(),
  error: z.string().optional(),
  parentId: Id.optional(),
  triggerId: Id.optional(),
  traceId: Id.optional(),
  /** The ended task that this one is another try of. */
  againOf: Id.optional(),
  /** The tasks that its start depends on: those that its condition names. */
  after: z.array(Id).optional(),
  usage: Usage.optional(),
  /** Ended tasks: who answered, by the name of the provider. */
  provider: z.string().optional(),
  /** Ended tasks: the model that answered, where its name is known. */
  model: z.string().optional(),
});
export type TaskSummary = z.infer<typeof TaskSummary>;

/** `POST /api/tasks/{id}/again`: asked in place of what was asked then, where it is given. */
export const AgainBody = z.strictObject({ text: Prompt.optional() });
export type AgainBody = z.infer<typeof AgainBody>;

export const TasksAnswer = z.object({ tasks: z.array(TaskSummary) });

export const TaskDetail = TaskSummary.extend({
  resultType: z.string().optional(),
  result: z.unknown(),
  upstream: z.array(Report),
  timeline: z.array(z.object({ at: z.string(), event: z.string() })),
});
export type TaskDetail = z.infer<typeof TaskDetail>;

/** How far an improvement is, or what came of it. */
export const ImprovementState = z.enum([
  "looking",
  "working",
  "reviewing",
  "landing",
  "nothing",
  "rejected",
  "failed",
  "branch",
  "merged",
  "undone",
]);
export type ImprovementState = z.infer<typeof ImprovementState>;

/** An improvement: what it did and why (SPEC J1). */
export const Improvement = z.object({
  id: Id,
  number: z.number(),
  state: ImprovementState,
  at: z.string(),
  /** When it was over. */
  endedAt: z.string().optional(),
  kind: ImproveKind.optional(),
  title: z.string().optional(),
  why: z.string().optional(),
  change: CommittedChange.optional(),
  /** Why the review passed it, or did not. */
  reasons: z.array(z.string()).optional(),
  branch: z.string().optional(),
  note: z.string().optional(),
  error: z.string().optional(),
  usage: Usage,
});
export type Improvement = z.infer<typeof Improvement>;

export const ImprovementsAnswer = z.object({ improvements: z.array(Improvement) });

/** A trigger. */
export const TriggerSummary = z.object({
  id: Id,
  type: z.enum(["recurring", "scheduled", "conditional"]),
  title: z.string(),
  prompt: z.string(),
  target: Target,
  priority: z.number(),
  createdAt: z.string(),
  parentId: Id.optional(),
  paused: z.boolean(),
  schedule: Schedule.optional(),
  runAt: z.string().optional(),
  missed: Missed.optional(),
  /** Of a schedule: the occurrence that was decided last. More than ten minutes ahead of the clock, the clock was ahead. */
  last: z.string().optional(),
  condition: Condition.optional(),
  cooldownSec: z.number().optional(),
  stableSec: z.number().optional(),
  budget: TriggerBudget.optional(),
  /** The machine, or the label of machines, where its work is done. */
  pool: PoolName.optional(),
  /** When it fires next; null where that depends on a condition, or never. */
  next: z.string().nullable(),
  /** Recent occurrences, newest last. */
  recent: z.array(PastOccurrence),
  coded: Codes.optional(),
});
export type TriggerSummary = z.infer<typeof TriggerSummary>;

export const TriggersAnswer = z.object({ triggers: z.array(TriggerSummary) });

/** `GET /api/triggers/:id` */
export const TriggerDetail = TriggerSummary.extend({
  timeoutSec: z.number().nullable(),
  onInterrupt: OnInterrupt,
  /** How many makers are above it: 0 for a user's. */
  depth: z.number(),
  /** The next moments that its schedule names, soonest first. */
  upcoming: z.array(z.string()),
  /** Firings that became a task also say what became of that. */
  recent: z.array(z.discriminatedUnion("outcome", [Fired.extend({ state: TaskState.optional() }), Skipped])),
});
export type TriggerDetail = z.infer<typeof TriggerDetail>;

/** Why a condition is as it is: a tree of the same shape (SPEC D7). `holds` is null where a model has not told yet. */
export interface Explanation {
  type: Condition["type"];
  holds: boolean | null;
  /** Leaves: what is asked. */
  atom?: Atom | undefined;
  /** Leaves: the last evidence, one line; `at` is when it was found out, where it was not just now. */
  text?: string | undefined;
  at?: string | undefined;
  /** Models were asked in vain so often in a row, first `since`, last `at`. */
  unanswered?: { count: number; since: string } | undefined;
  parts?: Explanation[] | undefined;
}
export const Explanation: z.ZodType<Explanation> = z.lazy(() =>
  z.object({
    type: z.enum([...ATOM_TYPES, "and", "or", "not"]),
    holds: z.boolean().nullable(),
    atom: Atom.optional(),
    text: z.string().optional(),
    at: z.string().optional(),
    unanswered: z.object({ count: z.number(), since: z.string() }).optional(),
    parts: z.array(Explanation).optional(),
  }),
);

/**
 * Where a trigger is. Of conditions: `firing` as it holds; `disarmed` until it has ceased to hold; `unmet`; `unseen` while
 * what it asks about cannot be looked at; `asking` while only a model can tell; `resting` after a firing;
 * `holding` while it has not held for as long as it must.
 */
const TriggerState = z.enum([
  "over",
  "paused",
  "scheduled",
  "due",
  "exhausted",
  "resting",
  "holding",
  "firing",
  "disarmed",
  "unmet",
  "unseen",
  "asking",
]);

/** `GET /api/triggers/:id/explain`: why it fires or does not, in words, and the tree of its condition. */
export const TriggerExplanation = z.object({
  id: Id,
  state: TriggerState,
  /** The same as one line for people: what it waits for, or why it rests. */
  text: z.string(),
  /** `resting`: when it may fire again; `holding`: when it fires, if it holds until then. */
  until: z.string().optional(),
  next: z.string().nullable(),
  condition: Explanation.optional(),
  coded: Codes.optional(),
});
export type TriggerExplanation = z.infer<typeof TriggerExplanation>;

/** One firing to come. */
export const SimulatedFiring = z.object({
  triggerId: Id,
  title: z.string(),
  at: z.string(),
  /** The same moment on the clock of the schedule's zone: `2026-12-01 09:00:00 Asia/Shanghai`. */
  local: z.string(),
  /** Other triggers that fire within the same minute. */
  collidesWith: z.array(Id),
  /** The mean of what its work has cost so far; null where it has not run yet. */
  expected: z.object({ tokens: z.number(), costUsd: z.number() }).nullable(),
});
export type SimulatedFiring = z.infer<typeof SimulatedFiring>;

/** `GET /api/triggers/upcoming`: the next moments, soonest first. */
export const UpcomingAnswer = z.object({ upcoming: z.array(z.string()) });

/** `GET /api/triggers/simulate?from&to`: every firing of the schedules in that time. Nothing is run. */
export const Simulation = z.object({
  from: z.string(),
  to: z.string(),
  firings: z.array(SimulatedFiring),
  /** There are more than could be listed. */
  isCut: z.boolean(),
  expected: z.object({ tokens: z.number(), costUsd: z.number() }),
  /** Triggers that a condition fires, at an unknown time. */
  conditional: z.array(z.object({ triggerId: Id, title: z.string() })),
});
export type Simulation = z.infer<typeof Simulation>;

/** An open question. */
export const QuestionView = z.object({
  id: Id,
  at: z.string(),
  expiresAt: z.string(),
  question: z.string(),
  options: z.array(z.string()),
  default: z.string().optional(),
  /** Only one of the options can be the answer. */
  isChoice: z.boolean(),
  /** The task that it is about. */
  taskId: Id.optional(),
});
export type QuestionView = z.infer<typeof QuestionView>;

export const QuestionsAnswer = z.object({ questions: z.array(QuestionView) });
export const AnswerBody = z.strictObject({ answer: Answer });
export type AnswerBody = z.infer<typeof AnswerBody>;

const Amount = z.object({ tokens: z.number(), costUsd: z.number() });
/** The limit of a period, the spending so far, and the reservation of running work (SPEC N2). */
export const BudgetState = z.object({
  limit: Amount.partial(),
  spent: Amount,
  reserved: Amount,
  /** Used up: work waits until `resumesAt`. */
  isReached: z.boolean(),
  resumesAt: z.string(),
});
export type BudgetState = z.infer<typeof BudgetState>;

const ProcessState = z.object({
  pid: z.number().optional(),
  alive: z.boolean(),
  /** For how many seconds its loop has stood still; only where that is worth being said. */
  silentSec: z.number().int().optional(),
  /** How often it has died within the last hour and was started again; only where it has. */
  deaths: z.number().int().optional(),
});
export type ProcessState = z.infer<typeof ProcessState>;

/** Items of one kind in a state directory that are listed at most; the others are counted. */
export const HOME_ITEMS_MAX = 200;
/** Characters of one item that are shown. */
export const HOME_ITEM_CHARS_MAX = 2_000;

/** Something in a state directory that would run or be believed once it is adopted. */
export const HomeItem = z.object({
  kind: z.enum(["setting", "command", "task", "result", "trigger", "skill", "file", "browser"]),
  text: z.string(),
});
export type HomeItem = z.infer<typeof HomeItem>;

export const HomeContents = z.object({
  home: z.string(),
  items: z.array(HomeItem),
  /** How many items are not listed. */
  more: z.number(),
});
export type HomeContents = z.infer<typeof HomeContents>;

/** `GET /api/adoption` */
export const AdoptionView = HomeContents.extend({ adopted: z.boolean() });
export type AdoptionView = z.infer<typeof AdoptionView>;

/** A pool as people and the Planner are told of it. */
export const PoolSummary = z.object({
  name: PoolName,
  labels: z.array(PoolName),
  slots: z.number(),
  invitedAt: z.string(),
  /** `invited`: it was never heard of. */
  state: z.enum(["there", "away", "invited"]),
  /** When it was heard of last. */
  seenAt: z.string().optional(),
  /** Since when it is there without a break. */
  since: z.string().optional(),
  version: z.string().optional(),
  /** Attempts that it has now. */
  running: z.number().optional(),
  /** The tasks that this home has given it and that have not ended. */
  tasks: z.array(z.object({ id: Id, title: z.string() })).optional(),
});
export type PoolSummary = z.infer<typeof PoolSummary>;

export const Status = z.object({
  ready: z.boolean(),
  /** false where the state directory was not made by this user and is not adopted yet: nothing in it runs. */
  adopted: z.boolean(),
  /** Everything in it is invented, and goes when it ends (`mimikit demo`). */
  demo: z.literal(true).optional(),
  version: z.string(),
  startedAt: z.string(),
  workDir: z.string(),
  /** The provider of each role. */
  providers: z.record(Role, z.string()),
  /** The model that each of them asks; null where its name is not known, or there is none. */
  models: z.record(Role, z.string().nullable()),
  /** The provider that answered last: another one, if a fallback answered. */
  answered: z.partialRecord(Role, z.string()),
  /** The models of those, where their names are known. */
  answeredModels: z.partialRecord(Role, z.string()),
  /** The providers that `auto` skipped, and what each of them lacks. */
  passedOver: z.array(z.string()),
  processes: z.object({ supervisor: ProcessState, workers: ProcessState, gateway: ProcessState }),
  /** Only where a channel is set up: its process, and how each channel does. */
  channels: z.object({ process: ProcessState, each: z.record(ChannelName, ChannelState) }).optional(),
  /** Only where an engine is set up: the dispatcher, and each machine that works for this home. */
  pools: z.object({ process: ProcessState, each: z.array(PoolSummary) }).optional(),
  counts: z.object({
    inbox: z.number(),
    queued: z.record(Role, z.number()),
    running: z.record(Role, z.number()),
    questions: z.number(),
    triggers: z.number(),
    quarantine: z.number(),
  }),
  /** Roles whose queues are paused: what waits there does not begin. */
  paused: z.array(z.enum(PAUSABLE)).default([]),
  next: z.object({ triggerId: Id, at: z.string() }).nullable(),
  usage: z.object({
    today: Usage,
    /** By period; null where the settings set no limit for it. */
    budget: z.object({ day: BudgetState.nullable(), month: BudgetState.nullable() }),
  }),
  /** The calls of today, by tool. */
  tools: z.record(z.string(), z.object({ calls: z.number(), failed: z.number(), meanMs: z.number() })),
  /** Problems for the owner: an invalid config file, a quarantined record, a process that is down. */
  problems: z.array(z.string()),
  coded: Codes.optional(),
});
export type Status = z.infer<typeof Status>;

/** `POST /api/queues/{role}/pause` and `resume`: all that are paused then. */
export const QueuesAnswer = Status.pick({ paused: true });

/** The cost of one role on one day with one provider and model. */
export const UsageRow = Usage.extend({
  /** By the server's clock: `2026-11-22`. */
  day: z.string(),
  role: Role,
  provider: z.string(),
  /** null where it is not known. */
  model: z.string().nullable(),
  /** Attempts that cost something or called a tool. */
  runs: z.number(),
});
export type UsageRow = z.infer<typeof UsageRow>;

export const UsageAnswer = z.object({ rows: z.array(UsageRow) });

export const USAGE_DAYS_MAX = 92;

export const AUDIT_ENTRIES_DEFAULT = 100;
export const AUDIT_ENTRIES_MAX = 500;

/** `GET /api/audit`: lines in order of time, and where the pages beside this one begin. */
export const AuditAnswer = z.object({
  entries: z.array(AuditLine),
  /** `after` of the page that follows, now or when there is more. */
  next: z.string(),
  /** `before` of the page in front of this one; null when there is none. */
  previous: z.string().nullable(),
});
export type AuditAnswer = z.infer<typeof AuditAnswer>;

export const ApiError = z.object({
  error: z.object({ code: z.string(), message: z.string(), hint: z.string().optional(), coded: Codes.optional() }),
});
export type ApiError = z.infer<typeof ApiError>;

/** Message states on the page: still on its way (`pending`) or part of an applied turn. Pending ones are in order of time. */
export const ChatMessage = HistoryMessage.extend({
  pending: z.boolean().optional(),
  /** Pending messages that wait for a turn of their own. */
  mode: z.literal("next").optional(),
  /** Pending messages: the turn that has begun to work on them or, of what was said meanwhile, the run it was passed on to. */
  toTaskId: Id.optional(),
  /** It was sent as a steering message under this id, and no run received it: now it is a message like any other. */
  replaces: Id.optional(),
  /** Earlier versions of it, the oldest first. */
  versions: z.array(HistoryMessage).optional(),
  /** Replies: another one is being written in its place. */
  again: z.literal(true).optional(),
});
export type ChatMessage = z.infer<typeof ChatMessage>;

export const MessagesAnswer = z.object({ messages: z.array(ChatMessage) });

/** A paragraph or a list item of memory that was found (SPEC E5). */
export const MemoryHit = z.object({
  /** Where it was found: `memory.md`, `memory/2026-01-28-deploy.md`, `docs/conventions.md`. */
  source: z.string(),
  text: z.string(),
  /** 1 for the best hit, less for the others; comparable within one answer only. */
  score: z.number(),
  /** The day of its source, or the first of its days: `2026-01-28`. */
  at: z.iso.date().optional(),
});
export type MemoryHit = z.infer<typeof MemoryHit>;

export const MemoryAnswer = z.object({
  /** How it was found: by the index, or without it, among the sources that ripgrep named or among all. */
  method: z.enum(["bm25", "rg", "scan"]),
  /** Best first. */
  hits: z.array(MemoryHit),
  /** Set where the search had no answer in time: memory may hold what was sought. */
  unanswered: z.literal(true).optional(),
});
export type MemoryAnswer = z.infer<typeof MemoryAnswer>;

/** The size of the index of memory, and how long its last update took. */
export const MemoryIndexState = z.object({ files: z.number(), units: z.number(), ms: z.number() });
export type MemoryIndexState = z.infer<typeof MemoryIndexState>;

/** `GET /api/memory/status` */
export const MemoryStatus = z.object({
  /** In the order in which they count: `user_profile.md`, `agent_persona.md`, `memory.md`, `memory/`, `memory/summary/`, `MEMORY.md`, `docs/`. */
  sources: z.array(z.object({ source: z.string(), files: z.number(), bytes: z.number() })),
  /** `memory/2026-01-28-deploy.md`; null before the first. */
  newestNote: z.string().nullable(),
  /** The newest summary of a day and that of a month. */
  newestSummaries: z.array(z.string()),
  /** Messages of applied turns that are in no note yet. */
  unarchived: z.number(),
  /** Null where it could not be brought up to date in time; it holds nothing before it is first asked. */
  index: MemoryIndexState.nullable(),
  /** Is ripgrep there, for what the index does not find? Where it is not, the files are read one by one. */
  hasRipgrep: z.boolean(),
});
export type MemoryStatus = z.infer<typeof MemoryStatus>;

/** A file of memory: those that are searched, and the two that every turn is told. */
export const MemoryFile = z.object({
  /** `memory/2026-01-28-deploy.md` */
  name: z.string(),
  bytes: z.number(),
  changedAt: z.iso.datetime(),
});
export type MemoryFile = z.infer<typeof MemoryFile>;

/** `GET /api/memory/files`: in the order in which they count; of notes and of summaries the newest first. */
export const MemoryFiles = z.object({ files: z.array(MemoryFile) });
export type MemoryFiles = z.infer<typeof MemoryFiles>;

/** `GET /api/memory/file` */
export const MemoryText = z.object({ ...MemoryFile.shape, text: z.string() });
export type MemoryText = z.infer<typeof MemoryText>;

/** `POST /api/memory` */
export const MemoryBody = z.strictObject({
  content: RememberEffect.shape.content,
  longTerm: RememberEffect.shape.longTerm.default(false),
  /** `forgotten`: no model is shown these words again, as they were said up to now. */
  target: MemoryTarget.optional(),
});
export type MemoryBody = z.infer<typeof MemoryBody>;

/** `POST /api/memory/edit`: an entry, named by how it begins; without `to` it is forgotten. */
export const MemoryEditBody = z.strictObject({
  document: MemoryDocument,
  entry: z.string().min(1).max(ENTRY_NAME_CHARS_MAX),
  to: RememberEffect.shape.content.optional(),
});
export type MemoryEditBody = z.infer<typeof MemoryEditBody>;

/** A checkbox of backlog.md. */
export const BacklogEntry = z.object({
  /** 1 for the first; it is another's when one before it is taken out. */
  number: z.number(),
  item: z.string(),
  done: z.boolean(),
});
export type BacklogEntry = z.infer<typeof BacklogEntry>;

export const BacklogAnswer = z.object({ items: z.array(BacklogEntry) });

/** `POST /api/backlog`: an item is named by its text, or by its number in the list. */
export const BacklogBody = z.strictObject({ op: BacklogEffect.shape.op, item: BacklogEffect.shape.item });
export type BacklogBody = z.infer<typeof BacklogBody>;

export const CHANGES_LISTED_DEFAULT = 20;

/** `POST /api/undo`: the id of a change. */
export const UndoBody = z.strictObject({ id: Id });
export type UndoBody = z.infer<typeof UndoBody>;

/** A change that can be undone, or could be (SPEC J3). */
export const ChangeView = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  what: z.enum(["memory", "backlog", "trigger", "config", "improvement"]),
  op: z.enum(["add", "done", "remove", "create", "change", "delete", "edit", "merge"]),
  by: Changer,
  title: z.string(),
  /** `gone`: what it changed is not as it left it any more; `problem` says why, and what can be done. */
  state: z.enum(["open", "undone", "gone"]),
  /** Of what is open: why the last try came to nothing. Another may come to something. */
  problem: z.string().optional(),
  coded: Codes.optional(),
});
export type ChangeView = z.infer<typeof ChangeView>;

/** `holds`: false where an earlier version gave it for a program of which *always* is not offered any more, so that it asks again. */
export const ApprovalsAnswer = z.object({ approvals: z.array(Approval.extend({ holds: z.boolean() })) });
export type ApprovalsAnswer = z.infer<typeof ApprovalsAnswer>;

export const ChangesAnswer = z.object({ changes: z.array(ChangeView) });

/** The value of a setting; null where none is set. */
export const SettingValue = z.union([
  z.null(),
  z.boolean(),
  z.number(),
  z.string(),
  z.array(z.string()),
  z.record(z.string(), z.unknown()),
]);
export type SettingValue = z.infer<typeof SettingValue>;

/** A setting as it is in force. */
export const SettingView = z.object({
  /** Its place in config.yaml: `budget.day.costUsd`. */
  name: z.string(),
  /** `budget`; null for one that is in no group. */
  group: z.string().nullable(),
  description: z.string(),
  /** JSON Schema of its value: kind, bounds, choices. */
  schema: z.record(z.string(), z.unknown()),
  default: SettingValue,
  /** Without the password where it is an address. */
  value: SettingValue,
  source: z.enum(["default", "file", "environment"]),
  /** The variable that it comes from, which wins over config.yaml. */
  variable: z.string().optional(),
  /** false: a change counts at once. */
  needsRestart: z.boolean(),
});
export type SettingView = z.infer<typeof SettingView>;

/** `GET /api/settings`: all of them, in the order of docs/configuration.md. */
export const SettingsAnswer = z.object({
  settings: z.array(SettingView),
  /** A line for each program of the system that these settings need and that is missing: what is lost, and what to do. */
  missing: z.array(z.string()),
  coded: Codes.optional(),
});
export type SettingsAnswer = z.infer<typeof SettingsAnswer>;

export const SETTING_CHANGES_MAX = 100;

/** `PATCH /api/settings`: all of it is saved, or nothing; null takes a setting out of config.yaml. */
export const SettingsBody = z.strictObject({
  changes: z
    .array(z.strictObject({ name: z.string().min(1).max(200), value: SettingValue }))
    .min(1)
    .max(SETTING_CHANGES_MAX),
});
export type SettingsBody = z.infer<typeof SettingsBody>;

export const HISTORY_QUERY_CHARS_MAX = 1_000;
export const HISTORY_HITS_DEFAULT = 5;
export const HISTORY_HITS_MAX = 20;

/** A search in the whole conversation (SPEC G, query_history). */
export const HistoryQuery = z.strictObject({
  query: z.string().min(1).max(HISTORY_QUERY_CHARS_MAX),
  limit: z.number().int().min(1).max(HISTORY_HITS_MAX).default(HISTORY_HITS_DEFAULT),
  roles: z.array(HistoryMessage.shape.role).optional(),
  before_id: Id.optional(),
  from: z.iso.datetime({ offset: true }).optional(),
  to: z.iso.datetime({ offset: true }).optional(),
});
export type HistoryQuery = z.infer<typeof HistoryQuery>;

/** A message that was found; a long one is cut around what was found in it. */
export const HistoryHit = HistoryMessage.pick({ id: true, role: true, at: true, text: true }).extend({
  /** 1 for the best hit, less for the others; comparable within one answer only. */
  score: z.number(),
  /** It was said elsewhere and came along: `chatgpt`, `claude`, `openclaw`. */
  origin: z.string().optional(),
});
export type HistoryHit = z.infer<typeof HistoryHit>;

export const HistoryAnswer = z.object({ hits: z.array(HistoryHit) });

/** The client's own name for what it sends: the same name is the same message or command, however often it comes. */
const FrameId = z.string().min(1).max(128);

export const ClientFrame = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("hello"),
    token: z.string().max(256).optional(),
    cursor: z.string().max(64).optional(),
    /** That of a browser is kept: a message without a zone, as from a channel, means times by it. */
    timeZone: ClientClock.shape.timeZone.optional(),
  }),
  z.strictObject({
    type: z.literal("input"),
    id: FrameId,
    ...InputBody.shape,
  }),
  z.strictObject({ type: z.literal("cancel"), taskId: Id }),
  z.strictObject({ type: z.literal("steer"), id: FrameId, ...SteerBody.shape, taskId: Id.optional() }),
  z.strictObject({ type: z.literal("stop"), id: FrameId, only: z.literal("reply").optional() }),
  z.strictObject({ type: z.literal("clear"), id: FrameId }),
  z.strictObject({ type: z.literal("answer"), id: FrameId, questionId: Id, ...AnswerBody.shape }),
]);
export type ClientFrame = z.infer<typeof ClientFrame>;

const placed = { cursor: z.string() };

/**
 * Frames from the gateway. Frames with a `cursor` are ordered and never repeated to a client that says hello with the
 * last one it saw; the others are lossy by design. After `begin` a task says again what it has said: forget what was
 * shown of it.
 */
export const ServerFrame = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("snapshot"),
    ...placed,
    messages: z.array(ChatMessage),
    /** Set where there are messages before these. */
    earlier: z.literal(true).optional(),
    tasks: z.array(TaskSummary),
    questions: z.array(QuestionView),
    triggers: z.array(TriggerSummary),
    status: Status,
  }),
  z.object({ type: z.literal("message"), ...placed, data: ChatMessage }),
  z.object({ type: z.literal("task"), ...placed, data: TaskSummary }),
  /** An open question, or one that has been closed: `isOpen` says which. */
  z.object({ type: z.literal("question"), ...placed, data: QuestionView.extend({ isOpen: z.boolean() }) }),
  /** A trigger as it is now; `isOver` when it is gone. */
  z.object({ type: z.literal("trigger"), ...placed, data: TriggerSummary.extend({ isOver: z.boolean() }) }),
  /** A notification for the user. The message with the same id came before it, and is in every later snapshot. */
  z.object({
    type: z.literal("notification"),
    ...placed,
    data: z.object({ id: Id, at: z.string(), title: z.string().optional(), text: z.string() }),
  }),
  z.object({ type: z.literal("status"), ...placed, data: Status }),
  /** An action of a process; `GET /api/audit` has the earlier ones. */
  z.object({ type: z.literal("audit"), ...placed, data: AuditLine }),
  z.object({ type: z.literal("begin"), taskId: Id }),
  z.object({ type: z.literal("delta"), taskId: Id, text: z.string() }),
  z.object({ type: z.literal("thought"), taskId: Id, text: z.string() }),
  z.object({ type: z.literal("progress"), taskId: Id, step: z.string() }),
  z.object({ type: z.literal("accepted"), id: z.string(), messageId: Id }),
  z.object({
    type: z.literal("error"),
    code: z.string(),
    message: z.string(),
    coded: Codes.optional(),
    id: z.string().optional(),
  }),
]);
export type ServerFrame = z.infer<typeof ServerFrame>;

/** The skills, and the folders among them that are none (SPEC I7). */
export const SkillList = z.object({ skills: z.array(SkillSummary), problems: z.array(SkillProblem) });
export type SkillList = z.infer<typeof SkillList>;
