/** Texts as sentences, and what a sentence is about. */
import { fold } from "./fold.ts";
import { STOP_WORDS } from "./stop-words.ts";
import { tokenize } from "./tokenize.ts";

/** A Latin mark ends a sentence only before a space: `3.5` and `v1.2` go on. `¶` stands for a line break in `forgotten.md`. */
const END = /(?<![.!?])[.!?]+["'”’)\]]*(?=\s|$)|[。！？；]+[”’」』）]*|[\n¶]+/g;
const NO_WORD = /[^\p{L}\p{M}\p{N}]+/gu;
const LATIN = /[\p{Script=Latin}\p{N}]/u;

/** The sentences and lines of a text, with all that is between them: joined, they are the text. */
export function sentencesOf(text: string): string[] {
  const sentences: string[] = [];
  let start = 0;
  for (const { index, 0: end } of text.matchAll(END)) {
    sentences.push(text.slice(start, index + end.length));
    start = index + end.length;
  }
  if (start < text.length) sentences.push(text.slice(start));
  return sentences;
}

/** Without case, marks and spaces at the ends; traditional characters are simplified. */
export function plainOf(text: string): string {
  return fold(text).replaceAll(NO_WORD, " ").trim();
}

/** The words that say what a text is about: their stems, without stop words and single letters. */
export function tellingWords(text: string): Set<string> {
  return new Set(tokenize(text).filter((word) => !STOP_WORDS.has(word) && (word.length > 1 || !LATIN.test(word))));
}

/** Is `part` in `text`, and not inside a Latin word? Both are plain. */
export function holdsWhole(text: string, part: string): boolean {
  if (part === "") return false;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) {
    if (!joins(text, at) && !joins(text, at + part.length)) return true;
  }
  return false;
}

/** Are the characters on both sides of this place of one word? */
function joins(text: string, at: number): boolean {
  return at > 0 && at < text.length && LATIN.test(text.charAt(at - 1)) && LATIN.test(text.charAt(at));
}
