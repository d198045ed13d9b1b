/** How what was done to a trigger is undone (SPEC J3). Nothing here knows a disk. */

import type { Changer, TriggerEdit, TriggerFields, UndoableChange } from "@mimikit/protocol/records/change";
import { NO_DECISION, NO_EVIDENCE, type Trigger, TriggerId } from "@mimikit/protocol/records/trigger";
import { sentence } from "@mimikit/protocol/texts/coded";
import { TRIGGERS_MAX, type When } from "@mimikit/protocol/triggers/trigger-order";
import { titleOf } from "../base/title.ts";
import { patched } from "./triggers.ts";

/** The triggers of one look, and what was done to them. */
export interface TriggerLookup {
  triggers: ReadonlyMap<string, Trigger>;
  changes: ReadonlyMap<string, UndoableChange>;
  isArchived(id: string): boolean;
}

type Op<O extends TriggerEdit["op"]> = Extract<TriggerEdit, { op: O }>;

/** Where a change comes from: the id of its effect or command, when, and whose it is. */
export interface Origin {
  id: string;
  at: string;
  by: Changer;
}

/** The record of a trigger that is about to be made. */
export function creationOf(trigger: Trigger, { id, at, by }: Origin): TriggerEdit {
  const { id: triggerId, title } = trigger;
  return { kind: "change", id, at, by, title: titleOf(title), what: "trigger", op: "create", triggerId };
}

/** The record of a trigger that is about to go, whole. */
export function deletionOf(trigger: Trigger, { id, at, by }: Origin): TriggerEdit {
  return { kind: "change", id, at, by, title: titleOf(trigger.title), what: "trigger", op: "delete", trigger };
}

/** The record of a version that is about to replace another; undefined where nothing that people set is different. */
export function alterationOf(trigger: Trigger, next: Trigger, { id, at, by }: Origin): TriggerEdit | undefined {
  const [old, fresh] = [fieldsOf(trigger), fieldsOf(next)];
  const names = namesIn(old, fresh).filter((name) => !isSame(old[name], fresh[name]));
  if (names.length === 0) return undefined;
  const [before, after] = [only(names, old), only(names, fresh)];
  const title = titleOf(next.title);
  return { kind: "change", id, at, by, title, what: "trigger", op: "change", triggerId: trigger.id, before, after };
}

/**
 * The trigger that a change is about, as it stands now. One that was deleted and came back has another id: what was done
 * to it before is undone there. Of a deletion it is the one that is made in its place, once (docs/file-protocol.md R2).
 */
export function triggerOfChange(change: TriggerEdit, triggers: TriggerLookup): string {
  return change.op === "delete" ? remadeId(change) : nameNow(change.triggerId, triggers);
}

/** The ids under which a trigger may have come back, itself first, whether it has or not. */
export function namesOf(id: string, changes: TriggerLookup["changes"]): string[] {
  const names = [id];
  // It grows while it is walked: what came back may have been deleted, too.
  for (const name of names)
    for (const change of changes.values())
      if (change.what === "trigger" && change.op === "delete" && change.trigger.id === name)
        if (!names.includes(remadeId(change))) names.push(remadeId(change));
  return names;
}

function remadeId({ id }: Op<"delete">): string {
  return `trg-${id}`;
}

/** The last id under which it came back. */
function nameNow(id: string, { triggers, changes, isArchived }: TriggerLookup): string {
  return namesOf(id, changes).findLast((name) => triggers.has(name) || isArchived(name)) ?? id;
}

/**
 * Why a change cannot be undone now, and what can be done instead; null where nothing is in the way.
 * @param nowMs wall clock, milliseconds since the epoch.
 */
export function obstacleTo(change: TriggerEdit, triggers: TriggerLookup, nowMs: number): string | null {
  switch (change.op) {
    case "create":
      return absenceOf(triggerOfChange(change, triggers), triggers);
    case "change": {
      const id = triggerOfChange(change, triggers);
      if (canComeBack(id, triggers)) return sentence("undo_deleted_first", { id });
      return absenceOf(id, triggers) ?? differenceFrom(change, id, triggers) ?? pastOf(change.before, nowMs);
    }
    case "delete":
      return obstacleToRemaking(change, triggers, nowMs);
  }
}

/** Is it over because of a deletion that can be undone? */
function canComeBack(id: string, triggers: TriggerLookup): boolean {
  return absenceOf(id, triggers) !== null && namesOf(id, triggers.changes).length > 1;
}

