/** Triggers: how one is created, changed, and moved on by one version. Nothing here knows a disk. */

import { KINDS, kindsOf, ROLES } from "@mimikit/protocol/base/kind";
import type { Report } from "@mimikit/protocol/base/report";
import type { Event } from "@mimikit/protocol/records/inbox";
import { blankTask, PRIORITY_DEFAULT, type Task } from "@mimikit/protocol/records/task";
import {
  APPLIED_MAX,
  NO_DECISION,
  NO_EVIDENCE,
  type Occurrence,
  type PastOccurrence,
  RECENT_MAX,
  type Recurring,
  type Scheduled,
  type Skip,
  type Trigger,
  type TriggerDecision,
} from "@mimikit/protocol/records/trigger";
import { sentence } from "@mimikit/protocol/texts/coded";
import { type Condition, isTimeOfDay } from "@mimikit/protocol/triggers/condition";
import {
  type Target,
  type TriggerChange,
  type TriggerDefinition,
  type TriggerInput,
  type TriggerPatch,
  WHEN_FIELDS,
  type When,
} from "@mimikit/protocol/triggers/trigger-order";
import { titleOf } from "../base/title.ts";
import type { ParamsOf } from "../conditions/condition.ts";
import { type DueOccurrences, dueOf, momentId, NONE_DUE, scheduleProblem } from "../schedule/schedule.ts";

export const MISSED_DEFAULT = "latest";
export const COOLDOWN_SEC_DEFAULT = 0;

/** Where a trigger comes from. */
export interface Maker {
  createdAt: string;
  traceId: string;
  parentId?: string | undefined;
  depth: number;
  /** The default target of its firings (SPEC D6). */
  target: Target;
}

/** The first version of a trigger. */
export function triggerOf(id: string, { order, when }: TriggerDefinition, maker: Maker): Trigger {
  const { prompt, title, target, priority, timeoutSec, onInterrupt, budget, skill, pool } = order;
  const { createdAt, traceId, parentId, depth } = maker;
  const common = {
    id,
    version: 1,
    createdAt,
    title: title ?? titleOf(prompt),
    prompt,
    // The Teller works here alone.
    target: target ?? (pool === undefined ? maker.target : "worker"),
    priority: priority ?? PRIORITY_DEFAULT,
    timeoutSec: timeoutSec ?? null,
    onInterrupt: onInterrupt ?? "rerun",
    ...(budget !== undefined && { budget }),
    ...(skill !== undefined && { skill }),
    ...(pool !== undefined && { pool }),
    traceId,
    ...(parentId !== undefined && { parentId }),
    depth,
    paused: false,
    asks: true,
    applied: [],
    decision: NO_DECISION,
    recent: [],
  } as const;
  return { ...common, applied: [], recent: [], ...stateOf(when, createdAt) };
}

/** When it fires, and what is known of that at the beginning. */
function stateOf(when: When, at: string) {
  switch (when.type) {
    case "recurring":
      return { type: when.type, schedule: when.schedule, missed: when.missed ?? MISSED_DEFAULT, last: at };
    case "scheduled":
      return { type: when.type, runAt: when.runAt, missed: when.missed ?? MISSED_DEFAULT };
    case "conditional":
      return {
        type: when.type,
        condition: when.condition,
        cooldownSec: when.cooldown ?? COOLDOWN_SEC_DEFAULT,
        stableSec: when.stableFor || undefined,
        evidence: NO_EVIDENCE,
        isArmed: true,
        fired: 0,
      };
  }
}

/**
 * An order as it was said, made whole: what, and when.
 * @param timeZone of a cron that names none.
 * @returns what is wrong with it, in words that say what would be right, where something is.
 */
export function definitionOf(input: TriggerInput, timeZone: string): TriggerDefinition | { problem: string } {
  const { prompt, title, target, priority, timeoutSec, onInterrupt, budget, pool, ...rest } = input;
  if (pool !== undefined && target === "teller") return { problem: sentence("pool_not_teller") };
  const when = whenOf(rest, timeZone);
  if ("problem" in when) return when;
  return { order: { prompt, title, target, priority, timeoutSec, onInterrupt, budget, pool }, when };
}

