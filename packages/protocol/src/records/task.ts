/** Everything a role does is a task: one life cycle, one queue per role (SPEC C1). Immutable once written. */
import { z } from "zod";
import { OnInterrupt, PlanNote, PoolName, Priority, Prompt, TimeoutSec, Title } from "../base/fields.ts";
import { Id } from "../base/id.ts";
import { KINDS, kindsOf, type TaskKind } from "../base/kind.ts";
import { Report } from "../base/report.ts";
import { Role } from "../base/role.ts";
import { Steer } from "../base/signal.ts";
import { SkillRef } from "../base/skill.ts";
import { EVALUATION_PROMPT_CHARS_MAX } from "../triggers/condition.ts";
import { Improve } from "./improvement.ts";
import { ClearCommand, Event, Message, RetryCommand } from "./inbox.ts";

export const PRIORITY_DEFAULT = 5;

/** The input of a Teller turn: everything that was pending when it was created. */
export const TurnInput = z.object({
  messages: z.array(Message),
  events: z.array(Event),
  results: z.array(Report),
  /** The command to start over: this turn is nothing but its marker in the history, and needs no run. */
  clear: ClearCommand.optional(),
  /** The command to be answered again: all that this turn answers was answered before, by the turn that `again` names. */
  again: RetryCommand.required({ turnId: true }).optional(),
});
export type TurnInput = z.infer<typeof TurnInput>;

/** More wait for the next batch. */
export const EVALUATION_ITEMS_MAX = 50;

/** One semantic condition: leaf number `leaf` of the condition of a trigger. `id` is what the model calls it. */
export const EvaluationItem = z.object({
  id: Id,
  triggerId: Id,
  leaf: z.number().int().nonnegative(),
  prompt: z.string().min(1).max(EVALUATION_PROMPT_CHARS_MAX),
});
export type EvaluationItem = z.infer<typeof EvaluationItem>;

/** More wait for the next roll-up of their period. */
export const ROLL_UP_SOURCES_MAX = 50;
/** Entries of memory.md that a month is summed up beside. */
export const REMEMBERED_MAX = 500;

/** A file of memory/ or memory/summary/. */
const MemoryFile = z.string().regex(/^memory\/(summary\/)?[^/]+\.md$/);

/** Notes of a day, or days of a month, to be made one summary (SPEC E3). The texts are in the prompt. */
export const RollUp = z.object({
  /** `2026-11-17`, or `2026-08` for a month. */
  period: z.string().regex(/^\d{4}-\d{2}(-\d{2})?$/),
  /** The part that was read of each file, from its beginning: a file that begins otherwise by now is not touched. */
  sources: z
    .array(z.object({ path: MemoryFile, sha256: z.string() }))
    .min(1)
    .max(ROLL_UP_SOURCES_MAX),
  /** Months: the entries of memory.md as they were then. Of two that say the same, or contradict each other, one may go. */
  remembered: z.array(z.string()).max(REMEMBERED_MAX).optional(),
});
export type RollUp = z.infer<typeof RollUp>;

const Absent = z.undefined().optional();

/** Fields of every task. Fields of some kinds are declared absent here, so that they can be read without a look at `kind`. */
const AnyTask = z.object({
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
  /** The consumer of the result: the next Teller turn, or the supervisor itself (docs/file-protocol.md#the-life-of-a-task). */
  consumer: z.enum(["teller", "supervisor"]),
  /** Steering messages to the plan that made this task, while it was planned; they enter the history with its report. */
  steers: z.array(Steer).optional(),
  /** The note of the plan that made this task; only its first task has it, and passes it on with its report. */
  planNote: PlanNote.optional(),
  /** How many triggers stand one above the other over this task; 0, or none, where a user began it (SPEC D8). */
  triggerDepth: z.number().int().nonnegative().optional(),
  /** How many plans one after the other came of reports alone, this one the last; none where the owner said something. */
  ownOrders: z.number().int().positive().optional(),
  /** It begins only with the owner's yes: there were too many of them. Plans that come of it are counted anew. */
  asksOwner: z.literal(true).optional(),
  /** The ended task that the user wanted to be done once more. */
  againOf: Id.optional(),
  /** The skill that the Worker follows; it may do no more than that declares (SPEC I7). */
  skill: SkillRef.optional(),
  /** The machine, or the label of machines, where its work is done; that of this home where none is named (docs/pools.md). */
  pool: PoolName.optional(),
  turn: Absent,
  evaluation: Absent,
  rollUp: Absent,
  improve: Absent,
});

