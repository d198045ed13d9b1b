/** Why a trigger fires or does not, for people (SPEC D7). Nothing is asked or run for it. */

import type { Conditional, ConditionEvidence, Trigger } from "@mimikit/protocol/records/trigger";
import { sentence } from "@mimikit/protocol/texts/coded";
import { type Condition, isAtom } from "@mimikit/protocol/triggers/condition";
import type { Explanation, TriggerExplanation } from "@mimikit/protocol/wire/api";
import type { Facts } from "../conditions/condition.ts";
import { explainLeaf, judge, leavesToAsk, needsOf, numbered } from "../conditions/index.ts";
import { heldSinceOf, isResting, nextFiring, restEndsMs } from "./occurrence.ts";

/** The truth tree of a condition, each leaf with its last evidence. */
export function explain(condition: Condition, facts: Facts, evidence: ConditionEvidence): Explanation {
  return explainPart(condition, 0, facts, evidence);
}

/** @param first the number of its first leaf. */
function explainPart(condition: Condition, first: number, facts: Facts, evidence: ConditionEvidence): Explanation {
  const { holds } = judge(condition, facts, evidence, first);
  const { type } = condition;
  if (isAtom(condition)) return { type, holds, atom: condition, ...explainLeaf(condition, first, facts, evidence) };
  const parts = numbered(condition, first).map(({ part, at }) => explainPart(part, at, facts, evidence));
  return { type, holds, parts };
}

/** Why a trigger is where it is, in a word and in a line. */
type Reason = Pick<TriggerExplanation, "state" | "text" | "until">;

/** A whole trigger: one line, when it fires next where that is known, and the tree of its condition. */
export function explainTrigger(trigger: Trigger, facts: Facts): TriggerExplanation {
  const { id } = trigger;
  const nextMs = nextFiring(trigger);
  const next = nextMs === null ? null : isoOf(nextMs);
  const idle = idleReason(trigger);
  if (trigger.type !== "conditional") return { id, ...(idle ?? scheduleReason(nextMs, facts.nowMs)), next };
  const condition = explain(trigger.condition, facts, trigger.evidence);
  return { id, ...(idle ?? conditionReason(trigger, condition, facts)), next, condition };
}

function scheduleReason(nextMs: number | null, nowMs: number): Reason {
  if (nextMs === null) return { state: "exhausted", text: sentence("trigger_exhausted") };
  if (nextMs <= nowMs) return { state: "due", text: sentence("trigger_due", { moment: isoOf(nextMs) }) };
  return { state: "scheduled", text: sentence("trigger_next", { moment: isoOf(nextMs) }) };
}

const OVER = {
  spent: "trigger_spent",
  deleted: "trigger_deleted",
  cancelled: "trigger_cancelled",
} as const;

/** Why nothing is decided of it at all, whatever it waits for; null when there is no such reason. */
function idleReason({ over, paused }: Trigger): Reason | null {
  if (over !== undefined) return { state: "over", text: sentence(OVER[over]) };
  return paused ? { state: "paused", text: sentence("trigger_paused") } : null;
}

function conditionReason(trigger: Conditional, tree: Explanation, facts: Facts): Reason {
  const { condition, evidence, isArmed, firedAt } = trigger;
  if (firedAt !== undefined && isResting(trigger, facts.nowMs)) {
    const until = isoOf(restEndsMs(firedAt, trigger));
    return { state: "resting", text: sentence("trigger_rests", { moment: until }), until };
  }
  if (tree.holds === true)
    return isArmed ? firingReason(trigger, facts) : { state: "disarmed", text: sentence("trigger_disarmed") };
  if (tree.holds === false) {
    const detail = [...new Set(reasonsOf(tree))].join("; ");
    return { state: "unmet", text: sentence("trigger_unmet", { detail }) };
  }
  const asked = leavesToAsk(condition, facts, evidence).length;
  if (asked === 0) return { state: "unseen", text: sentence("trigger_unseen") };
  return {
    state: "asking",
    text: asked === 1 ? sentence("trigger_asks_one") : sentence("trigger_asks", { count: asked }),
  };
}

/** It holds, and fires now, or when it has done so for a while. */
function firingReason(trigger: Conditional, facts: Facts): Reason {
  const { condition, stableSec, evidence } = trigger;
  const heldSince = heldSinceOf(trigger, true, facts.nowMs);
  if (stableSec !== undefined && heldSince !== undefined) {
    const until = isoOf(Date.parse(heldSince) + stableSec * 1_000);
    return { state: "holding", text: sentence("trigger_holds", { moment: until }), until };
  }
  const unsettled = { ...facts, hasSettled: () => false };
  const [rest] = judge(condition, unsettled, evidence).holds === true ? [] : needsOf(condition).rests;
  if (rest === undefined) return { state: "firing", text: sentence("trigger_fires") };
  return { state: "firing", text: sentence("trigger_settles", { path: rest.path, seconds: rest.settleSec }) };
}

/** The evidence of the leaves that make a tree what it is. */
function reasonsOf({ type, holds, text, parts }: Explanation): string[] {
  if (parts === undefined) return text === undefined ? [] : [text];
  return parts.filter((part) => type === "not" || part.holds === holds).flatMap(reasonsOf);
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
