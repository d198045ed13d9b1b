/** The outer contract: what goes over HTTP and the WebSocket (API.md). The page, the CLI and the gateway share it. */
import { z } from "zod";
import { HistoryMessage } from "./history.ts";
import { Id } from "./id.ts";
import { ClientClock, MESSAGE_CHARS_MAX } from "./inbox.ts";
import { Role } from "./role.ts";
import { Report } from "./task.ts";
import { Usage } from "./usage.ts";

export const BODY_BYTES_MAX = 65_536;
export const BODY_DEPTH_MAX = 16;

export const InputBody = z.strictObject({
  text: z.string().min(1).max(MESSAGE_CHARS_MAX),
  client: ClientClock.optional(),
  quote: Id.optional(),
  /** `next`: a turn of its own, after the one that runs (SPEC I5). */
  mode: z.literal("next").optional(),
});
export type InputBody = z.infer<typeof InputBody>;

/** Words for what runs now, or for the task in the address. */
export const SteerBody = z.strictObject({ text: z.string().min(1).max(MESSAGE_CHARS_MAX) });
export type SteerBody = z.infer<typeof SteerBody>;

export const TaskState = z.enum(["waiting", "queued", "running", "done", "failed", "cancelled", "needs_input"]);
export type TaskState = z.infer<typeof TaskState>;

/** `waiting` is a chain link whose condition does not hold yet. */
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
  failureReason: z.string().optional(),
  error: z.string().optional(),
  parentId: Id.optional(),
  triggerId: Id.optional(),
  traceId: Id.optional(),
  /** Chain links: the task that must end first. */
  after: Id.optional(),
  usage: Usage.optional(),
  /** Ended tasks: who answered, by the name of the provider. */
  provider: z.string().optional(),
});
export type TaskSummary = z.infer<typeof TaskSummary>;

export const TaskDetail = TaskSummary.extend({
  resultType: z.string().optional(),
  result: z.unknown(),
  upstream: z.array(Report),
  timeline: z.array(z.object({ at: z.string(), event: z.string() })),
});
export type TaskDetail = z.infer<typeof TaskDetail>;

const ProcessState = z.object({ pid: z.number().optional(), alive: z.boolean() });

export const Status = z.object({
  ready: z.boolean(),
  version: z.string(),
  startedAt: z.string(),
  workDir: z.string(),
  /** Who answers for each role. */
  providers: z.record(Role, z.string()),
  /** Who did so last: somebody else, where one could not be reached and another stood in. */
  answered: z.partialRecord(Role, z.string()),
  /** What `auto` did not take, and what each of them lacks. */
  passedOver: z.array(z.string()),
  processes: z.object({ supervisor: ProcessState, workers: ProcessState, gateway: ProcessState }),
  counts: z.object({
    inbox: z.number(),
    queued: z.record(Role, z.number()),
    running: z.record(Role, z.number()),
    questions: z.number(),
    triggers: z.number(),
    quarantine: z.number(),
  }),
  next: z.object({ triggerId: Id, at: z.string() }).nullable(),
  usage: z.object({ today: Usage.pick({ inputTokens: true, outputTokens: true, costUsd: true }), budget: z.null() }),
  /** The calls of today, by tool. */
  tools: z.record(z.string(), z.object({ calls: z.number(), failed: z.number(), meanMs: z.number() })),
  /** What the owner should look at: an invalid config file, a quarantined record, a role that is down. */
  problems: z.array(z.string()),
});
export type Status = z.infer<typeof Status>;

/** What one role has cost on one day with one provider and model. */
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

export const USAGE_DAYS_MAX = 92;

export const ApiError = z.object({
  error: z.object({ code: z.string(), message: z.string(), hint: z.string().optional() }),
});
export type ApiError = z.infer<typeof ApiError>;

/** Message states on the page: still on its way (`pending`) or part of a settled turn. */
export const ChatMessage = HistoryMessage.extend({
  pending: z.boolean().optional(),
  /** Pending messages that wait for a turn of their own. */
  mode: z.literal("next").optional(),
  /** Pending messages that were said meanwhile: the turn or the task that they were passed on to. */
  toTaskId: Id.optional(),
  /** It was said meanwhile under this id, and nobody heard it: now it is a message like any other. */
  replaces: Id.optional(),
});
export type ChatMessage = z.infer<typeof ChatMessage>;

/** The client's own name for what it sends: the same name is the same message or wish, however often it comes. */
const FrameId = z.string().min(1).max(128);

export const ClientFrame = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("hello"),
    token: z.string().max(256).optional(),
    cursor: z.string().max(64).optional(),
  }),
  z.strictObject({
    type: z.literal("input"),
    id: FrameId,
    ...InputBody.shape,
  }),
  z.strictObject({ type: z.literal("cancel"), taskId: Id }),
  z.strictObject({ type: z.literal("steer"), id: FrameId, ...SteerBody.shape, taskId: Id.optional() }),
  z.strictObject({ type: z.literal("stop"), id: FrameId }),
  z.strictObject({ type: z.literal("clear"), id: FrameId }),
]);
export type ClientFrame = z.infer<typeof ClientFrame>;

/**
 * What the gateway sends. Frames with a `cursor` are ordered and never repeated to a client that says hello with the
 * last one it saw; the others are lossy by design. After `begin` a task says anew what it has said: forget what was shown of it.
 */
export type ServerFrame =
  | {
      type: "snapshot";
      cursor: string;
      messages: ChatMessage[];
      tasks: TaskSummary[];
      questions: never[];
      status: Status;
    }
  | { type: "message"; cursor: string; data: ChatMessage }
  | { type: "task"; cursor: string; data: TaskSummary }
  | { type: "status"; cursor: string; data: Status }
  | { type: "begin"; taskId: string }
  | { type: "delta"; taskId: string; text: string }
  | { type: "progress"; taskId: string; step: string }
  | { type: "accepted"; id: string; messageId: string }
  | { type: "error"; code: string; message: string; id?: string };
