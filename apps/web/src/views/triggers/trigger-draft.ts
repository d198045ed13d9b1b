/** The fields of a trigger's form, and the order that they mean (SPEC D). Pure. */

import { type Condition, isPossible } from "@mimikit/protocol/triggers/condition";
import type { Missed, Target, TriggerInput } from "@mimikit/protocol/triggers/trigger-order";
import type { TriggerDetail } from "@mimikit/protocol/wire/api";
import type { WeekdayIndex } from "../../i18n/view-words.ts";
import { emptyCondition } from "./condition-edit.ts";

export type DraftKind = "daily" | "weekly" | "monthly" | "interval" | "cron" | "once" | "file" | "condition";

/** The fields of the form, as they are typed. */
export interface TriggerDraft {
  prompt: string;
  title: string;
  target: Target;
  missed: Missed;
  kind: DraftKind;
  /** `09:00` */
  time: string;
  weekdays: readonly WeekdayIndex[];
  dayOfMonth: number;
  count: number;
  /** Seconds of the unit that `count` counts. */
  unitSec: number;
  cron: string;
  timezone: string;
  /** As the browser's field has it, without a zone: `2026-12-01T09:00`. */
  moment: string;
  path: string;
  condition: Condition;
  /** How long a condition rests after a firing. */
  cooldownSec: number;
  /** For how long it must hold before it fires. */
  stableSec: number;
}

/** The kinds that a trigger can have; one that stands keeps its type. */
export const KINDS: Record<TriggerDetail["type"] | "new", readonly DraftKind[]> = {
  new: ["daily", "weekly", "monthly", "interval", "once", "file", "condition", "cron"],
  recurring: ["daily", "weekly", "monthly", "interval", "cron"],
  scheduled: ["once"],
  conditional: ["file", "condition"],
};

/** The fields of an order that say when, together: one of them alone says nothing. */
const WHEN_FIELDS: readonly string[] = ["cron", "timezone", "interval", "runAt", "condition"];

export const UNITS_SEC = [60, 3_600, 86_400] as const;

/** An untouched form. @param nowMs wall clock. */
export function emptyDraft(nowMs: number): TriggerDraft {
  return {
    prompt: "",
    title: "",
    target: "teller",
    missed: "latest",
    kind: "daily",
    time: "09:00",
    weekdays: [1, 2, 3, 4, 5],
    dayOfMonth: 1,
    count: 2,
    unitSec: 3_600,
    cron: "0 0 9 * * *",
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    moment: localMoment(nowMs + 3_600_000),
    path: "",
    condition: emptyCondition(),
    cooldownSec: 0,
    stableSec: 0,
  };
}

/** The form of a trigger that stands. */
export function draftOf(trigger: TriggerDetail, nowMs: number): TriggerDraft {
  const { prompt, title, target, missed = "latest", schedule, runAt, type } = trigger;
  const draft: TriggerDraft = { ...emptyDraft(nowMs), prompt, title, target, missed };
  const { cooldownSec = 0, stableSec = 0 } = trigger;
  if (type === "conditional") return { ...draft, cooldownSec, stableSec, ...conditionFields(trigger) };
  if (runAt !== undefined) return { ...draft, kind: "once", moment: localMoment(Date.parse(runAt)) };
  if (schedule === undefined) return draft;
  if ("cron" in schedule)
    return { ...draft, timezone: schedule.timezone, cron: schedule.cron, ...cronFields(schedule.cron) };
  const unitSec = UNITS_SEC.findLast((sec) => schedule.interval % sec === 0) ?? 1;
  return { ...draft, kind: "interval", unitSec, count: schedule.interval / unitSec };
}

/** That a file changes is a field; whatever else it waits for is built. */
function conditionFields({ condition = emptyCondition() }: TriggerDetail): Partial<TriggerDraft> {
  if (condition.type !== "file_changed" || Object.keys(condition.params).length > 1)
    return { kind: "condition", condition };
  return { kind: "file", path: condition.params.path, condition };
}

const DAILY = /^0 (\d{1,2}) (\d{1,2}) (\*|[1-9]\d?) \* (\*|[0-6](?:,[0-6])*|1-5)$/;

