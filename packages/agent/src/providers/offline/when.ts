/**
 * When something shall happen, in English or Chinese: a moment, a rhythm, or a change of a file. Chrono reads dates and
 * times of day; spans of time, Chinese weeks and rhythms are read here, because Chrono knows no rhythms, misreads Chinese
 * spans in any time zone but the server's, and begins the week on a Sunday. A phrase counts only when all of it is understood.
 */

import { isChinese } from "@mimikit/core/views/notices";
import { INTERVAL_SEC_MIN } from "@mimikit/protocol/triggers/trigger-order";
import * as english from "chrono-node/en";
import * as chinese from "chrono-node/zh/hans";
import { type Clock, instantOf, isoIn, type WallTime, wallTimeOf } from "../../prompt/clock.ts";

/** The longest phrase that is looked at. */
export const WHEN_CHARS_MAX = 100;
/** "Tomorrow" or "every day" without a time of day. */
export const HOUR_DEFAULT = 9;
const AHEAD_SEC_MAX = 100 * 366 * 86_400;

export type ParsedWhen =
  /** Once. `runAt` is ISO 8601 with an offset. */
  | { kind: "scheduled"; runAt: string; timeZone: string }
  /** Again and again: six fields with seconds, in `timeZone`. */
  | { kind: "recurring"; cron: string; timeZone: string }
  | { kind: "recurring"; intervalSec: number }
  | { kind: "conditional"; path: string; becomes: "changed" | "there" };

/** The phrase is a time, but none that can be kept. */
export interface BadWhen {
  kind: "bad";
  /** `half_day`: an hour from 1 to 6, which is one of the night or of the afternoon. */
  problem: "past" | "too_often" | "too_far" | "half_day";
}

type TimeOfDay = Pick<WallTime, "hour" | "minute" | "second">;
const TIME_DEFAULT: TimeOfDay = { hour: HOUR_DEFAULT, minute: 0, second: 0 };

const UNIT_SEC: Record<string, number> = {
  second: 1,
  sec: 1,
  s: 1,
  秒: 1,
  秒钟: 1,
  minute: 60,
  min: 60,
  m: 60,
  分: 60,
  分钟: 60,
  hour: 3_600,
  hr: 3_600,
  h: 3_600,
  小时: 3_600,
  钟头: 3_600,
  day: 86_400,
  d: 86_400,
  天: 86_400,
  日: 86_400,
  week: 604_800,
  周: 604_800,
  星期: 604_800,
};
const DAY_SEC = 86_400;
const NUMBERS: Record<string, number> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  "a couple of": 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  fifteen: 15,
  twenty: 20,
  thirty: 30,
  half: 0.5,
  "half a": 0.5,
  "half an": 0.5,
};
const DIGITS = "零一二三四五六七八九";
const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const WEEKDAYS_ZH = ["日", "一", "二", "三", "四", "五", "六"];

const EN_AMOUNT = String.raw`\d+(?:\.\d+)?|half an?|a couple of|an?|${Object.keys(NUMBERS)
  .filter((word) => /^\w{3,}$/.test(word))
  .join("|")}`;
/** One letter is a unit only right behind its number. */
const EN_UNIT = String.raw`second|sec|minute|min|hour|hr|day|week|(?<=\d\s?)[smhd]`;
const EN_SPAN = new RegExp(
  String.raw`(?<amount>${EN_AMOUNT})\s*(?<unit>${EN_UNIT})s?(?![a-z])(?<andHalf>\s+and\s+a\s+half)?(?:,?\s+and\s+|,\s*|\s+)?`,
  "giy",
);
const ZH_SPAN =
  /(?<amount>\d+(?:\.\d+)?|[零一二两三四五六七八九十]+|半)\s*个?(?<half>半)?(?<unit>秒钟?|分钟?|小时|钟头|天|日|周|星期)(?<andHalf>半)?/gy;

/** Parses `phrase`, all of it; null if it is no such phrase. Never throws. */
export function parseWhen(phrase: string, clock: Clock): ParsedWhen | BadWhen | null {
  const when = readWhen(phrase, clock);
  // Of a day that is over, either half is.
  const isOver = when?.kind === "bad" && !(when.problem === "past" && /\btoday\b|今天/i.test(phrase));
  return when !== null && !isOver && isHalfDay(phrase) ? { kind: "bad", problem: "half_day" } : when;
}

