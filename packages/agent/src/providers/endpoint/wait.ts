/** How long an endpoint asks to be left alone: by its headers, by fields of its error, or in words. */

import { tryJson } from "@mimikit/protocol/base/json";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { isTimeZone } from "@mimikit/protocol/triggers/condition";

/** A longer wait is cut to this: the endpoint is asked again then, and says how much is left. */
export const WAIT_MS_MAX = 7 * 86_400_000;
/** Characters of an error that are searched for a wait. */
const TEXT_CHARS_MAX = 65_536;
/** Fields of an error that are looked at, and how deep. */
const FIELDS_MAX = 1_000;
const DEPTH_MAX = 8;

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Larger numbers of seconds or milliseconds are moments since 1970. */
const EPOCH_SEC_MIN = 1e9;
const EPOCH_MS_MIN = 1e12;

/** A name and its value, from the headers or from the error. */
type Field = readonly [name: string, value: string];

/** Names are compared without case, hyphens and underscores. */
const DELAYS_MS = ["retryafterms", "xmsretryafterms"];
const DELAYS = [
  "retryafter",
  "retryafterseconds",
  "retrydelay",
  "resetsinseconds",
  "resetafterseconds",
  "estimatedtime",
];
const MOMENTS = ["resetsat", "resetat", "retryat"];
const RESET = /^(?:anthropic|x)?ratelimit\w*reset/;

/**
 * The wait in milliseconds, above 0 and at most WAIT_MS_MAX; null when none is named, or when it is over.
 * Sources in their order: Retry-After, fields of the error, its words, the reset of each rate limit.
 * @param headers of the answer; null counts the error alone. @param body the error as it came. @param nowMs wall clock.
 * @param isLimit whether the limits in the headers, which vendors send with every answer, are why it was refused.
 */
export function waitOf(headers: Headers | null, body: string, nowMs: number, isLimit = false): number | null {
  const ofHeaders: Field[] = [...(headers ?? [])];
  const ofBody = fieldsOf(jsonIn(body));
  return (
    delayIn(ofHeaders, nowMs) ??
    delayIn(ofBody, nowMs) ??
    waitInWords(body, nowMs) ??
    resetIn(ofBody, nowMs) ??
    (isLimit && !saysNow(ofHeaders) ? resetIn(ofHeaders, nowMs) : null)
  );
}

/** The JSON that a text is, or has at its end behind words: "unexpected status 429: {…}". */
function jsonIn(text: string): unknown {
  return tryJson(text) ?? tryJson(text.slice(Math.max(0, text.indexOf("{")), text.lastIndexOf("}") + 1));
}