/** A change as it was said, made whole. @param type that of the trigger, which cannot be changed. */
export function patchOf(
  { paused, anew, ...change }: TriggerChange,
  type: Trigger["type"],
  timeZone: string,
): TriggerPatch | { problem: string } {
  const { prompt, title, target, priority, timeoutSec, onInterrupt, budget, pool, ...rest } = change;
  if (pool !== undefined && target === "teller") return { problem: sentence("pool_not_teller") };
  const order = { prompt, title, target, priority, timeoutSec, onInterrupt, budget, pool };
  if (WHEN_FIELDS.some((field) => rest[field] !== undefined) || rest.timezone !== undefined) {
    const when = whenOf({ ...rest, type }, timeZone);
    return "problem" in when ? when : { order, when, paused, anew };
  }
  const { missed, cooldown, stableFor } = rest;
  const problem = misplacedIn(type, rest);
  return problem === null ? { order, missed, cooldown, stableFor, paused, anew } : { problem };
}

type WhenInput = Pick<
  TriggerInput,
  "type" | "interval" | "cron" | "timezone" | "runAt" | "condition" | "cooldown" | "stableFor" | "missed"
>;

function whenOf(input: WhenInput, timeZone: string): When | { problem: string } {
  const { type, interval, cron, runAt, condition, cooldown, stableFor, missed } = input;
  const said = WHEN_FIELDS.filter((field) => input[field] !== undefined);
  const [field] = said;
  if (field === undefined && input.timezone !== undefined) return { problem: TIMEZONE_ALONE };
  if (field === undefined || said.length > 1) {
    const found = said.length === 0 ? "none" : said.join(" and ");
    return { problem: sentence("when_not_one", { fields: WHEN_FIELDS.join(", "), found }) };
  }
  const meant = TYPE_OF_FIELD[field];
  if (type !== undefined && type !== meant) return { problem: sentence("when_misplaced", { type, field, meant }) };
  const problem = misplacedIn(meant, input);
  if (problem !== null) return { problem };
  if (input.timezone !== undefined && cron === undefined) return { problem: TIMEZONE_ALONE };
  if (interval !== undefined) return { type: "recurring", schedule: { interval }, missed };
  if (cron !== undefined)
    return { type: "recurring", schedule: { cron, timezone: input.timezone ?? timeZone }, missed };
  if (runAt !== undefined) return { type: "scheduled", runAt, missed };
  if (condition !== undefined)
    return { type: "conditional", condition: inZone(condition, timeZone), cooldown, stableFor };
  return { problem: sentence("when_not_one", { fields: WHEN_FIELDS.join(", "), found: "none" }) };
}

/** The condition with a zone for each time of day, so that a later change of the author's zone does not move it. */
function inZone(condition: Condition, timeZone: string): Condition {
  switch (condition.type) {
    case "and":
    case "or":
      return { ...condition, conditions: condition.conditions.map((each) => inZone(each, timeZone)) };
    case "not":
      return { ...condition, condition: inZone(condition.condition, timeZone) };
    case "time":
      return isAtHours(condition.params)
        ? { ...condition, params: { timezone: timeZone, ...condition.params } }
        : condition;
    default:
      return condition;
  }
}

/** Moments have a zone of their own. */
function isAtHours({ after, before, weekdays }: ParamsOf<"time">): boolean {
  return weekdays !== undefined || [after, before].some((bound) => bound !== undefined && isTimeOfDay(bound));
}

const TIMEZONE_ALONE = sentence("timezone_alone");

function misplacedIn(
  type: Trigger["type"],
  { missed, cooldown, stableFor }: Pick<WhenInput, "missed" | "cooldown" | "stableFor">,
): string | null {
  if (cooldown !== undefined && type !== "conditional") return sentence("cooldown_misplaced");
  if (stableFor !== undefined && type !== "conditional") return sentence("stable_misplaced");
  return missed !== undefined && type === "conditional" ? sentence("missed_misplaced") : null;
}

const TYPE_OF_FIELD = {
  interval: "recurring",
  cron: "recurring",
  runAt: "scheduled",
  condition: "conditional",
} as const;

/** The problem with a trigger's schedule or condition, in words that say what would be right; null if it is valid (SPEC D4). */
export function problemOf(when: When, nowMs: number): string | null {
  if (when.type === "recurring") return scheduleProblem(when.schedule, nowMs);
  if (when.type === "scheduled" && Date.parse(when.runAt) <= nowMs)
    return sentence("moment_past", { moment: when.runAt, now: new Date(nowMs).toISOString() });
  return null;
}

/** A new version with what it has decided, which is also what it has done lately. */
export function advanced<T extends Trigger>(
  trigger: T,
  change: Partial<T>,
  decision: TriggerDecision = NO_DECISION,
): T {
  const past: PastOccurrence[] = [
    ...decision.skip.map((skip) => ({ ...skip, outcome: "skipped" as const })),
    ...decision.fire.map(({ id, at }) => ({ id, at, outcome: "fired" as const })),
  ];
  return {
    ...trigger,
    ...change,
    version: trigger.version + 1,
    decision,
    recent: [...trigger.recent, ...past].slice(-RECENT_MAX),
  };
}

