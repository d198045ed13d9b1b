/**
 * Semantic conditions are asked in one batch, never sooner than five minutes after the last, and only those that nothing
 * else decides (SPEC D3). A batch that failed is followed by longer and longer waits.
 */

import { evaluationId } from "@mimikit/protocol/base/id";
import { blankTask, EVALUATION_ITEMS_MAX, type EvaluationItem, type Task } from "@mimikit/protocol/records/task";
import type { ConditionEvidence, Trigger } from "@mimikit/protocol/records/trigger";
import type { Condition } from "@mimikit/protocol/triggers/condition";
import { leavesOf } from "@mimikit/protocol/triggers/condition";
import type { Action } from "../base/action.ts";
import { factsAt, isCancelled, openDependents, openTriggers, type Snapshot } from "../base/snapshot.ts";
import type { Facts } from "../conditions/condition.ts";
import { leavesToAsk } from "../conditions/index.ts";
import { weigh } from "../memory/weigh.ts";
import { isResting } from "../triggers/occurrence.ts";
import { dependentFactsAt } from "./fire.ts";

export const EVALUATION_EVERY_SEC = 300;
/** Seconds until the next batch after one failure in a row, two, … A user who has set up a model meanwhile waits an hour at most. */
export const EVALUATION_BACKOFF_SEC = [600, 1_800, 3_600] as const;
/** Characters of all conditions of a batch, as `weigh` counts them: a model with a small window is shown them whole. The others wait for the next. */
export const EVALUATION_CHARS_MAX = 12_000;
/** Above that of any requested task (SPEC A5). */
const EVALUATION_PRIORITY = 10;

export function evaluate(snapshot: Snapshot, nowMs: number): Action[] {
  if (!isDue(snapshot, nowMs) || snapshot.ceiling !== null) return [];
  const items = pendingItems(snapshot, nowMs);
  if (items.length === 0) return [];
  const id = evaluationId((snapshot.evaluation?.number ?? 0) + 1);
  const task: Task = {
    ...blankTask("evaluation"),
    id,
    title: `semantic conditions (${items.length})`,
    prompt: "",
    priority: EVALUATION_PRIORITY,
    createdAt: new Date(nowMs).toISOString(),
    traceId: id,
    evaluation: items,
  };
  return [{ type: "evaluate", task }];
}

function isDue({ evaluation }: Snapshot, nowMs: number): boolean {
  if (evaluation === null) return true;
  if (evaluation.isOpen) return false;
  const { failures, at } = evaluation;
  const waitSec = EVALUATION_BACKOFF_SEC[Math.min(failures, EVALUATION_BACKOFF_SEC.length) - 1] ?? EVALUATION_EVERY_SEC;
  // A clock that was set back behind the last batch must not put off the next by the difference.
  return Math.abs(nowMs - Date.parse(at)) >= waitSec * 1_000;
}

interface Waiting {
  id: string;
  condition: Condition;
  evidence: ConditionEvidence;
}

/** The questions for a model now, those that have waited longest first. */
function pendingItems(snapshot: Snapshot, nowMs: number): EvaluationItem[] {
  const facts = factsAt(snapshot, nowMs);
  const { attention } = snapshot;
  const triggers = openTriggers(snapshot, attention.triggers.values()).flatMap((trigger) =>
    trigger.type === "conditional" && isAwake(trigger) && !isResting(trigger, nowMs) ? [trigger] : [],
  );
  const isOpen = ({ id }: Waiting) => !isCancelled(snapshot, id);
  const dependents = openDependents(snapshot, attention.dependents.values()).filter(isOpen);
  const dependentFacts = dependentFactsAt(snapshot, nowMs);
  const questions = [
    ...dependents.flatMap((each) => questionsOf(each, dependentFacts)),
    ...triggers.filter(isOpen).flatMap((each) => questionsOf(each, facts)),
  ].sort((a, b) => (a.askedAt < b.askedAt ? -1 : a.askedAt > b.askedAt ? 1 : 0));
  return fitting(questions).map(({ triggerId, leaf, prompt }, i) => ({ id: `c${i + 1}`, triggerId, leaf, prompt }));
}

function isAwake({ paused, over }: Trigger): boolean {
  return !paused && over === undefined;
}

/** The first ones, as many as a batch holds; at least one. */
function fitting(questions: readonly Question[]): Question[] {
  let chars = 0;
  const next = questions.findIndex(({ prompt }, i) => {
    chars += weigh(prompt);
    return i >= EVALUATION_ITEMS_MAX || (i > 0 && chars > EVALUATION_CHARS_MAX);
  });
  return next < 0 ? [...questions] : questions.slice(0, next);
}

interface Question {
  triggerId: string;
  leaf: number;
  prompt: string;
  /** When it was last asked, answered or in vain, ISO 8601; empty where it never was. */
  askedAt: string;
}

function questionsOf({ id, condition, evidence }: Waiting, facts: Facts): Question[] {
  const leaves = leavesOf(condition);
  return leavesToAsk(condition, facts, evidence).flatMap((leaf) => {
    const atom = leaves[leaf];
    if (atom?.type !== "llm_eval") return [];
    // A question that gets no usable answer goes behind the others: it must not fill each batch.
    const askedAt = evidence.unanswered?.[leaf]?.at ?? evidence.evaluations[leaf]?.at ?? "";
    return [{ triggerId: id, leaf, prompt: atom.params.prompt, askedAt }];
  });
}
