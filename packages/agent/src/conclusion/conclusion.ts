/**
 * Reads the result of a run from its last text, by role. A Teller's is the reply; a Planner's is the note of its plan,
 * or a question to the user where it has planned nothing; a Worker's is its result, as it stands or, where it is one
 * JSON object (also in a fence at its end), `{"resultType", "result"}`. A Planner and a Worker that cannot go on hand in
 * `{"status": "needs_input", "question", "findings"}` or `{"status": "failed", "error"}`. The evaluator's is its
 * verdicts, the summarizer's its summary as it stands, the improver's its finding, the Reviewer's its review.
 */

import { BadJson, parseJson, tryJson } from "@mimikit/protocol/base/json";
import { EFFECTS_MAX } from "@mimikit/protocol/records/effect";
import { Finding, Review } from "@mimikit/protocol/records/improvement";
import { RESULT_SCHEMAS } from "@mimikit/protocol/records/result";
import { type EvaluationItem, isTurn, type RollUp, type Task, type TurnInput } from "@mimikit/protocol/records/task";
import { describeIssues } from "@mimikit/protocol/texts/issues";
import { z } from "zod";
import type { DoneEvent, FailedEvent } from "../provider.ts";
import { readJsonOf } from "./hand-in-json.ts";
import { lastFence, lastJson } from "./last-json.ts";
import { readVerdicts } from "./verdicts.ts";

/** A run's last event, without what it cost. */
export type LastEvent = Omit<DoneEvent, "usage"> | Omit<FailedEvent, "usage">;

/**
 * `event` is the end of the run; `problem` tells the model what is wrong with its text (SPEC C6), and `otherwise` is the
 * end where it was told in vain: without it, the result is not valid.
 */
export type Conclusion = { event: LastEvent } | { problem: string; otherwise?: LastEvent };

/** How people are told of an end that stays of no use once the model has been told what is wrong with it. */
export function describeUseless(task: Task): string {
  const what = isTurn(task) ? "said nothing" : task.kind === "plan" ? "planned nothing" : "handed in nothing of use";
  return `${what}, even when it was asked again`;
}

const Words = z.string().trim().min(1);
const HandedIn = z.union([
  z.object({ status: z.literal("failed"), error: Words }),
  RESULT_SCHEMAS.analysis.partial().extend({ status: z.literal("needs_input"), question: Words }),
  z.object({ resultType: z.enum(["text", "code_change", "analysis", "summary"]), result: z.unknown() }),
]);
type HandedIn = z.infer<typeof HandedIn>;

const DroppedJson = z.object({ dropped: z.array(z.object({ drop: z.string(), keep: z.string() })) });

const REVIEW_FORM = '{"pass": false, "reasons": ["…"]}';
const FINDING_FORM = '{"found": true, "kind": "docs", "title": "…", "prompt": "…", "why": "…"} or {"found": false}';

/** @param staged what the run has staged so far. */
export function conclude(task: Task, text: string, staged: readonly { type: string }[]): Conclusion {
  switch (task.kind) {
    case "turn":
    case "announcement":
      return concludeTurn(task.turn, text, staged);
    case "plan":
      return concludePlan(text, staged);
    case "evaluation":
      return concludeEvaluation(task.evaluation, text);
    case "roll-up":
      return concludeSummary(text, task.rollUp);
    case "improve-look":
      return concludeAs("finding", readJsonOf(Finding, text, FINDING_FORM));
    case "improve-review":
      return concludeAs("review", readJsonOf(Review, text, REVIEW_FORM));
    default:
      return concludeWork(text);
  }
}

function concludeTurn(turn: TurnInput, text: string, staged: readonly { type: string }[]): Conclusion {
  const isAwaited = turn.messages.length + turn.results.length > 0;
  const hasReplied = text !== "" || staged.some((effect) => effect.type === "reply");
  if (isAwaited && !hasReplied) return { problem: "You have said nothing. The user waits: answer now." };
  return { event: { type: "done", status: "done", text } };
}

