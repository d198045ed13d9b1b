/**
 * Which files of memory become one summary, and when: a day five days after it, a month ninety days after its end
 * (SPEC E3). Summaries that are there already are merged into the next of their period, so that nothing is ever hidden.
 */
import { entriesOf } from "@mimikit/protocol/records/memory-entry";
import type { Result } from "@mimikit/protocol/records/result";
import { RESULT_SCHEMAS } from "@mimikit/protocol/records/result";
import { REMEMBERED_MAX, ROLL_UP_SOURCES_MAX, type RollUp } from "@mimikit/protocol/records/task";
import { weigh } from "./weigh.ts";

export const DAY_SUMMARY_AFTER_DAYS = 5;
export const MONTH_SUMMARY_AFTER_DAYS = 90;
/** The most characters that the notes of one roll-up weigh together (`weigh`): some 6,500 tokens. The others wait for the next of the same period. */
export const ROLL_UP_CHARS_MAX = 24_000;
/** Seconds until the next try after one failure in a row, two, …; as many as there are waits, and the period is given up. */
export const ROLL_UP_BACKOFF_SEC = [600, 1_800, 7_200, 21_600, 43_200] as const;
export const ROLL_UP_TRIES_MAX = ROLL_UP_BACKOFF_SEC.length;

/** The most characters of entries of memory.md that a month is summed up beside: the newest that fit. */
const REMEMBERED_CHARS_MAX = 12_000;
/** More entries than these are not dropped at once, whatever a model says. */
const DROPPED_MAX = 20;

const DAY_MS = 86_400_000;
const DAY_CHARS = "2026-11-22".length;
const MONTH_CHARS = "2026-11".length;
const NOTE = /^(\d{4}-\d{2}-\d{2})(?:[-.].*)?\.md$/;
const DAY_SUMMARY = /^(\d{4}-\d{2})-\d{2}\.md$/;
/** Stands between the head and the tail of a line that alone is too long. */
const LEFT_OUT = "\n\n[… the middle is left out …]\n\n";

/** The names in memory/ and in memory/summary/. */
export interface MemoryNames {
  notes: readonly string[];
  summaries: readonly string[];
}

/** The sources of one roll-up, by their paths, in reading order: an existing summary comes first. */
export interface RollUpPeriod {
  period: string;
  paths: string[];
}

/** Where the summary of a period stands: `memory/summary/2026-11-17.md`, `memory/summary/2026-08.md`. */
export function periodPath(period: string): string {
  return `memory/summary/${period}.md`;
}

/** The periods that have something to be summed up, the oldest first; a month comes after its days. */
export function duePeriods({ notes, summaries }: MemoryNames, nowMs: number): RollUpPeriod[] {
  const newestDay = dayAt(nowMs - DAY_SUMMARY_AFTER_DAYS * DAY_MS);
  const oldestOpenDay = dayAt(nowMs - MONTH_SUMMARY_AFTER_DAYS * DAY_MS);
  const periods = new Map<string, string[]>();
  const add = (period: string, path: string) => {
    const own = summaries.includes(`${period}.md`) ? [periodPath(period)] : [];
    periods.set(period, [...(periods.get(period) ?? own), path]);
  };
  for (const name of [...notes].sort()) {
    const day = NOTE.exec(name)?.[1];
    if (day !== undefined && day <= newestDay) add(day, `memory/${name}`);
  }
  for (const name of [...summaries].sort()) {
    const month = DAY_SUMMARY.exec(name)?.[1];
    if (month !== undefined && month < oldestOpenDay.slice(0, MONTH_CHARS)) add(month, `memory/summary/${name}`);
  }
  return [...periods]
    .map(([period, paths]) => ({ period, paths }))
    .sort((a, b) => (lastDayOf(a.period) < lastDayOf(b.period) ? -1 : 1));
}

/** Is this period a month, and not a day? */
export function isMonth(period: string): boolean {
  return period.length === MONTH_CHARS;
}

/** So that a month stands after all of its days: no month has a day 99. */
function lastDayOf(period: string): string {
  return isMonth(period) ? `${period}-99` : period;
}

function dayAt(ms: number): string {
  return new Date(ms).toISOString().slice(0, DAY_CHARS);
}

/** The part of a file that was read, from its beginning. */
export interface SourceText {
  path: string;
  sha256: string;
  text: string;
}

/** Has a roll-up of `count` notes, which weigh `weight` in all, room for so much more? One note always has room. */
export function hasRoomForNote(weight: number, count: number, more: number): boolean {
  // One place is left for the summary that is there.
  return count === 0 || (count + 1 < ROLL_UP_SOURCES_MAX && weight + more <= ROLL_UP_CHARS_MAX);
}

/** A summary that was made longer by hand is not replaced: the next one of its period stands below it. */
export function isMergeable(summary: string): boolean {
  return weigh(summary) <= ROLL_UP_CHARS_MAX / 2;
}

