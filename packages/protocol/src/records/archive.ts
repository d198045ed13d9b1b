/** Records of `archive/` about commands and marks; messages, events and results are archived as they were. */
import { z } from "zod";
import { ApprovalVerdict } from "../approvals/approval.ts";
import { Id } from "../base/id.ts";
import { CommandWithOutcome, Event, Message } from "./inbox.ts";
import { ClosedQuestion } from "./question.ts";
import { Result } from "./result.ts";
import { Over, Skip, Trigger, TriggerId } from "./trigger.ts";

export const CommandOutcome = z.object({
  kind: z.literal("wish"),
  id: Id,
  at: z.iso.datetime(),
  wish: CommandWithOutcome,
  outcome: z.string(),
  /** Steers and stops: the task that the command found. It is decided once, when this record is made. */
  taskId: Id.optional(),
});
export type CommandOutcome = z.infer<typeof CommandOutcome>;

/** "Task `taskId` and everything below it is cancelled." */
export const CancelMark = z.object({ kind: z.literal("mark"), id: Id, at: z.iso.datetime(), taskId: Id });
export type CancelMark = z.infer<typeof CancelMark>;

/**
 * "Task `taskId` may run again, though attempt `attempt` of it was cut off": the user wants it so (SPEC C5). With a verdict: the
 * owner has been asked about a call of that attempt, and the next one goes on with the answer.
 */
export const RetryPermit = z.object({
  kind: z.literal("permit"),
  id: Id,
  at: z.iso.datetime(),
  taskId: Id,
  attempt: z.number().int().positive(),
  verdict: ApprovalVerdict.optional(),
});
export type RetryPermit = z.infer<typeof RetryPermit>;

/**
 * A trigger that is over. Nothing of it is created any more, nor anything under its id
 * (docs/file-protocol.md#the-life-of-a-trigger).
 */
export const EndedTrigger = z.object({
  kind: z.literal("trigger"),
  id: TriggerId,
  at: z.iso.datetime(),
  outcome: Over,
  trigger: Trigger,
});
export type EndedTrigger = z.infer<typeof EndedTrigger>;

/** Occurrences of a trigger that were not run. */
export const SkippedOccurrences = Skip.extend({ kind: z.literal("skipped"), triggerId: TriggerId });
export type SkippedOccurrences = z.infer<typeof SkippedOccurrences>;

/**
 * "What was said in turns `fromTurn` to `throughTurn` goes into `path`" (SPEC E2). Creating note `number` is the
 * compare-and-swap; the file then gets the messages with the mark of the note, and once they are durable there the same
 * record is created under `keptId`: from then on the file may go, and the messages are not written again. Where
 * `throughTurn` is below `fromTurn` there is nothing to write, and the note only says that the window was flushed.
 */
export const Note = z.object({
  kind: z.literal("note"),
  id: Id,
  number: z.number().int().positive(),
  at: z.iso.datetime(),
  fromTurn: z.number().int().positive(),
  throughTurn: z.number().int().nonnegative(),
  path: z.string().regex(/^memory\/[^/]+\.md$/),
  /** history.json keeps only its newest messages from here on. */
  isFlush: z.boolean(),
});
export type Note = z.infer<typeof Note>;

/** A shorter text that later turns read in place of a task's result. The first that is made of a task stands. */
export const ResultSummary = z.object({
  kind: z.literal("result-summary"),
  id: Id,
  at: z.iso.datetime(),
  taskId: Id,
  summary: z.string(),
});
export type ResultSummary = z.infer<typeof ResultSummary>;

/** A change was undone, once and for all, because of the command `wishId`. */
export const Undone = z.object({
  kind: z.literal("undone"),
  id: Id,
  at: z.iso.datetime(),
  changeId: Id,
  wishId: Id,
  outcome: z.string(),
});
export type Undone = z.infer<typeof Undone>;

export const Archived = z.union([
  Message,
  Event,
  CommandOutcome,
  CancelMark,
  RetryPermit,
  ClosedQuestion,
  EndedTrigger,
  SkippedOccurrences,
  Note,
  ResultSummary,
  Undone,
  Result,
]);
export type Archived = z.infer<typeof Archived>;

/** The first line of `archive/YYYY-MM.jsonl`; one archived record a line follows. */
export const CompactedHeader = z.object({ kind: z.literal("fold"), month: z.string(), ids: z.array(Id) });
export type CompactedHeader = z.infer<typeof CompactedHeader>;
