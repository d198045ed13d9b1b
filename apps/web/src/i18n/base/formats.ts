/**
 * How the page says times, durations, numbers, sizes and costs: all of it is said here, in one way for each language. Times follow
 * the habit of the browser where it speaks English; Chinese has 24 hours. Pure.
 */
import { capitalized } from "@mimikit/protocol/base/capitalized";

const DAY_MS = 86_400_000;
/** From there on the name of the weekday would be that of today, and mean another. */
const NAMED_DAYS = 7;
/** A day of the calendar, without a time: `2026-11-20`. */
const CALENDAR_DAY = /^\d{4}-\d\d-\d\d$/;
const TWO_DIGITS: Intl.NumberFormatOptions = { minimumIntegerDigits: 2 };
const SIZE_UNITS = ["B", "KB", "MB"] as const;

/** @param locale BCP 47, such as that of the browser: it counts where it is English, too, for there are more habits than one */
export function formatsOf(spoken: "en" | "zh", locale: string) {
  const tag = spoken === "en" && locale.startsWith(spoken) ? locale : spoken;
  const clock = new Intl.DateTimeFormat(tag, {
    hour: "2-digit",
    minute: "2-digit",
  });
  const relative = new Intl.RelativeTimeFormat(tag, { numeric: "auto" });
  const weekday = new Intl.DateTimeFormat(tag, { weekday: "long" });
  const shortWeekday = new Intl.DateTimeFormat(tag, { weekday: "short" });
  const date = new Intl.DateTimeFormat(tag, { month: "short", day: "numeric" });
  const dateOfYear = new Intl.DateTimeFormat(tag, { year: "numeric", month: "short", day: "numeric" });
  const number = new Intl.NumberFormat(tag);
  const cost = new Intl.NumberFormat(tag, { style: "currency", currency: "USD", maximumFractionDigits: 4 });
  const unit = (name: string, options: Intl.NumberFormatOptions = {}) => {
    const format = new Intl.NumberFormat(tag, { style: "unit", unit: name, unitDisplay: "narrow", ...options });
    return (n: number) => format.format(n);
  };
  const [hours, minutes, seconds] = [unit("hour"), unit("minute"), unit("second")];
  const [twoMinutes, twoSeconds] = [unit("minute", TWO_DIGITS), unit("second", TWO_DIGITS)];
  const milliseconds = unit("millisecond");
  const tenths = unit("second", { minimumFractionDigits: 1, maximumFractionDigits: 1 });

  function dateText(at: string | Date, nowMs: number): string {
    const day = typeof at === "string" && CALENDAR_DAY.test(at) ? new Date(`${at}T00:00`) : new Date(at);
    return (day.getFullYear() === new Date(nowMs).getFullYear() ? date : dateOfYear).format(day);
  }

  /** A day near today by its name. */
  function nearText(days: number): string | undefined {
    return Math.abs(days) <= 1 ? relative.format(days, "day") : undefined;
  }

  return {
    /** The time of day of an ISO moment, in the browser's zone. */
    timeText: (at: string) => clock.format(new Date(at)),

    /** A time of day of no day in particular. */
    clockText: (hour: number, minute: number) => clock.format(new Date(2000, 0, 1, hour, minute)),

    /** A day as a date, with its year where that is not this year: `Nov 20`. @param at an ISO moment, or a calendar day */
    dateText,

    /** The day of an ISO moment as a heading: `Today`, `Yesterday`, `Friday, Nov 20`. */
    dayText(at: string, nowMs: number): string {
      const day = new Date(at);
      const near = nearText(daysBetween(new Date(nowMs), day));
      if (near !== undefined) return capitalized(near);
      return spoken === "zh"
        ? `${dateText(day, nowMs)}${weekday.format(day)}`
        : `${weekday.format(day)}, ${dateText(day, nowMs)}`;
    },

    /** `Fri` */
    weekdayText: (day: Date) => shortWeekday.format(day),

    /** An ISO moment: `09:00`, `tomorrow 09:00`, `Friday 18:30`, `Nov 20, 18:30`; a weekday alone is one to come. */
    momentText(at: string, nowMs: number): string {
      const moment = new Date(at);
      const time = clock.format(moment);
      const days = daysBetween(new Date(nowMs), moment);
      if (days === 0) return time;
      const near = nearText(days) ?? (days > 0 && days < NAMED_DAYS ? weekday.format(moment) : undefined);
      if (near !== undefined) return `${near} ${time}`;
      return `${dateText(moment, nowMs)}${spoken === "zh" ? " " : ", "}${time}`;
    },

    /** A duration: `8s`, `1m 05s`, `2h 03m`. Negative durations (clocks differ) are 0. @param ms milliseconds */
    durationText(ms: number): string {
      const whole = Math.max(0, Math.floor(ms / 1000));
      if (whole < 60) return seconds(whole);
      if (whole < 3600) return `${minutes(Math.floor(whole / 60))} ${twoSeconds(whole % 60)}`;
      return `${hours(Math.floor(whole / 3600))} ${twoMinutes(Math.floor(whole / 60) % 60)}`;
    },

    /** How long a call takes: `40ms`, `1.2s`. @param ms milliseconds */
    pauseText: (ms: number) => (ms < 1000 ? milliseconds(Math.round(ms)) : tenths(ms / 1000)),

    /** A count: `12,345`. */
    numberText: (n: number) => number.format(n),

    /** A size: `12 KB`, `3.4 MB`. */
    bytesText(bytes: number): string {
      const power = bytes < 1024 ? 0 : bytes < 1024 ** 2 ? 1 : 2;
      const size = bytes / 1024 ** power;
      return `${number.format(size < 10 && power > 0 ? Math.round(size * 10) / 10 : Math.round(size))} ${SIZE_UNITS[power]}`;
    },

    /** US dollars, to a hundredth of a cent. */
    costText: (usd: number) => cost.format(usd),
  };
}

/** Midnights between two moments, as the calendar counts them: a day of 23 or 25 hours is one. */
function daysBetween(from: Date, to: Date): number {
  const dayOf = (day: Date) => Date.UTC(day.getFullYear(), day.getMonth(), day.getDate()) / DAY_MS;
  return dayOf(to) - dayOf(from);
}
