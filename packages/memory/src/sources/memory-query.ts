/** Queries to memory and their results: the same, whichever way they were found. */
import { sentence } from "@mimikit/protocol/texts/coded";
import { z } from "zod";
import type { Subject } from "../subject/subject.ts";
import { GERMAN_ONLY, isGerman, STOP_WORDS } from "../text/stop-words.ts";
import { spellingsOf, tokenize } from "../text/tokenize.ts";
import { SEEN_CHARS_MIN } from "../text/words-in-text.ts";

export const HITS_DEFAULT = 5;
export const HITS_MAX = 50;
/** The part of a longer query that is used. */
export const QUERY_CHARS_MAX = 10_000;
export const QUERY_WORDS_MAX = 64;

/** The queries to memory that people and programs may make, beside its place. */
export const MemorySearch = z.strictObject({
  query: z.string().min(1).max(QUERY_CHARS_MAX),
  /** Left out, 5. */
  limit: z.number().int().min(1).max(HITS_MAX).optional(),
  /** Only sources whose names begin with one of these: `memory/summary/`. */
  sources: z.array(z.string().min(1)).optional(),
  /** Only what has a day from this one on: by the name of its file, or else when that was changed. */
  after: z.iso.date({ error: sentence("wrong_day") }).optional(),
  /** Only what has a day up to this one, inclusive. */
  before: z.iso.date({ error: sentence("wrong_day") }).optional(),
});
export type MemorySearch = z.infer<typeof MemorySearch>;

/** Where memory is. */
export interface MemoryPlace {
  /** The state directory. */
  home: string;
  workDir: string;
  /** Asked before a source is read, by its path and a text that changes with it. @returns false where it is left out. */
  mayRead?: (path: string, stamp: string) => boolean;
}

export type MemoryQuery = MemoryPlace &
  MemorySearch & {
    /** Only what has enough of this, in whole words. */
    subject?: Subject;
    /** Leaves out what a note has word by word of what was said from then on, in milliseconds since 1970. */
    saidFromMs?: number;
  };

/** The words that a query is about, without repeats. Stop words only count where the query has nothing else. */
export function wordsToFind(query: string): string[] {
  return telling(tokenize(query.slice(0, QUERY_CHARS_MAX)));
}

/**
 * The same where they are looked for in texts as they stand: a word in which its stem is not to be seen, as `copy` is not
 * in `copies`, comes after the stems.
 */
export function wordsToScan(query: string): string[] {
  const stems = wordsToFind(query);
  const isSeen = (word: string) => stems.some((each) => each.length >= SEEN_CHARS_MIN && word.startsWith(each));
  const asked = telling(tokenize(query.slice(0, QUERY_CHARS_MAX), (word) => word));
  const all = [...stems, ...asked.filter((word) => !isSeen(word))];
  return [...new Set(all.flatMap(spellingsOf))].slice(0, QUERY_WORDS_MAX);
}

function telling(tokens: readonly string[]): string[] {
  const words = [...new Set(tokens)];
  const isForeign = isGerman(words);
  const about = words.filter((word) => !STOP_WORDS.has(word) && !(isForeign && GERMAN_ONLY.has(word)));
  return (about.length > 0 ? about : words).slice(0, QUERY_WORDS_MAX);
}

export function limitOf({ limit = HITS_DEFAULT }: MemoryQuery): number {
  return Math.min(Math.max(Math.trunc(limit), 1), HITS_MAX);
}