/** An hour without its half of the day, as it stands in a sentence. */
const HALF_DAY_EN = /\bat (?<hour>[1-6](?::[0-5]\d)?)(?![\d:])(?!\s*(?:[ap]\.?m\b|utc\b|gmt\b|[+-]\d))/i;
const HALF_DAY_ZH = /(?<![\d十:：])(?<hour>[1-6一二两三四五六])(?=点)/;
const SAYS_HALF_EN = /\b(?:morning|noon|afternoon|evening|night|tonight|midnight)\b/i;
const SAYS_HALF_ZH = /[上下中]午|早|晚|凌晨|清晨|夜/;

function isHalfDay(text: string): boolean {
  return isChinese(text)
    ? HALF_DAY_ZH.test(text) && !SAYS_HALF_ZH.test(text)
    : HALF_DAY_EN.test(text) && !SAYS_HALF_EN.test(text);
}

/** A request whose hour is of either half of the day, in the two ways in which it is understood. */
export function withHalves(request: string): string[] {
  if (isChinese(request)) return ["早上", "下午"].map((half) => request.replace(HALF_DAY_ZH, `${half}$<hour>`));
  return ["am", "pm"].map((half) => request.replace(HALF_DAY_EN, `at $<hour> ${half}`));
}

function readWhen(phrase: string, clock: Clock): ParsedWhen | BadWhen | null {
  const text = phrase
    .trim()
    .replace(/^[,，]|[,，]$/g, "")
    .replace(/\s+/g, " ")
    .trim();
  if (text === "" || text.length > WHEN_CHARS_MAX) return null;
  return (
    parseChange(text) ??
    parseRhythm(text, clock) ??
    parseSpan(text, clock) ??
    parseDayZh(text, clock) ??
    parseMoment(text, clock)
  );
}

const CHANGES_EN =
  /^(?:when|whenever|once|if|as soon as)\s+(\S+)\s+(?:changes|has changed|is (?:changed|modified|updated|saved))$/i;
const CHANGES_ZH =
  /^(?:每?当|一旦|如果|只要)?\s*([^\s，,]+?)\s*(?:发生|有|被)?(?:变化|变动|改变|修改|更新|变)(?:了|时|后|之后|以后|的时候)*$/;
const IS_THERE_EN =
  /^(?:when|whenever|once|if|as soon as)\s+(\S+)\s+(?:exists|appears|is (?:there|created|made)|has appeared)$/i;
const IS_THERE_ZH = /^(?:每?当|一旦|如果|只要)\s*([^\s，,]+?)\s*(?:存在|出现|建好|创建)(?:了|时|后|之后|以后|的时候)*$/;

