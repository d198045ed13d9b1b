/**
 * When a schedule is due. The next occurrence follows from the schedule and the last one, never from the clock (SPEC D5).
 * A cron whose seconds, minutes and hours are fixed runs once on each of its days: at the first moment after a gap of
 * daylight saving, and at the first of two equal times; only a gap that reaches midnight swallows it, as the day is over
 * then (Greenland, one evening a year). One with wildcards or steps runs at every matching time there is.
 */
import { sentence } from "@mimikit/protocol/texts/coded";
import { WEEKDAYS } from "@mimikit/protocol/triggers/atoms";
import { INTERVAL_SEC_MIN, type Schedule } from "@mimikit/protocol/triggers/trigger-order";
import { Cron } from "croner";

/** Occurrences are looked at by name up to this many. */
export const COUNT_MAX = 1_000;
/** As many of a cron's coming occurrences are looked at to see whether they are too close. */
const SPACING_LOOKED_AT = 200;
/** Its occurrences are whole minutes apart: five fields, or six of which that of the seconds is one number. */
const IS_ONE_A_MINUTE = /^(\d+\s+\S+|\S+)(\s+\S+){4}$/;

/** One way to write a cron: no moments, no years, no nicknames, though the parser knows them. */
const FIELDS = /^\S+(\s+\S+){4,5}$/;

const crons = new Map<string, Cron>();
const CRONS_MAX = 2_000;

function cronOf(pattern: string, timezone: string): Cron {
  const key = `${timezone} ${pattern}`;
  const known = crons.get(key);
  if (known !== undefined) return known;
  if (crons.size >= CRONS_MAX) crons.clear();
  if (!FIELDS.test(pattern)) throw new TypeError(sentence("cron_fields", { count: pattern.split(/\s+/).length }));
  const cron = new Cron(pattern, { timezone, paused: true, mode: "5-or-6-parts", fixedTimeRule: "no-wildcard" });
  crons.set(key, cron);
  return cron;
}

/**
 * The problem with a schedule, in words that say what would be right; null if it is valid.
 * @param nowMs from which it must occur again.
 */
export function scheduleProblem(schedule: Schedule, nowMs: number): string | null {
  if ("interval" in schedule) return null;
  try {
    const cron = cronOf(schedule.cron, schedule.timezone);
    const runs = cron.nextRuns(IS_ONE_A_MINUTE.test(schedule.cron) ? 1 : SPACING_LOOKED_AT, new Date(nowMs));
    if (runs.length === 0) return sentence("cron_never", { cron: schedule.cron });
    const isTooClose = runs.some((run, i) => {
      const before = runs[i - 1];
      return before !== undefined && run.getTime() - before.getTime() < INTERVAL_SEC_MIN * 1_000;
    });
    return isTooClose ? sentence("cron_too_often", { cron: schedule.cron, seconds: INTERVAL_SEC_MIN }) : null;
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^Cron\w*: /, "").replace(/\.$/, "") : String(error);
    return sentence("cron_wrong", { cron: schedule.cron, detail: inOurWords(reason) });
  }
}

const PARTS = ["second", "minute", "hour", "day", "month", "weekday"];

/** The reason of the parser for the mistakes that people make; a rarer one keeps its words. */
function inOurWords(reason: string): string {
  const [, part, value] =
    /^Invalid value for (\w+): (.+)$/.exec(reason) ??
    /^configuration entry (\d) \((.+)\) contains illegal characters$/.exec(reason) ??
    /^(\w+) is not a number: '(.+)'$/.exec(reason) ??
    [];
  if (part !== undefined && value !== undefined)
    return sentence("cron_value", { part: PARTS[Number(part)] ?? part.replace("dayOfWeek", "weekday"), value });
  const [, range] = /^From value is larger than to value: '(.+)'$/.exec(reason) ?? [];
  return range === undefined ? reason : sentence("cron_backwards", { value: range });
}

