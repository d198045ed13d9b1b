/** What may be asked of memory, and what comes back: the same, whichever way it was found. */
import { STOP_WORDS, tokenize } from "./tokenize.ts";

export const HITS_DEFAULT = 5;
export const HITS_MAX = 50;
/** What of a longer query is looked at. */
export const QUERY_CHARS_MAX = 10_000;
export const QUERY_WORDS_MAX = 64;

/** Where memory is. */
export interface MemoryPlace {
  /** The state directory. */
  home: string;
  workDir: string;
}

export interface MemoryQuery extends MemoryPlace {
  query: string;
  /** 1 to 50; left out, 5. */
  limit?: number | undefined;
  /** Only sources whose names begin with one of these: `memory/summary/`. */
  sources?: readonly string[] | undefined;
  /** Only what has a day from this one on, `YYYY-MM-DD`: by the name of its file, or else when that was changed. */
  after?: string | undefined;
  /** Only what has a day up to this one, inclusive. */
  before?: string | undefined;
}

/** The words that a query is about, without repeats. Stop words only count where the query has nothing else. */
export function wordsToFind(query: string): string[] {
  const words = [...new Set(tokenize(query.slice(0, QUERY_CHARS_MAX)))];
  const telling = words.filter((word) => !STOP_WORDS.has(word));
  return (telling.length > 0 ? telling : words).slice(0, QUERY_WORDS_MAX);
}

export function limitOf({ limit = HITS_DEFAULT }: MemoryQuery): number {
  return Math.min(Math.max(Math.trunc(limit), 1), HITS_MAX);
}