function parseChange(text: string): ParsedWhen | null {
  const changed = CHANGES_EN.exec(text)?.[1] ?? CHANGES_ZH.exec(text)?.[1];
  const path = changed ?? IS_THERE_EN.exec(text)?.[1] ?? IS_THERE_ZH.exec(text)?.[1];
  const bare = path?.replace(/^`+|(?<!`)`+$/g, "") ?? "";
  // A file is watched, and "everything changes" names none.
  if (!/[./*]/.test(bare)) return null;
  return { kind: "conditional", path: bare, becomes: changed === undefined ? "there" : "changed" };
}

function parseRhythm(text: string, clock: Clock): ParsedWhen | BadWhen | null {
  const interval = parseInterval(text);
  if (interval !== null) {
    if (interval < INTERVAL_SEC_MIN) return { kind: "bad", problem: "too_often" };
    if (interval > AHEAD_SEC_MAX) return { kind: "bad", problem: "too_far" };
    return { kind: "recurring", intervalSec: Math.round(interval) };
  }
  const days = isChinese(text) ? parseDaysZh(text) : parseDaysEn(text);
  if (days === null) return null;
  const time = parseTimeOfDay(days.time);
  if (time === null) return null;
  const cron = `${time.second} ${time.minute} ${time.hour} ${days.dayOfMonth} * ${days.weekdays}`;
  return { kind: "recurring", cron, timeZone: clock.timeZone };
}

function parseInterval(text: string): number | null {
  const [, amount = "1", unit] =
    new RegExp(`^(?:every|each)\\s+(?:(${EN_AMOUNT})\\s*)?(${EN_UNIT})s?$`, "i").exec(text) ??
    /^每隔?(\d+(?:\.\d+)?|[一二两三四五六七八九十]+|半)?\s*个?(秒钟?|分钟?|小时|钟头|天|周|星期)$/.exec(text) ??
    [];
  const sec = unit === undefined ? undefined : UNIT_SEC[unit.toLowerCase()];
  if (sec === undefined) return null;
  const isCalendar = sec >= DAY_SEC && amount === "1" && !/^every (?:1|one) /i.test(text);
  return isCalendar ? null : numberOf(amount) * sec;
}

interface Days {
  dayOfMonth: string;
  weekdays: string;
  /** The rest of the phrase: a time of day, or nothing. */
  time: string;
}

const LAST_DAY_EN = /^(?:on )?the last day of (?:every|each|the) month(?:,? at (.+))?$/i;
const LAST_DAY_AT_END_EN = /^(?:at )?(.+?),? on the last day of (?:every|each|the) month$/i;

function parseDaysEn(phrase: string): Days | null {
  const lastDay = LAST_DAY_EN.exec(phrase) ?? LAST_DAY_AT_END_EN.exec(phrase);
  if (lastDay !== null) return { dayOfMonth: "L", weekdays: "*", time: lastDay[1] ?? "" };
  // "at 9 every day" is "every day at 9".
  const text = phrase.replace(/^(?:at )?(.+?) ((?:every|each|daily|on weekdays).*)/is, "$2 at $1");
  const [, day = "", time = ""] = /^(.+?)(?:,? at (.+)|$)/is.exec(text) ?? [];
  const name = day.toLowerCase();
  if (/^(?:every ?day|each day|daily)$/.test(name)) return { dayOfMonth: "*", weekdays: "*", time };
  const partOfDay = /^every (morning|afternoon|evening|night)$/.exec(name)?.[1]?.replace("night", "evening");
  if (partOfDay !== undefined) {
    return { dayOfMonth: "*", weekdays: "*", time: time === "" ? partOfDay : `this ${partOfDay} at ${time}` };
  }
  if (/^(?:every (?:weekday|workday|working day)|on weekdays)$/.test(name))
    return { dayOfMonth: "*", weekdays: "1-5", time };
  if (/^every weekend$/.test(name)) return { dayOfMonth: "*", weekdays: "0,6", time };
  if (/^(?:every month|monthly) on the last day$/.test(name)) return { dayOfMonth: "L", weekdays: "*", time };
  const dayOfMonth = /^(?:every month|monthly) on the (\d{1,2})(?:st|nd|rd|th)?$/.exec(name)?.[1];
  if (dayOfMonth !== undefined) return isDayOfMonth(dayOfMonth) ? { dayOfMonth, weekdays: "*", time } : null;
  const names = /^(?:every|each) (.+)$/.exec(name)?.[1]?.split(/,\s*(?:and )?| and /);
  const numbers = names?.map((each) => WEEKDAYS.indexOf(each)) ?? [-1];
  return numbers.includes(-1) ? null : { dayOfMonth: "*", weekdays: listOf(numbers), time };
}

function parseDaysZh(text: string): Days | null {
  const daily = /^每(?:天|日)的?\s*(.*)/s.exec(text)?.[1] ?? /^每((?:早|晚).*)$/.exec(text)?.[1];
  if (daily !== undefined) return { dayOfMonth: "*", weekdays: "*", time: daily.replace(/^(早|晚)(?![上晨])/, "$1上") };
  const workdays = /^每个?工作日的?\s*(.*)/s.exec(text)?.[1];
  if (workdays !== undefined) return { dayOfMonth: "*", weekdays: "1-5", time: workdays };
  const weekends = /^每个?周末的?\s*(.*)/s.exec(text)?.[1];
  if (weekends !== undefined) return { dayOfMonth: "*", weekdays: "0,6", time: weekends };
  const lastDay = /^每个?月的?(?:最后一天|月底|月末)的?\s*(.*)/s.exec(text)?.[1];
  if (lastDay !== undefined) return { dayOfMonth: "L", weekdays: "*", time: lastDay };
  const [, dayOfMonth, monthlyTime = ""] =
    /^每个?月的?\s*(\d{1,2}|[一二三四五六七八九十]+)[号日]的?\s*(.*)/s.exec(text) ?? [];
  if (dayOfMonth !== undefined) {
    const day = String(numberOf(dayOfMonth));
    return isDayOfMonth(day) ? { dayOfMonth: day, weekdays: "*", time: monthlyTime } : null;
  }
  const [, names, time = ""] =
    /^每(?:个)?(?:周|星期|礼拜)([一二三四五六日天](?:(?:[、,，和]|周|星期)*[一二三四五六日天])*)的?\s*(.*)/s.exec(
      text,
    ) ?? [];
  if (names === undefined) return null;
  const numbers = [...names.replaceAll("天", "日")].map((each) => WEEKDAYS_ZH.indexOf(each)).filter((n) => n >= 0);
  return { dayOfMonth: "*", weekdays: listOf(numbers), time };
}

function listOf(numbers: number[]): string {
  return [...new Set(numbers)].sort((a, b) => a - b).join(",");
}

function isDayOfMonth(day: string): boolean {
  return Number(day) >= 1 && Number(day) <= 31;
}

/** "in 10 minutes", "1小时30分钟后". Days are days on the wall: in 3 days it is the same time of day. */
function parseSpan(text: string, clock: Clock): ParsedWhen | BadWhen | null {
  const english = /^(?:in|after) (.+)$/i.exec(text)?.[1] ?? /^(.+) (?:from now|later)$/i.exec(text)?.[1];
  const chinese = /^(?:再?过)?(.+?)(?:之后|以后|过后|后)$/.exec(text)?.[1] ?? /^再?过(.+)$/.exec(text)?.[1];
  const sec = english === undefined ? sumSpans(chinese ?? "", ZH_SPAN) : sumSpans(english, EN_SPAN);
  if (sec === null) return null;
  if (sec > AHEAD_SEC_MAX) return { kind: "bad", problem: "too_far" };
  const days = Math.floor(sec / DAY_SEC);
  const wall = wallTimeOf(clock.nowMs, clock.timeZone);
  const from = days === 0 ? clock.nowMs : instantOf({ ...wall, day: wall.day + days }, clock.timeZone);
  return momentOf(from + (sec - days * DAY_SEC) * 1_000, clock);
}

/** Seconds; null unless `text` is nothing but spans of time. */
function sumSpans(text: string, pattern: RegExp): number | null {
  let sec = 0;
  let end = 0;
  for (const { 0: whole, groups = {} } of text.matchAll(pattern)) {
    const { amount = "", unit = "", half, andHalf } = groups;
    const extra = half !== undefined || andHalf !== undefined ? 0.5 : 0;
    sec += (numberOf(amount) + extra) * (UNIT_SEC[unit.toLowerCase()] ?? 0);
    end += whole.length;
  }
  return end > 0 && end === text.length ? sec : null;
}

/** "下周一9点", "这个月25号": a day of a week, which begins on Monday, or of a month. */
function parseDayZh(text: string, clock: Clock): ParsedWhen | BadWhen | null {
  const wall = wallTimeOf(clock.nowMs, clock.timeZone);
  const [, week, name = "", weekTime = ""] =
    /^(这|本|下{1,2})个?(?:周|星期|礼拜)([一二三四五六日天])的?\s*(.*)/s.exec(text) ?? [];
  if (week !== undefined) {
    const today = new Date(Date.UTC(wall.year, wall.month - 1, wall.day)).getUTCDay();
    const sinceMonday = (weekday: number) => (weekday + WEEKDAYS.length - 1) % WEEKDAYS.length;
    const ahead = sinceMonday(WEEKDAYS_ZH.indexOf(name.replace("天", "日"))) - sinceMonday(today);
    return momentOn({ ...wall, day: wall.day + ahead + periodsAhead(week) * WEEKDAYS.length }, weekTime, clock);
  }
  const [, month, number, monthTime = ""] =
    /^(这|本|下{1,2})个?月的?(\d{1,2}|[一二三四五六七八九十]+)[号日]的?\s*(.*)/s.exec(text) ?? [];
  if (month === undefined || number === undefined) return null;
  const day = numberOf(number);
  const first = new Date(Date.UTC(wall.year, wall.month - 1 + periodsAhead(month), day));
  if (first.getUTCDate() !== day) return null;
  return momentOn({ ...wall, year: first.getUTCFullYear(), month: first.getUTCMonth() + 1, day }, monthTime, clock);
}

/** 这 and 本 are the period that is now, 下 is the next one, 下下 the one after that. */
function periodsAhead(word: string): number {
  return word.startsWith("下") ? word.length : 0;
}

function momentOn(day: WallTime, timeText: string, clock: Clock): ParsedWhen | BadWhen | null {
  const time = parseTimeOfDay(timeText);
  return time === null ? null : momentOf(instantOf({ ...day, ...time }, clock.timeZone), clock);
}

function parseMoment(text: string, clock: Clock): ParsedWhen | BadWhen | null {
  const wall = wallTimeOf(clock.nowMs, clock.timeZone);
  // Chrono counts from a date in the server's own zone, so the client's wall time is put there.
  const reference = new Date(wall.year, wall.month - 1, wall.day, wall.hour, wall.minute, wall.second);
  const start = readAll(text, reference)?.start;
  if (start === undefined) return null;
  const field = (name: keyof WallTime) => start.get(name) ?? wall[name];
  const hasTime = start.isCertain("hour") || start.get("meridiem") !== null;
  const meant: WallTime = {
    year: field("year"),
    month: field("month"),
    day: field("day"),
    hour: hasTime ? field("hour") : HOUR_DEFAULT,
    minute: hasTime ? field("minute") : 0,
    second: hasTime ? field("second") : 0,
  };
  // To a moment that is counted from now Chrono gives the zone of the server, though none was named.
  const isCounted = ["result/relativeDateAndTime", "casualReference/now"].some((tag) => start.tags().has(tag));
  const hasZone = start.isCertain("timezoneOffset") && !isCounted;
  const offsetMinutes = hasZone ? start.get("timezoneOffset") : null;
  if (offsetMinutes === null) return momentOf(instantOf(meant, clock.timeZone), clock);
  const ms = instantOf({ ...meant, minute: meant.minute - offsetMinutes }, "UTC");
  // Chrono looked for the next such time of day on the client's clock; in the zone that is named it may be sooner.
  const isAnyDay = !start.isCertain("day") && !start.isCertain("weekday");
  return momentOf(isAnyDay && ms - DAY_SEC * 1_000 > clock.nowMs ? ms - DAY_SEC * 1_000 : ms, clock);
}

function momentOf(ms: number, clock: Clock): ParsedWhen | BadWhen {
  if (ms <= clock.nowMs) return { kind: "bad", problem: "past" };
  if (ms > clock.nowMs + AHEAD_SEC_MAX * 1_000) return { kind: "bad", problem: "too_far" };
  return { kind: "scheduled", runAt: isoIn(ms, clock.timeZone), timeZone: clock.timeZone };
}

/** Nothing is the default; null for what is no time of day. */
function parseTimeOfDay(text: string): TimeOfDay | null {
  if (text === "") return TIME_DEFAULT;
  const midnight = new Date(2026, 0, 1);
  // Chrono knows a Chinese part of the day only with its day.
  const start = isChinese(text)
    ? readAll(`今天${text}`, midnight)?.start
    : (readAll(text, midnight) ?? readAll(`at ${text}`, midnight))?.start;
  if (start === undefined || start.isCertain("weekday")) return null;
  if (start.isCertain("day") && !isChinese(text)) return null;
  const hasTime = start.isCertain("hour") || start.get("meridiem") !== null;
  if (!hasTime) return isChinese(text) ? TIME_DEFAULT : null;
  return {
    hour: start.get("hour") ?? HOUR_DEFAULT,
    minute: start.get("minute") ?? 0,
    second: start.get("second") ?? 0,
  };
}

/** Chrono's reading of `text`, when it is one and leaves nothing over but a leading preposition. */
function readAll(phrase: string, reference: Date) {
  const text = phrase
    .replaceAll("早晨", "早上")
    .replaceAll("傍晚", "晚上")
    .replaceAll("一刻", "15分")
    .replaceAll("三刻", "45分");
  const chrono = isChinese(text) ? chinese : english;
  const results = chrono.parse(text, reference, { forwardDate: true });
  const [result] = results;
  if (result === undefined || results.length > 1 || result.end !== null) return null;
  const before = text.slice(0, result.index).trim();
  const after = text.slice(result.index + result.text.length).trim();
  return /^(?:at|on|by|在|到|于)?$/i.test(before) && after === "" ? result : null;
}

/** Digits, English words up to thirty, Chinese numerals up to 99, 半. */
function numberOf(amount: string): number {
  const text = amount.toLowerCase().replaceAll("两", "二");
  if (/^\d/.test(text)) return Number(text);
  if (text === "半") return 0.5;
  const word = NUMBERS[text];
  if (word !== undefined) return word;
  const [tens = "", ones = ""] = text.includes("十") ? text.split("十") : ["零", text];
  const digit = (character: string, empty: number) => (character === "" ? empty : DIGITS.indexOf(character));
  return digit(tens, 1) * 10 + digit(ones, 0);
}
