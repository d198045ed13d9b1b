/** A cron pattern in words, as far as people have short ones for it. Pure. */

import { viewWords, type Weekday } from "./view-words.ts";
import { say } from "./words.ts";

const NUMBER = /^\d{1,2}$/;
const STEP = /^\*\/(\d{1,2})$/;
const SPAN = /^(\d{1,2})-(\d{1,2})$/;
const two = (text: string | number) => String(text).padStart(2, "0");

/** `0 0 9 * * 1-5` → `Monday to Friday at 09:00`; undefined for what only a pattern can say. Five fields have no seconds. */
export function cronWords(pattern: string): string | undefined {
  const fields = pattern.trim().split(/\s+/);
  const [second, minute, hour, day, month, weekday] = fields.length === 5 ? ["0", ...fields] : fields;
  if (second !== "0" || minute === undefined || hour === undefined || month !== "*") return undefined;
  const days = daysWords(day, weekday);
  const times = timesWords(minute, hour);
  if (days === undefined || times === undefined) return undefined;
  return say(`${days} ${times}`, `${days}${times}`);
}

function daysWords(day: string | undefined, weekday: string | undefined): string | undefined {
  if (day === "*" && weekday === "*") return say("every day", "每天");
  if (weekday === "*" && NUMBER.test(day ?? "")) return say(`on day ${day} of every month`, `每月 ${day} 日`);
  if (day !== "*" || weekday === undefined) return undefined;
  const span = SPAN.exec(weekday);
  if (span) {
    const [first, last] = [weekdayWord(span[1]), weekdayWord(span[2])];
    if (first === undefined || last === undefined) return undefined;
    return say(`${first} to ${last}`, `${first}到${last}`);
  }
  const named = weekday.split(",").map(weekdayWord);
  return named.includes(undefined) ? undefined : named.join(say(", ", "、"));
}

function weekdayWord(text: string | undefined): string | undefined {
  if (text === undefined || !/^[0-7]$/.test(text)) return undefined;
  return viewWords.weekday((Number(text) % 7) as Weekday);
}

function timesWords(minute: string, hour: string): string | undefined {
  const step = STEP.exec(minute)?.[1];
  if (step !== undefined && hour === "*") return say(`every ${step} minutes`, `每 ${step} 分钟`);
  if (!NUMBER.test(minute)) return undefined;
  if (hour === "*") return say(`every hour at :${two(minute)}`, `每小时的第 ${Number(minute)} 分`);
  const hours = STEP.exec(hour)?.[1];
  if (hours !== undefined)
    return say(`every ${hours} hours at :${two(minute)}`, `每 ${hours} 小时（第 ${Number(minute)} 分）`);
  const span = SPAN.exec(hour);
  if (span) {
    const [from, to] = [`${two(span[1] ?? "")}:${two(minute)}`, `${two(span[2] ?? "")}:${two(minute)}`];
    return say(`every hour from ${from} to ${to}`, `${from} 到 ${to} 每小时`);
  }
  const moments = hour.split(",");
  if (!moments.every((one) => NUMBER.test(one))) return undefined;
  const list = moments.map((one) => `${two(one)}:${two(minute)}`).join(say(" and ", "、"));
  return say(`at ${list}`, ` ${list}`);
}