function absenceOf(id: string, { triggers, isArchived }: TriggerLookup): string | null {
  const trigger = triggers.get(id);
  if (isArchived(id) || trigger?.over !== undefined) return sentence("undo_trigger_over", { id });
  return trigger === undefined ? sentence("undo_no_trigger", { id }) : null;
}

function differenceFrom({ before, after }: Op<"change">, id: string, { triggers }: TriggerLookup): string | null {
  const trigger = triggers.get(id);
  const now: TriggerFields = trigger === undefined ? {} : fieldsOf(trigger);
  const names = namesIn(before, after).filter((name) => !isSame(now[name], after[name]));
  if (names.length === 0) return null;
  return sentence("undo_trigger_changed", { fields: names.join(" and "), id });
}

function pastOf({ runAt }: TriggerFields, nowMs: number): string | null {
  if (runAt === undefined || Date.parse(runAt) > nowMs) return null;
  return sentence("undo_moment_past", { moment: runAt });
}

function obstacleToRemaking(change: Op<"delete">, triggers: TriggerLookup, nowMs: number): string | null {
  const { trigger } = change;
  if (!TriggerId.safeParse(remadeId(change)).success) return sentence("undo_name_long");
  const id = nameNow(trigger.id, triggers);
  if (absenceOf(id, triggers) === null) return sentence("undo_trigger_stands", { id });
  const open = [...triggers.triggers.keys()].filter((id) => !triggers.isArchived(id)).length;
  if (open >= TRIGGERS_MAX) return sentence("undo_triggers_full", { max: TRIGGERS_MAX });
  return trigger.type === "scheduled" ? pastOf({ runAt: trigger.runAt }, nowMs) : null;
}

/** The next version, with what was changed as it was before. A schedule or a condition that comes back counts from now. */
export function changedBack(trigger: Trigger, { before, after }: Op<"change">, nowMs: number): Trigger {
  const { title, prompt, target, priority, timeoutSec, onInterrupt, budget, missed, cooldownSec, stableSec, paused } =
    before;
  const order = { title, prompt, target, priority, timeoutSec: timeoutSec ?? undefined, onInterrupt, budget };
  const manner = { missed, cooldown: cooldownSec, stableFor: stableSec };
  const next = patched(trigger, { order, when: whenOf(before), ...manner, paused }, nowMs);
  // A patch can set these, but not take them away.
  const whole = timeoutSec === null ? { ...next, timeoutSec } : next;
  if (after.budget === undefined || budget !== undefined) return whole;
  const { budget: _, ...withoutBudget } = whole;
  return withoutBudget;
}

function whenOf({ schedule, runAt, condition, missed, cooldownSec, stableSec }: TriggerFields): When | undefined {
  if (schedule !== undefined) return { type: "recurring", schedule, missed };
  if (runAt !== undefined) return { type: "scheduled", runAt, missed };
  if (condition !== undefined) return { type: "conditional", condition, cooldown: cooldownSec, stableFor: stableSec };
  return undefined;
}

/** The first version of a trigger like one that was deleted; it counts from `at` (ISO 8601). */
export function remadeOf(change: Op<"delete">, at: string): Trigger {
  const { over: _, ...trigger } = change.trigger;
  const fresh = { id: remadeId(change), version: 1, createdAt: at, applied: [], recent: [] };
  const common = { ...fresh, decision: NO_DECISION };
  if (trigger.type === "recurring") return { ...trigger, ...common, last: at };
  if (trigger.type === "scheduled") return { ...trigger, ...common };
  const { firedAt: __, heldSince: ___, ...conditional } = trigger;
  return { ...conditional, ...common, evidence: NO_EVIDENCE, isArmed: true, fired: 0 };
}

/** The fields of a trigger that people can set, with their present values. */
function fieldsOf(trigger: Trigger): TriggerFields {
  const { title, prompt, target, priority, timeoutSec, onInterrupt, budget, paused } = trigger;
  const common = { title, prompt, target, priority, timeoutSec, onInterrupt, paused };
  const own = { ...common, ...(budget !== undefined && { budget }) };
  if (trigger.type === "recurring") return { ...own, schedule: trigger.schedule, missed: trigger.missed };
  if (trigger.type === "scheduled") return { ...own, runAt: trigger.runAt, missed: trigger.missed };
  const { condition, cooldownSec, stableSec = 0 } = trigger;
  return { ...own, condition, cooldownSec, stableSec };
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
