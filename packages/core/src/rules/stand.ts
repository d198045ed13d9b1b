/**
 * Triggers fire, cool down or skip, one version after the other. The decision of a version is carried out first; when
 * all of it is durable, the next version is decided. So an occurrence has exactly one outcome, whichever process decides
 * it and wherever it is cut off (SPEC D5).
 */

import {
  type Conditional,
  firedFiles,
  type Recurring,
  type Scheduled,
  type Trigger,
  type TriggerDecision,
} from "@mimikit/protocol/records/trigger";
import { sentence } from "@mimikit/protocol/texts/coded";
import { MISSED_MAX } from "@mimikit/protocol/triggers/trigger-order";
import type { Action } from "../base/action.ts";
import { factsAt, isCancelled, openTasks, openTriggers, type Snapshot } from "../base/snapshot.ts";
import { changedFiles, judge, needsOf, used, withBaselines, withoutOldAnswers } from "../conditions/index.ts";
import { dueOf } from "../schedule/schedule.ts";
import { hasHeld, heldSinceOf, isResting, nextOccurrence } from "../triggers/occurrence.ts";
import { advanced, occurrenceEvent, occurrenceId, occurrenceTask, skipOf } from "../triggers/triggers.ts";
import { undoneOf } from "../triggers/undone.ts";

/** An occurrence is on time up to this many milliseconds late; later, it was missed. */
export const ON_TIME_MS = 60_000;
/** A file is written a moment before its time is compared with that of a firing. */
const CLOCK_SLACK_MS = 1_000;
/** A trigger whose firings pile up to this many that have not ended skips until some have. */
export const OPEN_OCCURRENCES_MAX = 100;

export function stand(snapshot: Snapshot, nowMs: number): Action[] {
  const untold = untoldByTrigger(snapshot);
  return openTriggers(snapshot, snapshot.attention.triggers.values()).flatMap((trigger) => {
    const open = openTasks(snapshot, snapshot.queuedBy(trigger.id)).length + (untold.get(trigger.id) ?? 0);
    return step(trigger, open, snapshot, nowMs);
  });
}

/** Events that the Teller has not been told: where a budget is used up they wait, as tasks do that have not ended. */
function untoldByTrigger(snapshot: Snapshot): Map<string, number> {
  const untold = new Map<string, number>();
  for (const command of snapshot.inbox.values()) {
    if (command.kind !== "event" || command.name !== "cron_trigger" || snapshot.isArchived(command.id)) continue;
    const { triggerId } = command.data;
    if (triggerId !== undefined) untold.set(triggerId, (untold.get(triggerId) ?? 0) + 1);
  }
  return untold;
}

function step(trigger: Trigger, open: number, snapshot: Snapshot, nowMs: number): Action[] {
  const undone = undoneOf(trigger, snapshot);
  if (undone.fire.length + undone.skip.length > 0) return [carryOut(trigger, undone, snapshot, nowMs)];
  if (trigger.over !== undefined) return [{ type: "end-trigger", trigger, outcome: trigger.over }];
  if (isCancelled(snapshot, trigger.id))
    return [{ type: "advance", trigger: advanced(trigger, { over: "cancelled" }) }];
  if (trigger.paused) return [];
  const next = nextVersion(trigger, reasonToSkip(trigger, open, snapshot), snapshot, nowMs);
  return next === null ? [] : [{ type: "advance", trigger: next }];
}

function carryOut(trigger: Trigger, { fire, skip }: TriggerDecision, snapshot: Snapshot, nowMs: number): Action {
  const waitedFor = trigger.type === "conditional" ? needsOf(trigger.condition).tasks : [];
  const upstream = waitedFor.flatMap((taskId) => snapshot.outcomeOf(taskId) ?? []);
  const isEvent = trigger.target === "teller";
  return {
    type: "carry-out",
    trigger,
    tasks: isEvent ? [] : fire.map((occurrence) => occurrenceTask(trigger, occurrence, upstream, nowMs)),
    events: isEvent ? fire.map((occurrence) => occurrenceEvent(trigger, occurrence, nowMs)) : [],
    skips: skip.map((each) => ({ ...each, kind: "skipped", triggerId: trigger.id })),
  };
}

/** Why nothing of it is started now, though it is due; null when there is no reason. */
function reasonToSkip(trigger: Trigger, open: number, snapshot: Snapshot): string | null {
  if (open >= OPEN_OCCURRENCES_MAX) return sentence("skipped_open", { count: open });
  const { budget } = trigger;
  if (budget === undefined) return null;
  const spent = snapshot.spentByTrigger(trigger.id);
  if (budget.tokens !== undefined && spent.tokens >= budget.tokens)
    return sentence("skipped_tokens", { max: budget.tokens });
  if (budget.costUsd !== undefined && spent.costUsd >= budget.costUsd)
    return sentence("skipped_cost", { max: budget.costUsd });
  return null;
}

