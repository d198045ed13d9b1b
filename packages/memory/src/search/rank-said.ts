/** How messages are ranked: BM25, and what counts beside it. */
import { DATE_WEIGHT, YEAR_WORD } from "../text/months.ts";
import type { SaidEntries } from "./said-entries.ts";
import type { SearchEntry } from "./said-entry.ts";

/** BM25: how soon repeats stop to count, and how much the length of a message matters (SPEC E5). */
const K1 = 1.2;
const B = 0.75;
/**
 * The newest messages count a fifth more than very old ones, and half of that a quarter earlier: of two similar messages
 * the later wins, and one that matches better wins over both.
 */
const RECENCY_BOOST = 0.2;
const RECENCY_HALF_LIFE_MS = 90 * 86_400_000;
/** A question counts so much less than a statement: a user who asks again wants the answer, not the question. */
const QUESTION_WEIGHT = 0.5;
/** The length of a message is told from so many of them, spread over all. */
const SAMPLE_MAX = 1_000;
/** Characters kept before the first found word where a long text is cut. */
const LEAD_CHARS = 100;
/**
 * The tokenizer's form of "in March" and of 三月. By itself a month finds nothing, or everything that was said then would
 * be found; a year finds what speaks of it.
 */
export const MONTH_WORD = /^month-(\d{2})$/;

/** The weight of so many repeats of a word in a message. @param length in mean lengths. */
export function weigh(count: number, length: number, b = B): number {
  return (count * (K1 + 1)) / (count + K1 * (1 - b + b * length));
}

/** @returns the score of a message with what its time and its form add, for a query with these words. */
export function timed(words: readonly string[], newestMs: number): (entry: SearchEntry, score: number) => number {
  const months = words.flatMap((word) => MONTH_WORD.exec(word)?.[1] ?? []).map(Number);
  const years = words.filter((word) => YEAR_WORD.test(word)).map(Number);
  return ({ atMs, folded }, score) => {
    const saidOn = new Date(atMs);
    const ofMonth = months.includes(saidOn.getUTCMonth() + 1) ? DATE_WEIGHT : 0;
    const ofYear = years.includes(saidOn.getUTCFullYear()) ? DATE_WEIGHT : 0;
    const weight = folded.trimEnd().endsWith("?") ? QUESTION_WEIGHT : 1;
    const ageMs = Math.max(0, newestMs - atMs);
    return (score + ofMonth + ofYear) * weight * (1 + RECENCY_BOOST * 2 ** (-ageMs / RECENCY_HALF_LIFE_MS));
  };
}

/** The mean length of the messages, in characters. */
export function meanOf(all: SaidEntries): number {
  const step = Math.max(1, Math.floor(all.length / SAMPLE_MAX));
  let chars = 0;
  let count = 0;
  for (let place = 0; place < all.length; place += step) {
    chars += all.at(place)?.chars ?? 0;
    count++;
  }
  return Math.max(1, chars / Math.max(1, count));
}

/** The places of the highest scores above 0, the highest first; of equal ones the last comes first. */
export function best(scores: Float64Array, limit: number): number[] {
  const places: number[] = [];
  const scoreAt = (place: number | undefined) => (place === undefined ? 0 : (scores[place] ?? 0));
  for (let i = scores.length - 1; i >= 0; i--) {
    const score = scoreAt(i);
    if (score <= (places.length < limit ? 0 : scoreAt(places.at(-1)))) continue;
    const rank = places.findIndex((place) => scoreAt(place) < score);
    places.splice(rank < 0 ? places.length : rank, 0, i);
    if (places.length > limit) places.pop();
  }
  return places;
}

/** A long text from a little before the first word that was found in it. */
export function excerpt(text: string, folded: string, words: readonly string[], charsMax: number): string {
  if (text.length <= charsMax) return text;
  const places = words.map((word) => folded.indexOf(word)).filter((at) => at >= 0);
  const first = Math.min(...places);
  // The folded text may be longer than the text: never begin beyond the last piece of it.
  const last = text.length - charsMax;
  const isInHead = !Number.isFinite(first) || first + LEAD_CHARS < charsMax;
  const start = isInHead ? 0 : Math.min(last, Math.max(0, first - LEAD_CHARS));
  const end = start + charsMax;
  return `${start > 0 ? "… " : ""}${text.slice(start, end).toWellFormed()}${end < text.length ? "… [truncated]" : ""}`;
}
