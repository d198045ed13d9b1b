/** A cron pattern in words, as far as people have short ones for it. Pure. */

import { clockText } from "./base/format.ts";
import { part } from "./base/language.ts";
import { viewWords, type WeekdayIndex } from "./view-words.ts";

export const { sentences } = await part({
  en: () => import("./en/sentences.ts"),
  zh: () => import("./zh/sentences.ts"),
});

const NUMBER = /^\d{1,2}$/;
const STEP = /^\*\/(\d{1,2})$/;
const SPAN = /^(\d{1,2})-(\d{1,2})$/;

/** `0 0 9 * * 1-5` → `Monday to Friday at 09:00`; undefined for what only a pattern can say. Five fields have no seconds. */
export function cronWords(pattern: string): string | undefined {
  const fields = pattern.trim().split(/\s+/);
  const [second, minute, hour, day, month, weekday] = fields.length === 5 ? ["0", ...fields] : fields;
  if (second !== "0" || minute === undefined || hour === undefined || month !== "*") return undefined;
  const days = daysWords(day, weekday);
  const times = timesWords(minute, hour);
  if (days === undefined || times === undefined) return undefined;
  return sentences.together(days, times);
}

function daysWords(day: string | undefined, weekday: string | undefined): string | undefined {
  if (day === "*" && weekday === "*") return sentences.everyDay;
  if (day === "L" && weekday === "*") return sentences.lastDay;
  if (day !== undefined && weekday === "*" && NUMBER.test(day)) return sentences.dayOfMonth(day);
  if (day !== "*" || weekday === undefined) return undefined;
  const span = SPAN.exec(weekday);
  if (span) {
    const [first, last] = [weekdayWord(span[1]), weekdayWord(span[2])];
    if (first === undefined || last === undefined) return undefined;
    return sentences.span(first, last);
  }
  const named = weekday.split(",").map(weekdayWord);
  return named.includes(undefined) ? undefined : sentences.listed(named);
}

function weekdayWord(text: string | undefined): string | undefined {
  if (text === undefined || !/^[0-7]$/.test(text)) return undefined;
  return viewWords.weekday((Number(text) % 7) as WeekdayIndex);
}

function timesWords(minute: string, hour: string): string | undefined {
  const step = STEP.exec(minute)?.[1];
  if (step !== undefined && hour === "*") return sentences.everyMinutes(step);
  if (!NUMBER.test(minute)) return undefined;
  if (hour === "*") return sentences.hourlyAt(minute);
  const hours = STEP.exec(hour)?.[1];
  if (hours !== undefined) return sentences.everyHours(hours, minute);
  const clock = (of: string) => clockText(Number(of), Number(minute));
  const span = SPAN.exec(hour);
  if (span) {
    return sentences.hourlyFrom(clock(span[1] ?? ""), clock(span[2] ?? ""));
  }
  const moments = hour.split(",");
  if (!moments.every((one) => NUMBER.test(one))) return undefined;
  return sentences.atTimes(moments.map(clock));
}