const KindedTask = z.discriminatedUnion("kind", [
  AnyTask.extend({ kind: z.enum(kindsOf("order")) }),
  AnyTask.extend({ kind: z.enum(kindsOf("conversation")), turn: TurnInput }),
  /** A batch of semantic conditions to be judged; the supervisor takes the verdicts (SPEC D3). */
  AnyTask.extend({
    kind: z.literal("evaluation"),
    evaluation: z.array(EvaluationItem).min(1).max(EVALUATION_ITEMS_MAX),
  }),
  /** Memory to be summarised; the supervisor writes what comes of it (SPEC E3). */
  AnyTask.extend({ kind: z.literal("roll-up"), rollUp: RollUp }),
  /** A step of self-improvement; the supervisor takes what it comes to (SPEC J). */
  AnyTask.extend({
    kind: z.enum(kindsOf("improvement")),
    improve: Improve,
  }),
]);

/** As far as the kind of a task is to be told from a record that was written before tasks had one. */
const Unnamed = z.object({
  role: Role,
  turn: z.object({ clear: z.unknown().optional(), events: z.array(z.object({ name: z.string() })) }).optional(),
  evaluation: z.unknown().optional(),
  rollUp: z.unknown().optional(),
  improve: Improve.pick({ step: true }).optional(),
});

function kindOf({ role, turn, evaluation, rollUp, improve }: z.infer<typeof Unnamed>): TaskKind {
  if (turn !== undefined)
    return turn.clear !== undefined || turn.events[0]?.name === "budget" ? "announcement" : "turn";
  if (evaluation !== undefined) return "evaluation";
  if (improve !== undefined) return `improve-${improve.step}`;
  if (rollUp !== undefined) return "roll-up";
  return role === "planner" ? "plan" : "work";
}

function withKind(record: unknown): unknown {
  if (typeof record !== "object" || record === null || "kind" in record) return record;
  const { data } = Unnamed.safeParse(record);
  return data === undefined ? record : { ...record, kind: kindOf(data) };
}

export const Task = z.preprocess(
  withKind,
  KindedTask.refine(({ kind, role }) => KINDS[kind].role === role, "its role is not that of its kind"),
);
export type Task = z.infer<typeof Task>;
export type TurnTask = Extract<Task, { turn: TurnInput }>;
export type ImproveTask = Extract<Task, { improve: Improve }>;

/** Is it a turn, whether or not it needs a run? */
export function isTurn(task: Task): task is TurnTask {
  return KINDS[task.kind].part === "conversation";
}

/** Is it a step of self-improvement, or the undoing of one? */
export function isImprovement(task: Task): task is ImproveTask {
  return KINDS[task.kind].part === "improvement";
}

/** Is it done on another machine? Only work is; its planning stays here. */
export function isForPool({ kind, pool }: Pick<Task, "kind" | "pool">): boolean {
  return kind === "work" && pool !== undefined;
}

/** The defaults of a new task of this kind. */
export function blankTask<K extends TaskKind>(kind: K) {
  const { role, reported } = KINDS[kind];
  return {
    kind,
    role,
    type: "oneshot" as const,
    timeoutSec: null,
    upstream: [],
    onInterrupt: "rerun" as const,
    consumer: reported === "always" ? ("teller" as const) : ("supervisor" as const),
  };
}