function concludePlan(text: string, staged: readonly unknown[]): Conclusion {
  const object = readObject(text);
  const handedIn = HandedIn.safeParse(object).data;
  const end = handedIn === undefined || "resultType" in handedIn ? null : unfinished(handedIn);
  if (staged.length > 0) {
    const note = end?.type === "failed" ? end.error : (end?.question ?? text);
    const isFull = staged.length >= EFFECTS_MAX;
    const limit = { reached: "changes", max: EFFECTS_MAX } as const;
    return { event: { type: "done", status: "done", note, ...(isFull && { limit }) } };
  }
  if (end !== null) return { event: end };
  if (text !== "" && object === null) return { event: { type: "done", status: "needs_input", question: text } };
  return { problem: "You have planned nothing. Call delegate for each task, or ask what you must know." };
}

function concludeWork(text: string): Conclusion {
  if (text === "") return { problem: "Your result is empty. Say what you did and what came of it." };
  const object = readObject(text);
  if (object === null) return done("text", { text });
  const handedIn = HandedIn.safeParse(object);
  if (!handedIn.success)
    return {
      problem: 'The JSON of your result is not valid, or has neither a known "resultType" nor a known "status".',
    };
  if (!("resultType" in handedIn.data)) return { event: unfinished(handedIn.data) };
  const { resultType, result } = handedIn.data;
  const checked = RESULT_SCHEMAS[resultType].safeParse(result);
  if (checked.success) return done(resultType, checked.data);
  return { problem: `The JSON of your result is no ${resultType}: ${describeIssues(checked.error)}` };
}

/** The end of a run that cannot go on, with what it has found so far. */
function unfinished(handedIn: Exclude<HandedIn, { resultType: unknown }>): LastEvent {
  if ("error" in handedIn) return { type: "failed", failureReason: "error", error: handedIn.error, retryable: false };
  const found = RESULT_SCHEMAS.analysis.safeParse(handedIn);
  return {
    type: "done",
    status: "needs_input",
    question: handedIn.question,
    ...(found.success && { resultType: "analysis", result: found.data }),
  };
}

function concludeEvaluation(items: readonly EvaluationItem[], text: string): Conclusion {
  const { verdicts, problem } = readVerdicts(items, text);
  const end = done("verdicts", verdicts);
  if (problem === null) return end;
  return verdicts.length === 0 ? { problem } : { problem, otherwise: end.event };
}

function concludeAs(resultType: "review" | "finding", read: { value: unknown } | { problem: string }): Conclusion {
  return "problem" in read ? read : done(resultType, read.value);
}

/** A month may name entries of memory.md that go, in a fence at its end: `{"dropped": [{"drop": "…", "keep": "…"}]}`. */
function concludeSummary(text: string, { remembered = [] }: RollUp): Conclusion {
  const whole = text.trim();
  const json = remembered.length === 0 ? undefined : lastFence(whole);
  const end = json === undefined ? undefined : DroppedJson.safeParse(tryJson(json.text)).data;
  const summary = json === undefined || end === undefined ? whole : whole.slice(0, json.at).trim();
  if (summary === "") return { problem: "Your summary is empty. Sum up the sources now, as Markdown." };
  return done("summary", { summary, keyPoints: [], ...(end !== undefined && { dropped: end.dropped }) });
}

function done(resultType: NonNullable<DoneEvent["resultType"]>, result: unknown): { event: LastEvent } {
  return { event: { type: "done", status: "done", resultType, result } };
}

/** The object that `text` is or ends with, when it means to hand something in; any other JSON is just text. */
function readObject(text: string): object | null {
  const json = lastJson(text, "{");
  if (json === undefined) return null;
  try {
    const value = parseJson(json);
    return isMeant(value) ? value : null;
  } catch (error) {
    if (!(error instanceof BadJson)) throw error;
    return json.includes('"resultType"') ? {} : null;
  }
}

function isMeant(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  return "resultType" in value || ("status" in value && (value.status === "failed" || value.status === "needs_input"));
}
