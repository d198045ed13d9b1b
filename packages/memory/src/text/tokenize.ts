/**
 * Text becomes the words that it can be found by. Latin words are their stems, without accents; a compound (a path, a
 * version, an identifier) is its whole and its parts; Chinese has no spaces, so a run of characters counts as the words
 * that the segmenter sees in it and as every pair of neighbours: a query that is cut differently from the text still
 * meets it (SPEC E4). Traditional characters count as their simplified ones. Thai and its like are the words that the
 * segmenter sees.
 */
import { drawnTogether, hasUmlaut, withoutAccents, writtenOut } from "./letters.ts";
import { monthsIn } from "./months.ts";
import { simplify } from "./simplify.ts";
import { stem } from "./stem.ts";
import { STOP_WORDS } from "./stop-words.ts";

/** Characters of writing without spaces, or whose words are not cut at them, and the mark of long vowels, U+30FC. */
export const CJK = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u30FC`;
/** Writing without spaces whose words a dictionary knows. */
export const UNSPACED = String.raw`\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`;
const LETTER = String.raw`[\p{L}\p{N}\p{M}_]--[${CJK}${UNSPACED}]`;
/** A run of such characters, or words that single marks join: `docs/deploy.md`, `v1.2.3`, `ops@example.com`. */
const RUNS = new RegExp(`[${CJK}]+|[${UNSPACED}]+|[${LETTER}]+(?:[.@:\\/+\\-][${LETTER}]+)*`, "gv");
const HAS_CJK = new RegExp(`[${CJK}]`, "v");
const HAS_UNSPACED = new RegExp(`[${UNSPACED}]`, "v");
const HANGUL = /\p{Script=Hangul}/u;
const JOINTS = /[._@:/+-]+/;
/** Between `deploy` and `Worker`, and between `HTTP` and `Server`. */
const HUMPS = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const VERSION = /^v(\d+(?:\.\d+)+)$/;

const segmenter = new Intl.Segmenter("zh", { granularity: "word" });

export interface Token {
  word: string;
  /** Other tokens say the same: it is the whole of a compound, or a pair that is no word. */
  isExtra: boolean;
}

/**
 * The tokens of `text` in order, lower case, repeats included; the months it speaks of come last.
 * @param formOf what becomes of a Latin word that is no stop word
 */
export function tokenize(text: string, formOf: (word: string) => string = stem): string[] {
  const plain = simplify(text.normalize("NFKC"));
  const words = runsOf(plain).flatMap((run) => tokensOf(run, formOf).map(({ word }) => word));
  return [...words, ...monthsIn(plain.toLowerCase())];
}

/** The same without months, and for each token whether others say the same. */
export function tokensIn(text: string): Token[] {
  return runsOf(simplify(text.normalize("NFKC"))).flatMap((run) => tokensOf(run, stem));
}

function runsOf(plain: string): string[] {
  return plain.match(RUNS) ?? [];
}

function tokensOf(run: string, formOf: (word: string) => string): Token[] {
  if (HAS_CJK.test(run)) return tokensOfCjk(run.toLowerCase());
  if (HAS_UNSPACED.test(run)) return wordsOfHan(run).map((word) => ({ word, isExtra: false }));
  return tokensOfLatin(run, formOf);
}

/** The words of a run of Chinese or Thai characters as the segmenter cuts them. */
export function wordsOfHan(run: string): string[] {
  return [...segmenter.segment(run)].map(({ segment }) => segment);
}

/** The words of two characters are pairs already; a single character counts only where it stands alone. */
function tokensOfCjk(run: string): Token[] {
  const characters = [...run];
  if (characters.length === 1) return [{ word: run, isExtra: false }];
  const words = wordsOfHan(run);
  const pairs = characters.slice(1).map((character, i) => `${characters[i]}${character}`);
  const known = new Set(words.filter((word) => [...word].length === 2));
  // Korean words carry endings: what is the same in them is their pairs.
  const isPairWord = (pair: string) => known.has(pair) || HANGUL.test(pair);
  return [
    ...pairs.map((word) => ({ word, isExtra: !isPairWord(word) })),
    ...words.filter((word) => [...word].length > 2).map((word) => ({ word, isExtra: HANGUL.test(word) })),
  ];
}

/** A part of one character says nothing, and neither does a compound's whole a second time. */
function tokensOfLatin(run: string, formOf: (word: string) => string): Token[] {
  const form = (word: string) => (STOP_WORDS.has(word) ? word : formOf(word));
  const lower = (word: string) => withoutAccents(word).toLowerCase();
  const whole = lower(run);
  const parts = run.split(JOINTS).flatMap((part) => [part, ...part.split(HUMPS)]);
  const number = VERSION.exec(whole)?.[1];
  const telling = parts.map(lower).filter((part) => part.length > 1);
  const out = hasUmlaut(run) ? parts.filter(hasUmlaut).map((part) => form(lower(writtenOut(part)))) : [];
  const isCompound = telling.some((part) => part !== whole);
  const tokens = new Map([[form(whole), isCompound]]);
  if (number !== undefined) tokens.set(number, false);
  for (const part of telling) if (!tokens.has(form(part))) tokens.set(form(part), false);
  for (const word of out) tokens.set(word, true);
  return [...tokens].map(([word, isExtra]) => ({ word, isExtra }));
}

/** Other ways to write a word of a query, which a text may have: `muller` for `mueller`. */
export function spellingsOf(word: string): string[] {
  const together = drawnTogether(word);
  return together === word ? [word] : [word, together];
}