function nextVersion(trigger: Trigger, skip: string | null, snapshot: Snapshot, nowMs: number): Trigger | null {
  switch (trigger.type) {
    case "recurring":
      return nextRecurring(trigger, skip, nowMs);
    case "scheduled":
      return nextScheduled(trigger, skip, nowMs);
    case "conditional":
      return nextConditional(trigger, skip, snapshot, nowMs);
  }
}

function nextRecurring(trigger: Recurring, skip: string | null, nowMs: number): Recurring | null {
  const next = nextOccurrence(trigger);
  if (next === null || next > nowMs) return null;
  const { occurrences, older } = dueOf(trigger.schedule, Date.parse(trigger.last), nowMs);
  const last = occurrences.at(-1);
  if (last === undefined) return null;
  const firing = skip === null ? chosen(trigger.missed, occurrences, nowMs) : [];
  const skipped = occurrences.slice(0, occurrences.length - firing.length);
  const decision: TriggerDecision = {
    fire: firing.map((ms) => ({ id: occurrenceId(trigger, ms), at: new Date(ms).toISOString() })),
    skip: skipOf(trigger, { occurrences: skipped, older }, skip ?? missedReason(trigger.missed)),
  };
  return advanced(trigger, { last: new Date(last).toISOString() }, decision);
}

/** The newest of the due occurrences that are run: those on time and, of those that were missed, what the policy wants. */
function chosen(missed: Recurring["missed"], due: readonly number[], nowMs: number): number[] {
  const onTime = due.filter((ms) => nowMs - ms <= ON_TIME_MS);
  if (missed === "all") return due.slice(-MISSED_MAX);
  return missed === "latest" && onTime.length === 0 ? due.slice(-1) : onTime.slice(-MISSED_MAX);
}

function missedReason(missed: Recurring["missed"]): string {
  if (missed === "all") return sentence("skipped_missed_many", { max: MISSED_MAX });
  return sentence(missed === "latest" ? "skipped_missed_older" : "skipped_missed");
}

function nextScheduled(trigger: Scheduled, skip: string | null, nowMs: number): Scheduled | null {
  const dueMs = Date.parse(trigger.runAt);
  if (dueMs > nowMs) return null;
  const isMissed = trigger.missed === "none" && nowMs - dueMs > ON_TIME_MS;
  const reason = skip ?? (isMissed ? missedReason("none") : null);
  const at = new Date(dueMs).toISOString();
  const decision: TriggerDecision =
    reason === null
      ? { fire: [{ id: occurrenceId(trigger, dueMs), at }], skip: [] }
      : { fire: [], skip: skipOf(trigger, { occurrences: [dueMs], older: null }, reason) };
  return advanced(trigger, { over: "spent" }, decision);
}

function nextConditional(
  trigger: Conditional,
  skip: string | null,
  snapshot: Snapshot,
  nowMs: number,
): Conditional | null {
  const { id, condition, isArmed } = trigger;
  const facts = factsAt(snapshot, nowMs);
  const based = withBaselines(condition, facts, trigger.evidence) ?? trigger.evidence;
  const evidence = withoutOldAnswers(condition, facts, based);
  const { holds } = judge(condition, facts, evidence);
  const heldSince = heldSinceOf(trigger, holds === true && isArmed, nowMs);
  if (holds === true && isArmed && !isResting(trigger, nowMs) && hasHeld(trigger, heldSince, nowMs)) {
    const afterwards = used(condition, facts, evidence);
    const at = new Date(nowMs).toISOString();
    const fired = trigger.fired + 1;
    const since = Date.parse(trigger.firedAt ?? trigger.createdAt) - CLOCK_SLACK_MS;
    const files = firedFiles(changedFiles(condition, facts, evidence, since));
    const occurrence = { id: `${id}--${fired}`, at, ...(files !== undefined && { files }) };
    const decision: TriggerDecision =
      skip === null
        ? { fire: [occurrence], skip: [] }
        : { fire: [], skip: [{ id: `${id}--${fired}-skipped`, from: at, to: at, count: 1, reason: skip }] };
    const isArmedAgain = judge(condition, facts, afterwards).holds === false;
    const rested = { ...trigger, heldSince: undefined };
    return advanced(rested, { evidence: afterwards, fired, firedAt: at, isArmed: isArmedAgain }, decision);
  }
  if (holds === false && !isArmed) return advanced(trigger, { evidence, isArmed: true });
  if (heldSince !== trigger.heldSince) return advanced({ ...trigger, heldSince }, { evidence });
  return evidence === trigger.evidence ? null : advanced(trigger, { evidence });
}