/** Every field of a JSON value that holds a text or a number, with those of JSON in texts: OpenRouter's `metadata.raw`. */
function fieldsOf(json: unknown): Field[] {
  const fields: Field[] = [];
  const visit = (value: unknown, name: string, depth: number): void => {
    if (fields.length >= FIELDS_MAX || depth > DEPTH_MAX) return;
    if (typeof value === "number") fields.push([name, String(value)]);
    else if (typeof value === "string") {
      fields.push([name, value]);
      if (/^\s*[[{]/.test(value)) visit(tryJson(value) ?? null, "", depth + 1);
    } else if (Array.isArray(value)) for (const each of value) visit(each, name, depth + 1);
    else if (typeof value === "object" && value !== null)
      for (const [key, each] of Object.entries(value)) visit(each, key, depth + 1);
  };
  visit(json ?? null, "", 0);
  return fields;
}

const plain = (name: string) => name.toLowerCase().replace(/[-_]/g, "");

function delayIn(fields: readonly Field[], nowMs: number): number | null {
  const named = (names: readonly string[]) => fields.filter(([name]) => names.includes(plain(name)));
  for (const [, value] of named(DELAYS_MS)) {
    const ms = bounded(Number(value));
    if (ms !== null) return ms;
  }
  for (const [, value] of [...named(DELAYS), ...named(MOMENTS)]) {
    const ms = bounded(readWait(value, nowMs));
    if (ms !== null) return ms;
  }
  return null;
}

/** Does it want to be asked again at once, whatever it says of its limits? */
function saysNow(fields: readonly Field[]): boolean {
  return fields.some(([name, value]) => DELAYS.includes(plain(name)) && value.trim() !== "" && Number(value) === 0);
}

/** The longest of the limits that are used up; of all, where none says what is left. */
function resetIn(fields: readonly Field[], nowMs: number): number | null {
  const remaining = new Map(fields.map(([name, value]) => [plain(name), value]));
  const resets = fields.flatMap(([name, value]) => {
    const key = plain(name);
    const ms = RESET.test(key) ? bounded(readWait(value, nowMs)) : null;
    return ms === null ? [] : [{ ms, left: remaining.get(key.replace("reset", "remaining")) }];
  });
  const usedUp = resets.filter(({ left }) => left !== undefined && Number(left) <= 0);
  const all = (usedUp.length > 0 ? usedUp : resets).map(({ ms }) => ms);
  return all.length === 0 ? null : Math.max(...all);
}

/** Seconds, a moment since 1970, a duration as `6m0s`, or a date; NaN when it is none of them. */
function readWait(value: string, nowMs: number): number {
  const text = value.trim();
  if (text === "") return Number.NaN;
  const number = Number(text);
  if (!Number.isNaN(number)) {
    if (number >= EPOCH_MS_MIN) return number - nowMs;
    return number >= EPOCH_SEC_MIN ? number * SECOND_MS - nowMs : number * SECOND_MS;
  }
  const duration = durationAt(text, 0);
  if (duration !== null && duration.end === text.length) return duration.ms;
  return Date.parse(text) - nowMs;
}

function bounded(ms: number): number | null {
  return Number.isNaN(ms) || ms <= 0 ? null : Math.min(ms, WAIT_MS_MAX);
}

/** The words before a wait, up to the next number, month or full stop. */
const BEFORE = /(?:\bagain|\bretry(?:ing)?|\bwait|\bresets?|\bregain access|\bavailable)\b[^.\d\n|]{0,40}/gi;
/** Claude's CLI: `usage limit reached|1790000000`. */
const AFTER_BAR = /limit reached\|(\d{10,13})\b/i;
const CHINESE = /(\d{1,6})\s*(秒|分钟|分|小时|天)(?:钟)?(?:后|之后|以后)/;
const CHINESE_MS: Record<string, number> = { 秒: SECOND_MS, 分: MINUTE_MS, 分钟: MINUTE_MS, 小时: HOUR_MS, 天: DAY_MS };

/** The wait that a sentence names: "try again in 1m2.5s", "in 3 hours", "resets 3pm (Asia/Seoul)", "at 2026-04-01 00:00 UTC". */
export function waitInWords(words: string, nowMs: number): number | null {
  const text = beginningOf(words, TEXT_CHARS_MAX);
  const bar = AFTER_BAR.exec(text)?.[1];
  if (bar !== undefined) return bounded(readWait(bar, nowMs));
  for (const { 0: before, index } of text.matchAll(BEFORE)) {
    const ms = durationAt(text, index + before.length)?.ms ?? momentAt(text, index + before.length, before, nowMs);
    const wait = ms === null ? null : bounded(ms);
    if (wait !== null) return wait;
  }
  const [, count, unit = ""] = CHINESE.exec(text) ?? [];
  if (count !== undefined) return bounded(Number(count) * (CHINESE_MS[unit] ?? Number.NaN));
  const reset = /重置|恢复/.test(text) ? DATE_IN.exec(text)?.[0] : undefined;
  return reset === undefined ? null : bounded(Date.parse(reset.replace(" ", "T")) - nowMs);
}

const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^(?:ms|milliseconds?)$/i, 1],
  [/^(?:s|secs?|seconds?)$/i, SECOND_MS],
  [/^(?:m|mins?|minutes?)$/i, MINUTE_MS],
  [/^(?:h|hrs?|hours?)$/i, HOUR_MS],
  [/^(?:d|days?)$/i, DAY_MS],
  [/^(?:w|weeks?)$/i, 7 * DAY_MS],
];
const PART = /(\d{1,9}(?:\.\d{1,12})?) ?([a-z]{1,12})(?:,? (?:and )?(?=\d))?/iy;