/** The same version with the command noted in it: a command that comes again changes nothing. */
export function noted<T extends Trigger>(trigger: T, commandId: string): T {
  return { ...trigger, applied: [...trigger.applied, commandId].slice(-APPLIED_MAX) };
}

/**
 * The next version, as a patch wants it. Due occurrences of a schedule that was paused, or is replaced, are skipped; a
 * moment that passed while it was paused counts as missed. A new schedule counts from now, but never from before an
 * occurrence that is decided (SPEC D5); a new condition starts over.
 */
export function patched(trigger: Trigger, patch: TriggerPatch, nowMs: number): Trigger {
  const { prompt, title, target, priority, timeoutSec, onInterrupt, budget, pool } = patch.order ?? {};
  const order = {
    ...(prompt !== undefined && { prompt }),
    ...(title !== undefined && { title }),
    ...(target !== undefined && { target }),
    ...(pool !== undefined && { pool, ...((target ?? trigger.target) === "teller" && { target: "worker" as const }) }),
    ...(priority !== undefined && { priority }),
    ...(timeoutSec !== undefined && { timeoutSec }),
    ...(onInterrupt !== undefined && { onInterrupt }),
    ...(budget !== undefined && { budget }),
    // The prompt differs from the one before it asked.
    ...(prompt !== undefined && { asks: true as const }),
  };
  const paused = patch.paused ?? trigger.paused;
  const isResumed = trigger.paused && !paused;
  const when = patch.when?.type === trigger.type ? patch.when : undefined;
  const { occurrences, older } = passedBy(trigger, when, isResumed, nowMs);
  const skip = skipOf(trigger, { occurrences, older }, sentence(trigger.paused ? "skipped_paused" : "skipped_changed"));
  const lastMs = occurrences.at(-1);
  const passed = trigger.type !== "recurring" || lastMs === undefined ? {} : { last: new Date(lastMs).toISOString() };
  const fresh = isResumed && trigger.type === "conditional" ? { evidence: NO_EVIDENCE, heldSince: undefined } : {};
  const anew = patch.anew === true && trigger.type === "recurring" ? begunAnew(trigger, nowMs) : {};
  const renewed = when === undefined ? mannerOf(patch, trigger) : whenChange(when, { ...trigger, ...passed }, nowMs);
  const change: Partial<Trigger> = { ...order, paused, ...passed, ...fresh, ...renewed, ...anew };
  return advanced(trigger, change, { fire: [], skip });
}

/** It counts from now. Its next occurrences have ids of their own: a wrong clock may have used up the same moments. */
function begunAnew({ epoch = 0 }: Recurring, nowMs: number): Pick<Recurring, "last" | "epoch"> {
  return { last: new Date(nowMs).toISOString(), epoch: epoch + 1 };
}

/** The due occurrences that will not run because of a patch. */
function passedBy(trigger: Trigger, when: When | undefined, isResumed: boolean, nowMs: number): DueOccurrences {
  if (trigger.type === "recurring" && (isResumed || when !== undefined))
    return dueOf(trigger.schedule, Date.parse(trigger.last), nowMs);
  if (trigger.type !== "scheduled" || when?.type !== "scheduled") return NONE_DUE;
  const ms = Date.parse(trigger.runAt);
  return ms <= nowMs && ms !== Date.parse(when.runAt) ? { occurrences: [ms], older: null } : NONE_DUE;
}

/** How it treats what was missed, or rests, where a patch says no more of its time. */
function mannerOf({ missed, cooldown, stableFor }: TriggerPatch, { type }: Trigger) {
  if (type === "conditional")
    return {
      ...(cooldown !== undefined && { cooldownSec: cooldown }),
      ...(stableFor !== undefined && { stableSec: stableFor || undefined, heldSince: undefined }),
    };
  return missed === undefined ? {} : { missed };
}

/** Only what the new `when` says; a moment, a schedule or a condition that is new begins now. */
function whenChange(when: When, trigger: Trigger, nowMs: number) {
  const fromMs = trigger.type === "recurring" ? Math.max(nowMs, Date.parse(trigger.last)) : nowMs;
  const { type: _, ...fresh } = stateOf(when, new Date(fromMs).toISOString());
  if (when.type === "conditional" && trigger.type === "conditional") {
    // Its occurrences are numbered: a number is never used again.
    const cooldownSec = when.cooldown ?? trigger.cooldownSec;
    const stableSec = when.stableFor === undefined ? trigger.stableSec : when.stableFor || undefined;
    return { ...fresh, fired: trigger.fired, cooldownSec, stableSec, heldSince: undefined };
  }
  if (when.type === "conditional" || trigger.type === "conditional") return fresh;
  return { ...fresh, missed: when.missed ?? trigger.missed };
}

