/** The occurrences of schedules by counting through the days of the wall: what `packages/core/src/schedule/schedule.ts` must say. */
import type { Schedule } from "@mimikit/protocol/triggers/trigger-order";
import { type Zone, zoneOf } from "./zone.ts";

const DAY_MS = 86_400_000;

/** The occurrences after `fromMs` up to and with `toMs`, oldest first. `fromMs` is what an interval counts from. */
export function occurrencesOf(schedule: Schedule, fromMs: number, toMs: number): number[] {
  if ("interval" in schedule) {
    const occurrences: number[] = [];
    const stepMs = schedule.interval * 1_000;
    for (let ms = fromMs + stepMs; ms <= toMs; ms += stepMs) occurrences.push(ms);
    return occurrences;
  }
  const zone = zoneOf(schedule.timezone);
  const found = new Set<number>();
  const cron = readCron(schedule.cron);
  for (let dayMs = startOfDay(fromMs) - 2 * DAY_MS; dayMs <= toMs + 2 * DAY_MS; dayMs += DAY_MS) {
    if (!isOnDay(cron, new Date(dayMs))) continue;
    for (const time of cron.times)
      for (const ms of instantsOf(dayMs + time, cron.isFixed, zone)) if (ms > fromMs && ms <= toMs) found.add(ms);
  }
  return [...found].sort((a, b) => a - b);
}

function startOfDay(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS;
}

/** A fixed time happens once on its day, an interval's as often as the wall shows it (see schedule.ts). */
function instantsOf(wallMs: number, isFixed: boolean, zone: Zone): number[] {
  const instants = zone.instantsOf(wallMs);
  if (!isFixed) return instants;
  const [ms = zone.afterGap(wallMs)] = instants;
  return ms === null ? [] : [ms];
}

interface ReadCron {
  /** Milliseconds after midnight. */
  times: number[];
  isFixed: boolean;
  days: Set<number> | null;
  /** On the last day of each month, which `L` says. */
  isOnLast: boolean;
  months: Set<number> | null;
  weekdays: Set<number> | null;
}

const read = new Map<string, ReadCron>();

function readCron(text: string): ReadCron {
  const known = read.get(text);
  if (known !== undefined) return known;
  const fields = text.split(" ");
  const [second = "", minute = "", hour = "", day = "", month = "", weekday = ""] =
    fields.length === 5 ? ["0", ...fields] : fields;
  const seconds = valuesOf(second, 0, 59);
  const minutes = valuesOf(minute, 0, 59);
  const times = valuesOf(hour, 0, 23).flatMap((h) =>
    minutes.flatMap((m) => seconds.map((s) => ((h * 60 + m) * 60 + s) * 1_000)),
  );
  const restricted = (field: string, low: number, high: number) =>
    field === "*" ? null : new Set(valuesOf(field, low, high));
  const cron = {
    times,
    isFixed: !/[*/]/.test(second + minute + hour),
    days: day === "L" ? new Set<number>() : restricted(day, 1, 31),
    isOnLast: day === "L",
    months: restricted(month, 1, 12),
    weekdays: restricted(weekday, 0, 7),
  };
  read.set(text, cron);
  return cron;
}

function valuesOf(field: string, low: number, high: number): number[] {
  const values = field.split(",").flatMap((part) => {
    const [range = "", step = "1"] = part.split("/");
    const [first = low, last = range === "*" ? high : first] =
      range === "*" ? [low, high] : range.split("-").map(Number);
    const all: number[] = [];
    for (let value = first; value <= last; value += Number(step)) all.push(value);
    return all;
  });
  return [...new Set(values)].sort((a, b) => a - b);
}

/** Is the day after it the first of a month? */
export function isLastOfMonth(date: Date): boolean {
  return new Date(date.getTime() + DAY_MS).getUTCDate() === 1;
}

/** Where both the day and the weekday are restricted, either will do. */
function isOnDay({ days, isOnLast, months, weekdays }: ReadCron, date: Date): boolean {
  if (months !== null && !months.has(date.getUTCMonth() + 1)) return false;
  const isDay = (days?.has(date.getUTCDate()) ?? false) || (isOnLast && isLastOfMonth(date));
  const isWeekday =
    weekdays !== null && (weekdays.has(date.getUTCDay()) || (date.getUTCDay() === 0 && weekdays.has(7)));
  return days === null && weekdays === null ? true : isDay || isWeekday;
}