/** The plain fields of a pattern, if they can express it; else it stays a pattern. */
function cronFields(cron: string): Partial<TriggerDraft> & Pick<TriggerDraft, "kind"> {
  const [, minute = "", hour = "", day = "", weekday = ""] = DAILY.exec(cron) ?? [];
  if (minute === "") return { kind: "cron" };
  const time = `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
  if (day === "*" && weekday === "*") return { kind: "daily", time };
  if (weekday === "*") return { kind: "monthly", time, dayOfMonth: Number(day) };
  if (day !== "*") return { kind: "cron" };
  const list = weekday === "1-5" ? "1,2,3,4,5" : weekday;
  return { kind: "weekly", time, weekdays: list.split(",").map((one) => Number(one) as WeekdayIndex) };
}

/** The cron pattern of the kinds that are one; undefined for the others. */
export function cronOf({ kind, time, weekdays, dayOfMonth, cron }: TriggerDraft): string | undefined {
  const [hour, minute] = time.split(":").map(Number);
  switch (kind) {
    case "daily":
      return `0 ${minute} ${hour} * * *`;
    case "weekly":
      return `0 ${minute} ${hour} * * ${weekdaysText(weekdays)}`;
    case "monthly":
      return `0 ${minute} ${hour} ${dayOfMonth} * *`;
    case "cron":
      return cron.trim();
    default:
      return undefined;
  }
}

function weekdaysText(weekdays: readonly WeekdayIndex[]): string {
  const list = weekdays.toSorted((a, b) => a - b).join(",");
  return list === "1,2,3,4,5" ? "1-5" : list;
}

/** The order that the form says. */
export function orderOf(draft: TriggerDraft): Partial<TriggerInput> {
  const { prompt, title, target } = draft;
  return { prompt: prompt.trim(), ...(title.trim() !== "" && { title: title.trim() }), target, ...whenOf(draft) };
}

/**
 * The difference between the form and the existing trigger: a schedule or a condition that is ordered again starts over,
 * so it is ordered only if it is another.
 */
export function changesOf(draft: TriggerDraft, trigger: TriggerDetail, nowMs: number): Partial<TriggerInput> {
  const before = textsOf(orderOf(draftOf(trigger, nowMs)));
  const now = Object.entries(orderOf(draft));
  const isOther = (field: string, value: unknown) => before.get(field) !== JSON.stringify(value);
  const isAnotherTime = now.some(([field, value]) => WHEN_FIELDS.includes(field) && isOther(field, value));
  return Object.fromEntries(
    now.filter(([field, value]) => (WHEN_FIELDS.includes(field) ? isAnotherTime : isOther(field, value))),
  );
}

function textsOf(order: Partial<TriggerInput>): ReadonlyMap<string, string> {
  return new Map(Object.entries(order).map(([field, value]) => [field, JSON.stringify(value)]));
}

/** When it is to fire, in the fields of an order. */
export function whenOf(draft: TriggerDraft): Partial<TriggerInput> {
  const { kind, missed, count, unitSec, timezone, moment, path, condition, cooldownSec, stableSec } = draft;
  const cron = cronOf(draft);
  if (cron !== undefined) return { cron, timezone, missed };
  if (kind === "interval") return { interval: Math.round(count * unitSec), missed };
  if (kind === "once") return { runAt: new Date(moment).toISOString(), missed };
  const manner = { cooldown: cooldownSec, stableFor: stableSec };
  if (kind === "file") return { condition: { type: "file_changed", params: { path: path.trim() } }, ...manner };
  return { condition, ...manner };
}

/** Whether every field that the kind needs is filled in. */
export function isComplete(draft: TriggerDraft): boolean {
  const { prompt, kind, time, weekdays, count, cron, moment, path, condition } = draft;
  if (prompt.trim() === "") return false;
  switch (kind) {
    case "daily":
    case "monthly":
      return time !== "";
    case "weekly":
      return time !== "" && weekdays.length > 0;
    case "interval":
      return count > 0;
    case "cron":
      return cron.trim() !== "";
    case "once":
      return !Number.isNaN(Date.parse(moment));
    case "file":
      return path.trim() !== "";
    case "condition":
      return isPossible(condition);
  }
}

/** A moment as the browser's field wants it, in the browser's zone, to the minute. */
function localMoment(ms: number): string {
  const date = new Date(ms);
  return new Date(ms - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