/** The record of occurrences that are not run: one range, or none. The last of them is known by name. */
export function skipOf(trigger: Named, { occurrences, older }: DueOccurrences, reason: string): Skip[] {
  const fromMs = older?.fromMs ?? occurrences[0];
  const toMs = occurrences.at(-1);
  if (fromMs === undefined || toMs === undefined) return [];
  const count = older?.count === null ? null : (older?.count ?? 0) + occurrences.length;
  const from = new Date(fromMs).toISOString();
  const to = new Date(toMs).toISOString();
  return [{ id: skipId(trigger, fromMs), from, to, count, reason }];
}

/** Of a trigger, what is in the ids of its occurrences. */
type Named = Pick<Recurring, "id" | "epoch"> | Pick<Scheduled, "id">;

/** The id of the record of a range of occurrences that are not run, by the first of them. */
export function skipId(trigger: Named, fromMs: number): string {
  return `${occurrenceId(trigger, fromMs)}-skipped`;
}

/** The id of a scheduled occurrence: `morning--20261121t090000z`, after a first new beginning `morning--e1-20261121t090000z` (docs/file-protocol.md R2). */
export function occurrenceId(trigger: Named, ms: number): string {
  const epoch = "epoch" in trigger && trigger.epoch !== undefined ? `e${trigger.epoch}-` : "";
  return `${trigger.id}--${epoch}${momentId(ms)}`;
}

/** The trigger of which this may be an occurrence, or a range of them that was skipped; null for the id of anything else. */
export function triggerOfOccurrence(id: string): string | null {
  const end = id.lastIndexOf("--");
  return end < 0 ? null : id.slice(0, end);
}

/** The task that a firing is. @param upstream what the tasks came to that its condition asks about. */
export function occurrenceTask(trigger: Trigger, occurrence: Occurrence, upstream: Report[], nowMs: number): Task {
  const { id, at } = occurrence;
  const { title, prompt, target, priority, timeoutSec, onInterrupt, skill, pool, traceId, depth } = trigger;
  return {
    ...blankTask(kindsOf("order").find((kind) => KINDS[kind].role === target) ?? "work"),
    ...(ROLES[target].hasWorkspace && { onInterrupt }),
    ...(target === "worker" && skill !== undefined && { skill }),
    ...(pool !== undefined && { pool }),
    id,
    title,
    prompt,
    priority,
    timeoutSec,
    createdAt: new Date(nowMs).toISOString(),
    traceId,
    triggerId: trigger.id,
    occurrence: at,
    upstream: [...upstream, ...reportOfGiven(occurrence), ...reportOfFiles(occurrence)],
    triggerDepth: depth + 1,
  };
}

/** A payload from outside stands where the results of others stand: all of that is data to a model. */
function reportOfGiven({ id, given }: Occurrence): Report[] {
  if (given === undefined) return [];
  const title = `received by the hook ${given.from}${given.event === undefined ? "" : ` (${given.event})`}`;
  const result = { text: given.text };
  return [{ id: `${id}.given`, title, role: "worker", status: "done", resultType: "text", result }];
}

/** The names of files are data as well: anybody may have chosen them. */
function reportOfFiles({ id, files }: Occurrence): Report[] {
  if (files === undefined) return [];
  const { names, more } = files;
  const text = [...names, ...(more === undefined ? [] : [`and ${more} more`])].join("\n");
  const title = "the files that changed";
  return [{ id: `${id}.files`, title, role: "worker", status: "done", resultType: "text", result: { text } }];
}

/** The event that a firing for the Teller is (SPEC D6, H). */
export function occurrenceEvent(trigger: Trigger, { id, at, given, files }: Occurrence, nowMs: number): Event {
  const { title, prompt, type, depth } = trigger;
  return {
    kind: "event",
    id,
    at: new Date(nowMs).toISOString(),
    name: "cron_trigger",
    text: `The trigger "${title}" has fired.`,
    data: {
      triggerId: trigger.id,
      type,
      occurrence: at,
      title,
      prompt,
      triggerDepth: depth + 1,
      ...(given && { given }),
      ...(files && { files: files.names, ...(files.more && { moreFiles: files.more }) }),
    },
  };
}
