/** How what was done to a standing trigger is taken back (SPEC J3). Nothing here knows a disk. */

import type { Changer, StandingChange, TriggerFields } from "@mimikit/protocol/records/change";
import { NO_DECISION, NO_EVIDENCE, type Standing, TriggerId } from "@mimikit/protocol/records/trigger";
import { sentence } from "@mimikit/protocol/texts/coded";
import { TRIGGERS_MAX, type When } from "@mimikit/protocol/triggers/trigger-order";
import { titleOf } from "../base/title.ts";
import { patched } from "./triggers.ts";

/** The triggers of one look. */
export interface Triggers {
  standing: ReadonlyMap<string, Standing>;
  isArchived(id: string): boolean;
}

type Op<O extends StandingChange["op"]> = Extract<StandingChange, { op: O }>;

/** Where a change comes from: the id of its effect or wish, when, and whose it is. */
export interface Origin {
  id: string;
  at: string;
  by: Changer;
}

/** The record of a trigger that is about to be made. */
export function creationOf(trigger: Standing, { id, at, by }: Origin): StandingChange {
  const { id: triggerId, title } = trigger;
  return { kind: "change", id, at, by, title: titleOf(title), what: "trigger", op: "create", triggerId };
}

/** The record of a trigger that is about to go, whole. */
export function deletionOf(trigger: Standing, { id, at, by }: Origin): StandingChange {
  return { kind: "change", id, at, by, title: titleOf(trigger.title), what: "trigger", op: "delete", trigger };
}

/** The record of a version that is about to replace another; undefined where nothing that people set is different. */
export function alterationOf(trigger: Standing, next: Standing, { id, at, by }: Origin): StandingChange | undefined {
  const [old, fresh] = [fieldsOf(trigger), fieldsOf(next)];
  const names = namesIn(old, fresh).filter((name) => !isSame(old[name], fresh[name]));
  if (names.length === 0) return undefined;
  const [before, after] = [only(names, old), only(names, fresh)];
  const title = titleOf(next.title);
  return { kind: "change", id, at, by, title, what: "trigger", op: "change", triggerId: trigger.id, before, after };
}

/**
 * The trigger that a change is about or, of one that was deleted, the one that is made in its place, once
 * (docs/file-protocol.md R2).
 */
export function triggerOfChange(change: StandingChange): string {
  return change.op === "delete" ? `trg-${change.id}` : change.triggerId;
}

/**
 * Why a change cannot be taken back now, and what can be done instead; null where nothing is in the way.
 * @param nowMs wall clock, milliseconds since the epoch.
 */
export function obstacleTo(change: StandingChange, triggers: Triggers, nowMs: number): string | null {
  switch (change.op) {
    case "create":
      return absenceOf(change.triggerId, triggers);
    case "change":
      return absenceOf(change.triggerId, triggers) ?? differenceFrom(change, triggers) ?? pastOf(change.before, nowMs);
    case "delete":
      return obstacleToRemaking(change, triggers, nowMs);
  }
}

function absenceOf(id: string, { standing, isArchived }: Triggers): string | null {
  const trigger = standing.get(id);
  if (isArchived(id) || trigger?.over !== undefined) return sentence("undo_trigger_over", { id });
  return trigger === undefined ? sentence("undo_no_trigger", { id }) : null;
}

function differenceFrom({ triggerId, before, after }: Op<"change">, { standing }: Triggers): string | null {
  const trigger = standing.get(triggerId);
  const now: TriggerFields = trigger === undefined ? {} : fieldsOf(trigger);
  const names = namesIn(before, after).filter((name) => !isSame(now[name], after[name]));
  if (names.length === 0) return null;
  return sentence("undo_trigger_changed", { fields: names.join(" and "), id: triggerId });
}

function pastOf({ runAt }: TriggerFields, nowMs: number): string | null {
  if (runAt === undefined || Date.parse(runAt) > nowMs) return null;
  return sentence("undo_moment_past", { moment: runAt });
}

function obstacleToRemaking(change: Op<"delete">, triggers: Triggers, nowMs: number): string | null {
  const { trigger } = change;
  if (!TriggerId.safeParse(triggerOfChange(change)).success) return sentence("undo_name_long");
  if (absenceOf(trigger.id, triggers) === null) return sentence("undo_trigger_stands", { id: trigger.id });
  const open = [...triggers.standing.keys()].filter((id) => !triggers.isArchived(id)).length;
  if (open >= TRIGGERS_MAX) return sentence("undo_triggers_full", { max: TRIGGERS_MAX });
  return trigger.type === "scheduled" ? pastOf({ runAt: trigger.runAt }, nowMs) : null;
}

/** The next version, with what was changed as it was before. A schedule or a condition that comes back counts from now. */
export function changedBack(trigger: Standing, { before, after }: Op<"change">, nowMs: number): Standing {
  const { title, prompt, target, priority, timeoutSec, onInterrupt, budget, missed, cooldownSec, paused } = before;
  const order = { title, prompt, target, priority, timeoutSec: timeoutSec ?? undefined, onInterrupt, budget };
  const next = patched(trigger, { order, when: whenOf(before), missed, cooldown: cooldownSec, paused }, nowMs);
  // A patch can set these, but not take them away.
  const whole = timeoutSec === null ? { ...next, timeoutSec } : next;
  if (after.budget === undefined || budget !== undefined) return whole;
  const { budget: _, ...withoutBudget } = whole;
  return withoutBudget;
}

function whenOf({ schedule, runAt, condition, missed, cooldownSec }: TriggerFields): When | undefined {
  if (schedule !== undefined) return { type: "recurring", schedule, missed };
  if (runAt !== undefined) return { type: "scheduled", runAt, missed };
  if (condition !== undefined) return { type: "conditional", condition, cooldown: cooldownSec };
  return undefined;
}

/** The first version of a trigger like one that was deleted; it counts from `at` (ISO 8601). */
export function remadeOf(change: Op<"delete">, at: string): Standing {
  const { over: _, ...trigger } = change.trigger;
  const fresh = { id: triggerOfChange(change), version: 1, createdAt: at, applied: [], recent: [] };
  const common = { ...fresh, decision: NO_DECISION };
  if (trigger.type === "recurring") return { ...trigger, ...common, last: at };
  if (trigger.type === "scheduled") return { ...trigger, ...common };
  const { firedAt: __, ...conditional } = trigger;
  return { ...conditional, ...common, evidence: NO_EVIDENCE, isArmed: true, fired: 0 };
}

/** What people can set of a trigger, as it is. */
function fieldsOf(trigger: Standing): TriggerFields {
  const { title, prompt, target, priority, timeoutSec, onInterrupt, budget, paused } = trigger;
  const common = { title, prompt, target, priority, timeoutSec, onInterrupt, paused };
  const own = { ...common, ...(budget !== undefined && { budget }) };
  if (trigger.type === "recurring") return { ...own, schedule: trigger.schedule, missed: trigger.missed };
  if (trigger.type === "scheduled") return { ...own, runAt: trigger.runAt, missed: trigger.missed };
  return { ...own, condition: trigger.condition, cooldownSec: trigger.cooldownSec };
}

type Field = keyof TriggerFields;

function namesIn(...fields: TriggerFields[]): Field[] {
  return [...new Set(fields.flatMap((each) => Object.keys(each) as Field[]))];
}

function only(names: readonly Field[], fields: TriggerFields): TriggerFields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.some((each) => each === name)));
}

/** Both come from a schema, which has put their keys in one order. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
