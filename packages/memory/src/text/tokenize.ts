/**
 * Text becomes the words that it can be found by. Latin words are their stems; a compound (a path, a
 * version, an identifier) is its whole and its parts; Chinese has no spaces, so a run of characters counts as the words
 * that the segmenter sees in it and as every pair of neighbours: a query that is cut differently from the text still
 * meets it (SPEC E4). Traditional characters count as their simplified ones.
 */
import { monthsIn } from "./months.ts";
import { simplify } from "./simplify.ts";
import { stem } from "./stem.ts";
import { STOP_WORDS } from "./stop-words.ts";

/** Characters of writing without spaces, or whose words are not cut at them, and the mark of long vowels, U+30FC. */
const CJK = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u30FC`;
/** A run of such characters, or words that single marks join: `docs/deploy.md`, `v1.2.3`, `ops@example.com`. */
const RUNS = new RegExp(`[${CJK}]+|[[\\p{L}\\p{N}_]--[${CJK}]]+(?:[.@:\\/+\\-][[\\p{L}\\p{N}_]--[${CJK}]]+)*`, "gv");
const HAS_CJK = new RegExp(`[${CJK}]`, "v");
const JOINTS = /[._@:/+-]+/;
/** Between `deploy` and `Worker`, and between `HTTP` and `Server`. */
const HUMPS = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const VERSION = /^v(\d+(?:\.\d+)+)$/;

const segmenter = new Intl.Segmenter("zh", { granularity: "word" });

/**
 * The tokens of `text` in order, lower case, repeats included; the months it speaks of come last.
 * @param formOf what becomes of a Latin word that is no stop word
 */
export function tokenize(text: string, formOf: (word: string) => string = stem): string[] {
  const plain = simplify(text.normalize("NFKC"));
  const words = (plain.match(RUNS) ?? []).flatMap((run) =>
    HAS_CJK.test(run) ? tokensOfCjk(run) : tokensOfLatin(run, formOf),
  );
  return [...words, ...monthsIn(plain.toLowerCase())];
}

/** The words of a run of Chinese characters as the segmenter cuts them. */
export function wordsOfHan(run: string): string[] {
  return [...segmenter.segment(run)].map(({ segment }) => segment);
}

/** The words of two characters are pairs already; a single character counts only where it stands alone. */
function tokensOfCjk(run: string): string[] {
  const characters = [...run.toLowerCase()];
  if (characters.length === 1) return characters;
  const pairs = characters.slice(1).map((character, i) => `${characters[i]}${character}`);
  const words = wordsOfHan(run.toLowerCase()).filter((word) => [...word].length > 2);
  return [...pairs, ...words];
}

/** A part of one character says nothing, and neither does a compound's whole a second time. */
function tokensOfLatin(run: string, formOf: (word: string) => string): string[] {
  const whole = run.toLowerCase();
  const parts = run.split(JOINTS).flatMap((part) => [part, ...part.split(HUMPS)]);
  const number = VERSION.exec(whole)?.[1];
  const telling = parts.filter((part) => part.length > 1).map((part) => part.toLowerCase());
  const form = (word: string) => (STOP_WORDS.has(word) ? word : formOf(word));
  return [...new Set([form(whole), ...(number === undefined ? [] : [number]), ...telling.map(form)])];
}