/** Numbers with units, one after the other, from `start`; null when the first has none. `end` is behind the last. */
function durationAt(text: string, start: number): { ms: number; end: number } | null {
  let ms = 0;
  for (let end = start; ; end = PART.lastIndex) {
    PART.lastIndex = end;
    const [, count, unit = ""] = PART.exec(text) ?? [];
    const unitMs = UNITS.find(([pattern]) => pattern.test(unit))?.[1];
    if (count === undefined || unitMs === undefined) return end === start ? null : { ms, end };
    ms += Number(count) * unitMs;
  }
}

const DATE_IN = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?/;
const ISO = /(\d{4}-\d\d-\d\d)(?:T|,? (?:at )?)(\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|UTC|GMT|[+-]\d\d:?\d\d)?/iy;
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const MONTH_BEFORE = /\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.? $/i;
const DAY = /(\d{1,2})(?:st|nd|rd|th)?(?:, (\d{4}))?,? (?:at )?/iy;
const TIME = /(\d{1,2})(?::(\d\d))?(?::\d\d)? ?([ap]m)?(?: \(?([a-z]{3,20}(?:\/[\w+-]{1,40}){0,2})\)?)?/iy;

/** A moment from `start`, in milliseconds from now; null when there is none. @param before the words before it, with a month. */
function momentAt(text: string, start: number, before: string, nowMs: number): number | null {
  ISO.lastIndex = start;
  const iso = ISO.exec(text);
  if (iso !== null) {
    const [, date, time, zone = ""] = iso;
    const ms = Date.parse(`${date}T${time}${/^(utc|gmt)$/i.test(zone) ? "Z" : zone}`) - nowMs;
    return Number.isNaN(ms) ? null : ms;
  }
  const month = MONTH_BEFORE.exec(before)?.[1]?.toLowerCase();
  DAY.lastIndex = start;
  const day = month === undefined ? null : DAY.exec(text);
  if (month !== undefined && day === null) return null;
  TIME.lastIndex = day === null ? start : DAY.lastIndex;
  const [, hour, minute, half, named] = TIME.exec(text) ?? [];
  if (hour === undefined || (minute === undefined && half === undefined)) return null;
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === "pm" ? 12 : 0);
  const minutes = Number(minute ?? 0);
  if (hours > 23 || minutes > 59) return null;
  const zone = named !== undefined && isTimeZone(named) ? named : undefined;
  const shiftMs = zone === undefined ? -new Date(nowMs).getTimezoneOffset() * MINUTE_MS : shiftOf(zone, nowMs);
  const here = new Date(nowMs + shiftMs);
  const timeMs = hours * HOUR_MS + minutes * MINUTE_MS;
  if (month !== undefined) {
    const year = Number(day?.[2] ?? here.getUTCFullYear());
    const atMs = Date.UTC(year, MONTHS.indexOf(month), Number(day?.[1])) + timeMs - shiftMs - nowMs;
    // "Jan 2" said in December is of the next year.
    return atMs < -180 * DAY_MS && day?.[2] === undefined ? atMs + 365 * DAY_MS : atMs;
  }
  const todayMs = Date.UTC(here.getUTCFullYear(), here.getUTCMonth(), here.getUTCDate());
  const atMs = todayMs + timeMs - shiftMs - nowMs;
  return atMs > 0 ? atMs : atMs + DAY_MS;
}

/** How far the clock of a zone is ahead of UTC, in milliseconds. */
function shiftOf(timeZone: string, nowMs: number): number {
  const parts = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" }).formatToParts(nowMs);
  const offset = parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
  const [, sign, hours, minutes] = /^GMT([+-])(\d\d):(\d\d)$/.exec(offset) ?? [];
  const ms = Number(hours ?? 0) * HOUR_MS + Number(minutes ?? 0) * MINUTE_MS;
  return sign === "-" ? -ms : ms;
}
