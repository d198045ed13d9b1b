/** The topic of the talk before a message (SPEC E4). */
import { STOP_WORDS } from "./stop-words.ts";
import { wordsOfHan } from "./tokenize.ts";

export const KEYWORDS_MAX = 6;
export const HISTORY_MESSAGES = 5;

const RUNS = /[\u4e00-\u9fff]{2,}|[[\p{L}\p{M}\p{N}_]--[\u4e00-\u9fff]]{2,}/gv;
const HAN = /[\u4e00-\u9fff]/;

/**
 * The first six keywords of the last five texts of `history`, oldest first, without stop words and repeats; the last text
 * comes first. A run of Chinese characters gives its words; where it has none of two characters, itself.
 */
export function keywordsOf(history: readonly string[], max = KEYWORDS_MAX): string[] {
  const keywords = new Set<string>();
  for (const text of history.slice(-HISTORY_MESSAGES).reverse()) {
    for (const [run] of text.toLowerCase().matchAll(RUNS)) {
      if (keywords.size >= max) break;
      for (const word of HAN.test(run) ? wordsOf(run) : [run]) if (!STOP_WORDS.has(word)) keywords.add(word);
    }
  }
  return [...keywords].slice(0, max);
}

function wordsOf(run: string): string[] {
  const words = wordsOfHan(run).filter((word) => word.length > 1);
  return words.length > 0 ? words : [run];
}
