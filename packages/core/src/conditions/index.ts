/** Every atomic condition by its type, and the verdict over a whole tree of them. */

import type { ConditionEvidence } from "@mimikit/protocol/records/trigger";
import { type Atom, type Condition, leavesOf, partsOf } from "@mimikit/protocol/triggers/condition";
import {
  type ConditionRule,
  type ConditionVerdict,
  type Facts,
  type LeafMemory,
  type Needs,
  UNKNOWN,
} from "./condition.ts";
import { fileChanged } from "./file-changed.ts";
import { fileExists } from "./file-exists.ts";
import { llmEval } from "./llm-eval.ts";
import { taskDone } from "./task-done.ts";
import { taskFailed } from "./task-failed.ts";
import { time } from "./time.ts";

const CONDITIONS: { [T in Atom["type"]]: ConditionRule<T> } = {
  task_done: taskDone,
  task_failed: taskFailed,
  file_exists: fileExists,
  file_changed: fileChanged,
  llm_eval: llmEval,
  time,
};

function ruleOf<T extends Atom["type"]>(type: T): ConditionRule<T> {
  return CONDITIONS[type];
}

/** The facts that a condition needs, without repetitions. */
export function needsOf(condition: Condition): Required<Needs> {
  const needs = leavesOf(condition).map((atom) => ruleOf(atom.type).needs?.(atom.params) ?? {});
  return {
    tasks: [...new Set(needs.flatMap(({ tasks = [] }) => tasks))],
    paths: [...new Set(needs.flatMap(({ paths = [] }) => paths))],
    rests: needs.flatMap(({ rests = [] }) => rests),
  };
}

/** The verdict on a condition by the facts and the evidence. @param first the number of its first leaf. */
export function judge(condition: Condition, facts: Facts, evidence: ConditionEvidence, first = 0): ConditionVerdict {
  return judgeTree(condition, first, judgeWith(facts, evidence));
}

/** Why a leaf is so, for people. */
export function explainLeaf({ type, params }: Atom, leaf: number, facts: Facts, evidence: ConditionEvidence) {
  return ruleOf(type).explain(params, facts, knownOf(leaf, evidence));
}

function knownOf(leaf: number, { baselines, evaluations, unanswered }: ConditionEvidence): LeafMemory {
  return { baseline: baselines[leaf], evaluation: evaluations[leaf], unanswered: unanswered?.[leaf] };
}

/**
 * The semantic leaves that a model must be asked about, because everything else cannot decide: whatever a model said
 * before counts as not known (SPEC D1, D3). Where no answer could make the condition true, because a file cannot be
 * looked at, none is asked for.
 */
export function leavesToAsk(condition: Condition, facts: Facts, evidence: ConditionEvidence): number[] {
  const judgeAt = judgeWith(facts, evidence);
  return undecided(condition, 0, true, (atom, leaf) => (atom.type === "llm_eval" ? UNKNOWN : judgeAt(atom, leaf)));
}

type JudgeAt = (atom: Atom, leaf: number) => ConditionVerdict;

function judgeWith(facts: Facts, evidence: ConditionEvidence): JudgeAt {
  return ({ type, params }, leaf) => ruleOf(type).judge(params, facts, knownOf(leaf, evidence));
}

function judgeTree(condition: Condition, first: number, judgeAt: JudgeAt): ConditionVerdict {
  switch (condition.type) {
    case "not": {
      const { holds, isFinal } = judgeTree(condition.condition, first, judgeAt);
      return { holds: holds === null ? null : !holds, isFinal };
    }
    case "and":
    case "or": {
      const verdicts = numbered(condition, first).map(({ part, at }) => judgeTree(part, at, judgeAt));
      return combine(verdicts, condition.type === "or");
    }
    default:
      return judgeAt(condition, first);
  }
}

/** One part that is `decisive` decides; without one, a part that is not known leaves the whole unknown. */
function combine(verdicts: readonly ConditionVerdict[], decisive: boolean): ConditionVerdict {
  const deciding = verdicts.filter(({ holds }) => holds === decisive);
  if (deciding.length > 0) return { holds: decisive, isFinal: deciding.some(({ isFinal }) => isFinal) };
  const isKnown = verdicts.every(({ holds }) => holds !== null);
  return { holds: isKnown ? !decisive : null, isFinal: verdicts.every(({ isFinal }) => isFinal) };
}

