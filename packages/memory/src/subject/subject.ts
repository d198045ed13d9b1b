/** The subject of a message: the words that decide what is recalled for it. */

import { keywordsOf } from "../text/keywords.ts";
import { drawnTogether } from "../text/letters.ts";
import { monthsIn, YEAR_WORD } from "../text/months.ts";
import { simplify } from "../text/simplify.ts";
import { GERMAN_ONLY, isGerman, STOP_WORDS } from "../text/stop-words.ts";
import { spellingsOf, tokensIn, wordsOfHan } from "../text/tokenize.ts";
import { isCommon, isPleasantry, isTellingCharacter, withoutPhrases } from "./common-words.ts";

/** Of a longer message the first words count: each costs a scan. */
export const SUBJECT_WORDS_MAX = 16;
/** Words of the two messages before it, where it needs them. */
const TOPIC_WORDS_MAX = 16;
const TOPIC_MESSAGES = 2;
/** Words that stand for something said before, and words that may. */
const PRONOUN = /(?<![\p{L}\p{N}])(?:it|its|they|them|those|these|he|she|him|es|ihn|ihm|sie)(?![\p{L}\p{N}])|[它他她]/u;
const POINTING = /(?<![\p{L}\p{N}])(?:this|that|das|dies|der|dem|den|die)(?![\p{L}\p{N}])|[这那]/u;

const HAN_RUNS = /\p{Script=Han}+/gu;

export interface SubjectWord {
  /** Its spellings, as `tokenize` makes words. */
  forms: string[];
  /** In so many texts that it alone is no reason to recall one. */
  isCommon: boolean;
  /** Other words say the same: it counts where it is found, and is not missed where it is not. */
  isExtra: boolean;
}

export interface Subject {
  words: SubjectWord[];
  /** For a message that only says "it": words of what was said before, of which a text must have one. */
  topic: SubjectWord[] | null;
  /** The months and years that it names: `month-03`, `2026`. */
  dates: string[];
}

/**
 * @param before the earlier messages, oldest first.
 * @returns null where a message is about nothing: thanks, a yes, "go on", or only words that anything may have.
 */
export function subjectOf(asked: string, before: readonly string[]): Subject | null {
  const words = informativeWords(asked).slice(0, SUBJECT_WORDS_MAX);
  const told = words.filter(({ isExtra }) => !isExtra);
  const lower = asked.toLowerCase();
  const dates = [...new Set([...monthsIn(lower), ...words.flatMap(({ forms }) => forms).filter(isYear)])];
  if (words.length === 0) return null;
  const isOwn = words.some((word) => !word.isCommon && !word.isExtra) || hasTellingCharacter(asked);
  const refersBack = PRONOUN.test(lower);
  if (isOwn && (told.length > 1 || !refersBack)) return { words, topic: null, dates };
  if (!refersBack && !POINTING.test(lower)) return null;
  const topic = topicOf(before);
  return topic.length === 0 ? null : { words, topic, dates };
}

/** Names of one character, as 茶, are in no pair that is a word; nor are words that the segmenter does not know. */
function hasTellingCharacter(text: string): boolean {
  const runs = withoutPhrases(simplify(text)).match(HAN_RUNS) ?? [];
  return runs.some((run) => wordsOfHan(run).some((word) => word.length === 1 && isTellingCharacter(word)));
}

function topicOf(before: readonly string[]): SubjectWord[] {
  const keywords = keywordsOf(before.slice(-TOPIC_MESSAGES), TOPIC_WORDS_MAX * 2);
  return informativeWords(keywords.join(" "))
    .filter((word) => !word.isCommon && !word.isExtra)
    .slice(0, TOPIC_WORDS_MAX);
}

/** The words of a text without stop words, courtesies and repeats. */
function informativeWords(text: string): SubjectWord[] {
  const tokens = tokensIn(withoutPhrases(simplify(text)));
  const isForeign = isGerman(tokens.map(({ word }) => word));
  const words = new Map<string, SubjectWord>();
  for (const { word, isExtra } of tokens) {
    if (word.length < 2 || STOP_WORDS.has(word) || isPleasantry(word) || (isForeign && GERMAN_ONLY.has(word))) continue;
    if (words.has(word)) continue;
    const drawn = words.get(drawnTogether(word));
    if (isExtra && drawn !== undefined) {
      drawn.forms.push(word);
      continue;
    }
    words.set(word, { forms: spellingsOf(word), isCommon: isCommon(word), isExtra: isExtra || isYear(word) });
  }
  const all = [...words.values()];
  // A run that the segmenter cuts into single characters has only pairs.
  return all.some(({ isExtra }) => !isExtra) || !hasTellingCharacter(text)
    ? all
    : all.map((word) => ({ ...word, isExtra: false }));
}

function isYear(word: string): boolean {
  return YEAR_WORD.test(word);
}