/** The first occurrence after `afterMs`; null when there is none. */
export function nextOf(schedule: Schedule, afterMs: number): number | null {
  if ("interval" in schedule) return afterMs + schedule.interval * 1_000;
  return cronOf(schedule.cron, schedule.timezone).nextRun(new Date(afterMs))?.getTime() ?? null;
}

/** The first occurrence after `lastMs` that is not before `fromMs`; null when there is none. */
export function firstOf(schedule: Schedule, lastMs: number, fromMs: number): number | null {
  if (!("interval" in schedule)) return nextOf(schedule, Math.max(lastMs, fromMs - 1));
  const intervalMs = schedule.interval * 1_000;
  return lastMs + Math.max(1, Math.ceil((fromMs - lastMs) / intervalMs)) * intervalMs;
}

/** The occurrences after `lastMs` up to and with `nowMs`, as far as there is reason to know each by name. */
export interface DueOccurrences {
  /** All of them, or the newest `COUNT_MAX`, oldest first. */
  occurrences: number[];
  /** Older ones that are not among them: the first and, where that is known, how many. */
  older: { fromMs: number; count: number | null } | null;
}

export const NONE_DUE: DueOccurrences = { occurrences: [], older: null };

/** @param lastMs the last occurrence that was decided. */
export function dueOf(schedule: Schedule, lastMs: number, nowMs: number): DueOccurrences {
  return "interval" in schedule
    ? dueIntervals(schedule.interval * 1_000, lastMs, nowMs)
    : dueCrons(cronOf(schedule.cron, schedule.timezone), lastMs, nowMs);
}

function dueIntervals(intervalMs: number, lastMs: number, nowMs: number): DueOccurrences {
  const count = Math.max(0, Math.floor((nowMs - lastMs) / intervalMs));
  const kept = Math.min(count, COUNT_MAX);
  const occurrences = Array.from({ length: kept }, (_, i) => lastMs + (count - kept + i + 1) * intervalMs);
  if (kept === count) return { occurrences, older: null };
  return { occurrences, older: { fromMs: lastMs + intervalMs, count: count - kept } };
}

function dueCrons(cron: Cron, lastMs: number, nowMs: number): DueOccurrences {
  const occurrences: number[] = [];
  let at = cron.nextRun(new Date(lastMs))?.getTime();
  const first = at;
  for (; at !== undefined && at <= nowMs; at = cron.nextRun(new Date(at))?.getTime()) {
    occurrences.push(at);
    if (occurrences.length > COUNT_MAX) break;
  }
  if (first === undefined || occurrences.length <= COUNT_MAX) return { occurrences, older: null };
  // Too many to count from the front: the newest are counted from the back.
  const newest = cron.previousRuns(COUNT_MAX, new Date(nowMs + 1)).map((run) => run.getTime());
  return { occurrences: newest.reverse(), older: { fromMs: first, count: null } };
}

/** A moment in the id of its occurrence: `20261121t090000z`. */
export function momentId(ms: number): string {
  return new Date(ms)
    .toISOString()
    .replace(/\.\d{3}Z$/, "z")
    .replace(/[-:]/g, "")
    .toLowerCase();
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Local date and time. */
export interface LocalTime {
  weekday: (typeof WEEKDAYS)[number];
  /** `2026-12-01` */
  date: string;
  /** `09:00` */
  hhmm: string;
  /** `00` to `59` */
  second: string;
}

/** The wall clock of a zone. Throws a RangeError for a zone that the runtime does not know. */
export function localTime(ms: number, timeZone: string): LocalTime {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-GB", {
      timeZone,
      hourCycle: "h23",
      weekday: "short",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    });
    formats.set(timeZone, format);
  }
  const parts = Object.fromEntries(format.formatToParts(new Date(ms)).map(({ type, value }) => [type, value]));
  const { year, month, day, hour, minute, second } = parts;
  const weekday = WEEKDAYS.find((each) => each === parts.weekday?.toLowerCase());
  if (weekday === undefined || second === undefined) throw new Error(`a clock without a weekday or a second: ${ms}`);
  return { weekday, date: `${year}-${month}-${day}`, hhmm: `${hour}:${minute}`, second };
}
