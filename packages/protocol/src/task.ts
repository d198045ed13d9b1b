/** Everything a role does is a task: one life cycle, one queue per role (SPEC C1). Immutable once written. */
import { z } from "zod";
import { Priority, Prompt, TimeoutSec, Title } from "./effect.ts";
import { Id } from "./id.ts";
import { ClearWish, Event, Message } from "./inbox.ts";
import { Role } from "./role.ts";
import { Steer } from "./signal.ts";

export const PRIORITY_DEFAULT = 5;

/** The outcome of an earlier task, as it is put in front of a later one: a chain's next link, or the Teller's report. */
export const Report = z.object({
  id: Id,
  title: z.string(),
  role: Role,
  status: z.enum(["done", "failed", "needs_input"]),
  resultType: z.string(),
  result: z.unknown(),
  error: z.string().optional(),
  failureReason: z.string().optional(),
  question: z.string().optional(),
  /** What the user said to the task while it ran. */
  steers: z.array(Steer).optional(),
});
export type Report = z.infer<typeof Report>;

/** What a Teller turn answers: everything that was pending when it was created. */
export const TurnInput = z.object({
  messages: z.array(Message),
  events: z.array(Event),
  results: z.array(Report),
  /** The wish to begin anew: this turn is nothing but its marker in the history, and nobody runs it. */
  clear: ClearWish.optional(),
});
export type TurnInput = z.infer<typeof TurnInput>;

/** What a crash in mid-run means (SPEC C5). */
export const OnInterrupt = z.enum(["rerun", "fail"]);

export const Task = z.object({
  id: Id,
  role: Role,
  type: z.literal("oneshot"),
  title: Title,
  prompt: Prompt.or(z.literal("")),
  priority: Priority,
  timeoutSec: TimeoutSec.nullable(),
  createdAt: z.iso.datetime(),
  traceId: Id,
  parentId: Id.optional(),
  triggerId: Id.optional(),
  occurrence: z.string().optional(),
  upstream: z.array(Report),
  onInterrupt: OnInterrupt,
  /** Who takes the result: the next Teller turn, or the supervisor itself (PROTOCOL, The life of a task). */
  consumer: z.enum(["teller", "supervisor"]),
  /** What the user said to the plan that made this task, while it was planned; it comes into the history with its report. */
  steers: z.array(Steer).optional(),
  /** Teller turns only. */
  turn: TurnInput.optional(),
});
export type Task = z.infer<typeof Task>;