/** The parts of a combination, each with the number of its first leaf. */
export function numbered(condition: Condition, first: number): { part: Condition; at: number }[] {
  let at = first;
  return partsOf(condition).map((part) => {
    const here = { part, at };
    at += leavesOf(part).length;
    return here;
  });
}

/** The semantic leaves that decide whether it is as `wanted`; none where the rest decides, or it cannot be so. */
function undecided(condition: Condition, first: number, wanted: boolean, judgeAt: JudgeAt): number[] {
  if (judgeTree(condition, first, judgeAt).holds !== null || !canBe(wanted, condition, first, judgeAt)) return [];
  if (condition.type === "llm_eval") return [first];
  const ofParts = condition.type === "not" ? !wanted : wanted;
  return numbered(condition, first).flatMap(({ part, at }) => undecided(part, at, ofParts, judgeAt));
}

/** Are there answers of models that make it so? */
function canBe(wanted: boolean, condition: Condition, first: number, judgeAt: JudgeAt): boolean {
  switch (condition.type) {
    case "llm_eval":
      return true;
    case "not":
      return canBe(!wanted, condition.condition, first, judgeAt);
    case "and":
    case "or": {
      const parts = numbered(condition, first);
      const partCanBe = ({ part, at }: (typeof parts)[number]) => canBe(wanted, part, at, judgeAt);
      return wanted === (condition.type === "and") ? parts.every(partCanBe) : parts.some(partCanBe);
    }
    default:
      return judgeAt(condition, first).holds === wanted;
  }
}

/** The files by whose changes a condition holds, newest first, without repetitions. @param sinceMs when its baselines were taken. */
export function changedFiles(
  condition: Condition,
  facts: Facts,
  evidence: ConditionEvidence,
  sinceMs: number,
): string[] {
  const files = leavesOf(condition).flatMap(
    ({ type, params }, leaf) => ruleOf(type).changed?.(params, facts, knownOf(leaf, evidence), sinceMs) ?? [],
  );
  return [...new Set(files)];
}

/** The evidence with a baseline for every leaf that was never looked at; null when there is nothing to add. */
export function withBaselines(
  condition: Condition,
  facts: Facts,
  evidence: ConditionEvidence,
): ConditionEvidence | null {
  const baselines = { ...baselinesOf(condition, facts, true), ...evidence.baselines };
  return Object.keys(baselines).length === Object.keys(evidence.baselines).length ? null : { ...evidence, baselines };
}

/** The baselines of the leaves from now on, for leaves that compare and can be read. */
function baselinesOf(condition: Condition, facts: Facts, isFirst: boolean): ConditionEvidence["baselines"] {
  const baselines: ConditionEvidence["baselines"] = {};
  for (const [leaf, { type, params }] of leavesOf(condition).entries()) {
    const baseline = ruleOf(type).baseline?.(params, facts, isFirst);
    if (baseline !== undefined) baselines[leaf] = baseline;
  }
  return baselines;
}

/**
 * The evidence without the answers of models that the rest does not leave open any more, and without what they were asked in
 * vain: what was said of an earlier time must not count when the question comes back. It is the same object where there is nothing to forget.
 */
export function withoutOldAnswers(condition: Condition, facts: Facts, evidence: ConditionEvidence): ConditionEvidence {
  const { evaluations, unanswered = {} } = evidence;
  const answers = Object.entries(evaluations).filter(([, { result }]) => result !== null);
  const inVain = Object.entries(unanswered);
  if (answers.length + inVain.length === 0) return evidence;
  const asked = leavesToAsk(condition, facts, evidence);
  const isOld = ([leaf]: [string, unknown]) => !asked.includes(Number(leaf));
  const old = answers.filter(isOld);
  if (old.length === 0 && !inVain.some(isOld)) return evidence;
  const forgotten = Object.fromEntries(old.map(([leaf, answer]) => [leaf, { ...answer, result: null }]));
  const still = inVain.filter((each) => !isOld(each));
  return {
    ...evidence,
    evaluations: { ...evaluations, ...forgotten },
    unanswered: still.length === 0 ? undefined : Object.fromEntries(still),
  };
}

/** The evidence once a firing has used it: changes up to now are acted upon, and answers count no more. */
export function used(condition: Condition, facts: Facts, evidence: ConditionEvidence): ConditionEvidence {
  const baselines = { ...evidence.baselines, ...baselinesOf(condition, facts, false) };
  const evaluations = Object.fromEntries(
    Object.entries(evidence.evaluations).map(([leaf, answer]) => [leaf, { ...answer, result: null }]),
  );
  return { ...evidence, baselines, evaluations };
}