/**
 * As much of a note, from its beginning, as one roll-up has room for, in whole lines; what is left waits for the next. Ends
 * where an item ends, if one does. A line that alone is too long is all of it.
 */
export function beginningOf(note: string): string {
  let length = 0;
  let weight = 0;
  let itemsLength = 0;
  let hasText = false;
  for (const line of linesOf(note)) {
    if (hasText && /^\S/.test(line)) itemsLength = length;
    weight += weigh(line);
    if (hasText && weight > ROLL_UP_CHARS_MAX) return note.slice(0, itemsLength || length);
    hasText ||= line.trim() !== "";
    length += line.length;
  }
  return note;
}

/**
 * How much of `text`, from its beginning, is what `isRead` says was read by a roll-up; 0 where it begins otherwise.
 * @param isRead is asked about the lines, one after the other: were these, and no more, what was read?
 */
export function lengthRead(text: string, isRead: (line: string) => boolean): number {
  let length = 0;
  for (const line of linesOf(text)) {
    // `beginningOf` ends with the line that passes the bound, at the latest.
    if (length > ROLL_UP_CHARS_MAX) return 0;
    length += line.length;
    if (isRead(line)) return length;
  }
  return 0;
}

function* linesOf(text: string): Iterable<string> {
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf("\n", start) + 1 || text.length;
    yield text.slice(start, end);
    start = end;
  }
}

/** The entries of memory.md, without headings, that a month is summed up beside: the newest that there is room for. */
export function rememberedEntries(document: string): string[] {
  const entries: string[] = [];
  let weight = 0;
  for (const { text } of entriesOf(document).reverse()) {
    if (text.startsWith("#")) continue;
    weight += weigh(text);
    if (entries.length === REMEMBERED_MAX || weight > REMEMBERED_CHARS_MAX) break;
    entries.unshift(text);
  }
  return entries;
}

/**
 * The entries of memory.md that a roll-up drops: each in favour of another that stays. An entry stays if it was not
 * there when the sources were summed up, or if it names no other: so no text among the sources can empty the memory.
 */
export function droppedBy({ status, resultType, result }: Result, { remembered = [] }: RollUp): string[] {
  if (status !== "done" || resultType !== "summary") return [];
  const { dropped = [] } = RESULT_SCHEMAS.summary.parse(result);
  const isThere = (text: string) => remembered.includes(text);
  const goes = new Set<string>();
  const stays = new Set<string>();
  for (const { drop, keep } of dropped) {
    if (goes.size === DROPPED_MAX) break;
    if (drop === keep || !isThere(drop) || !isThere(keep) || goes.has(keep) || stays.has(drop)) continue;
    goes.add(drop);
    stays.add(keep);
  }
  return [...goes];
}

/** The sources as a model is shown them: data, which its prompt quotes. */
export function sourcesPrompt(sources: readonly SourceText[], remembered: readonly string[] = []): string {
  const texts = sources.map(({ path, text }) => `# ${path}\n\n${shortened(text.trim())}\n`);
  if (remembered.length > 0) texts.push(`# memory.md\n\n${remembered.map((text) => `- ${text}`).join("\n")}\n`);
  return texts.join("\n");
}

/** The conversation itself is kept for ever elsewhere, so that a line without end may lose its middle here. */
function shortened(text: string): string {
  const weight = weigh(text);
  if (weight <= ROLL_UP_CHARS_MAX) return text;
  const half = Math.floor(((ROLL_UP_CHARS_MAX - LEFT_OUT.length) / 2) * (text.length / weight));
  return (text.slice(0, half) + LEFT_OUT + text.slice(-half)).toWellFormed();
}

/** The tries in a row, the last ones, that failed with the sources as they are. */
export interface FailedRollUps {
  count: number;
  /** When the last of them ended, ISO 8601; not known where there is none. */
  lastAt?: string;
}

/** May these sources be tried now? After too many failures they rest until one of them changes. */
export function mayTry({ count, lastAt }: FailedRollUps, nowMs: number): boolean {
  if (count === 0 || lastAt === undefined) return true;
  if (count >= ROLL_UP_TRIES_MAX) return false;
  // A clock that was set back behind the last try must not put off the next by the difference.
  return Math.abs(nowMs - Date.parse(lastAt)) >= (ROLL_UP_BACKOFF_SEC[count - 1] ?? 0) * 1_000;
}

/** The summary that a roll-up has handed in; null where it failed, or where there is nothing in it. */
export function summaryIn({ status, resultType, result }: Result): string | null {
  if (status !== "done" || resultType !== "summary") return null;
  const { summary } = RESULT_SCHEMAS.summary.parse(result);
  return summary.trim() === "" ? null : summary.trim();
}
