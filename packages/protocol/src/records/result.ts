/**
 * The final outcome of a task, with the task inside. Created once: the first writer wins
 * (docs/file-protocol.md#the-life-of-a-task).
 */
import { z } from "zod";
import { ProviderProblem } from "../base/cause.ts";
import { FailureReason } from "../base/failure.ts";
import { PlanNote } from "../base/fields.ts";
import { Id } from "../base/id.ts";
import type { Report } from "../base/report.ts";
import { Steer } from "../base/signal.ts";
import { Usage } from "../base/usage.ts";
import { describeIssues } from "../texts/issues.ts";
import { Left } from "./claim.ts";
import { EFFECTS_MAX, Effect } from "./effect.ts";
import { CommittedChange, Finding, Landing, Review, Unmerging } from "./improvement.ts";
import { SHOWN_MAX, ShownMemory } from "./shown-memory.ts";
import { Task } from "./task.ts";

/** Longer texts are cut to their tail here and kept in full as an artifact. */
export const RESULT_TEXT_CHARS_MAX = 20_000;

const Text = z.object({ text: z.string(), artifact: z.string().optional() });
const CodeChange = z.object({
  files: z.array(z.object({ path: z.string(), action: z.string(), summary: z.string() })),
  commitMessage: z.string().optional(),
});
const Analysis = z.object({
  findings: z.array(z.string()),
  recommendations: z.array(z.string()).optional(),
  references: z.array(z.string()).optional(),
});
const Summary = z.object({
  summary: z.string(),
  keyPoints: z.array(z.string()),
  metadata: z.record(z.string(), z.unknown()).optional(),
  /** Of a month: entries of memory.md that are not needed beside another, or not so any more since that. */
  dropped: z.array(z.object({ drop: z.string(), keep: z.string() })).optional(),
});
/** Internal types: a turn is its effects, a plan is the ids of its tasks and what it says beside them. */
const TurnDone = z.object({});
const Plan = z.object({ tasks: z.array(Id), note: PlanNote.optional() });

/** The outcome of a batch of semantic conditions, by the ids of its items (SPEC D3). */
export const Verdicts = z.array(z.object({ id: Id, result: z.boolean() }));
export type Verdicts = z.infer<typeof Verdicts>;

export const RESULT_SCHEMAS = {
  text: Text,
  code_change: CodeChange,
  analysis: Analysis,
  summary: Summary,
  turn: TurnDone,
  plan: Plan,
  verdicts: Verdicts,
  finding: Finding,
  change: CommittedChange,
  review: Review,
  landing: Landing,
  unmerging: Unmerging,
} as const;
export const ResultType = z.enum(Object.keys(RESULT_SCHEMAS) as (keyof typeof RESULT_SCHEMAS)[]);
export type ResultType = z.infer<typeof ResultType>;

/** The most steering messages that a run takes; more is a conversation, and waits for a turn. */
export const STEERS_MAX = 32;
/** Characters of them in all: their result, and the turn that reports it, stay far below RECORD_BYTES_MAX. */
export const STEERS_CHARS_MAX = 100_000;

/** Has a result that holds these steers room for one more? */
export function hasRoomFor(steer: Steer, steers: readonly Steer[]): boolean {
  const chars = steers.reduce((sum, { text }) => sum + text.length, steer.text.length);
  return steers.length < STEERS_MAX && chars <= STEERS_CHARS_MAX;
}

/** The beginning of the outage, and its reason, as the first attempt found it. */
export const Outage = z.object({ since: z.iso.datetime(), error: z.string(), problem: ProviderProblem.optional() });
export type Outage = z.infer<typeof Outage>;

export const Result = z
  .object({
    id: Id,
    task: Task,
    status: z.enum(["done", "failed", "needs_input"]),
    resultType: ResultType,
    /** Shaped by `resultType`; null when the task failed without one. */
    result: z.unknown(),
    error: z.string().optional(),
    failureReason: FailureReason.optional(),
    /** The provider that did not answer, and the reason, if that was the problem. */
    problem: ProviderProblem.optional(),
    question: z.string().optional(),
    effects: z.array(Effect).max(EFFECTS_MAX),
    attempts: z.number().int().nonnegative(),
    startedAt: z.iso.datetime().optional(),
    completedAt: z.iso.datetime(),
    usage: Usage,
    provider: z.string().optional(),
    /** The model that was asked, where its name is known. */
    model: z.string().optional(),
    /** The steering messages that the run received. */
    steers: z.array(Steer).max(STEERS_MAX).optional(),
    /** Turns: there was an outage for a while, which the user was told meanwhile (SPEC G4). */
    outage: Outage.optional(),
    /** Turns that are done: what of memory the model was shown, those first that every turn is told. */
    shown: z.array(ShownMemory).max(SHOWN_MAX).optional(),
    left: Left.optional(),
  })
  .superRefine((record, context) => {
    if (record.result === null && record.status !== "done") return;
    const checked = RESULT_SCHEMAS[record.resultType].safeParse(record.result);
    if (!checked.success)
      context.addIssue({ code: "custom", path: ["result"], message: describeIssues(checked.error) });
  });
export type Result = z.infer<typeof Result>;

/** A result as a later task or the Teller sees it. */
export function reportOf(result: Result): Report {
  const steers = [...(result.task.steers ?? []), ...(result.steers ?? [])];
  return {
    id: result.id,
    title: result.task.title,
    role: result.task.role,
    status: result.status,
    resultType: result.resultType,
    result: result.result,
    ...(result.error !== undefined && { error: result.error }),
    ...(result.failureReason !== undefined && { failureReason: result.failureReason }),
    ...(result.question !== undefined && { question: result.question }),
    ...(steers.length > 0 && { steers }),
    ...(result.task.planNote !== undefined && { planNote: result.task.planNote }),
  };
}
