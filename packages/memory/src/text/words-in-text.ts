/** How often words are in a folded text. */
import { stem } from "./stem.ts";
import { CJK, UNSPACED } from "./tokenize.ts";

/** Further repeats hardly raise a score. */
const COUNT_MAX = 4;
/** A Latin word of this length finds what begins with it: `deploy` finds `deployment`. */
export const SEEN_CHARS_MIN = 4;
/** So many forms of a word are remembered: in a conversation there are few. */
const FORMS_KEPT_MAX = 1_000;

/** Writing of which the tokenizer makes pairs or words of a dictionary, and what else words are made of. */
const UNDIVIDED = new RegExp(`[${CJK}${UNSPACED}]`, "v");
const LETTER = new RegExp(`[[\\p{L}\\p{N}\\p{M}]--[${CJK}${UNSPACED}]]`, "v");
const JOINT = /[._@:/+-]/;
const CUT_ENDING = /^[a-z]{2,}[ey]$/;

/**
 * How often a word is in a text. Chinese has no spaces: a pair of characters is found wherever it is. A Latin word begins
 * where a word begins, and a longer one finds what begins with it.
 */
export function beginningsOf(word: string): (text: string) => number {
  const isLatin = !UNDIVIDED.test(word);
  const isStem = word.length >= SEEN_CHARS_MIN;
  const { length } = word;
  return (text) => {
    let count = 0;
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + length)) {
      if (isLatin && (isLetterAt(text, at - 1) || (!isStem && isLetterAt(text, at + length)))) continue;
      if (++count === COUNT_MAX) break;
    }
    return count;
  };
}

/** How often any spelling of a word is in a text, as a whole word in any of its forms: `boil` is in `boiling`, not in `boiler`. */
export function wholeWords(forms: readonly string[]): (text: string) => number {
  const counters = forms.map((form) =>
    UNDIVIDED.test(form) ? beginningsOf(form) : JOINT.test(form) ? compoundOf(form) : wordOf(form),
  );
  return (text) => {
    let count = 0;
    for (const counter of counters) count += counter(text);
    return Math.min(COUNT_MAX, count);
  };
}

/** The letters that all forms of a word begin with: `pric` of `price`, which is `pricing` too, and `cop` of `copy`. */
export function commonBeginning(word: string): string {
  return CUT_ENDING.test(word) ? word.slice(0, -1) : word;
}

function wordOf(form: string): (text: string) => number {
  const beginning = commonBeginning(form);
  const known = new Map<string, boolean>();
  const isForm = (word: string) => {
    const told = known.get(word);
    if (told !== undefined) return told;
    const isSame = word === form || stem(word) === form;
    if (known.size < FORMS_KEPT_MAX) known.set(word, isSame);
    return isSame;
  };
  return (text) => {
    let count = 0;
    for (let at = text.indexOf(beginning); at >= 0; at = text.indexOf(beginning, at + beginning.length)) {
      if (isLetterAt(text, at - 1)) continue;
      let end = at + beginning.length;
      while (isLetterAt(text, end)) end++;
      if (isForm(text.slice(at, end)) && ++count === COUNT_MAX) break;
    }
    return count;
  };
}

function compoundOf(form: string): (text: string) => number {
  return (text) => {
    let count = 0;
    for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + form.length))
      if (!isLetterAt(text, at - 1) && !isLetterAt(text, at + form.length) && ++count === COUNT_MAX) break;
    return count;
  };
}

/** Is there a letter or a digit that belongs to a Latin word? Called for every hit, so without a regexp for most. */
function isLetterAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (Number.isNaN(code)) return false;
  if (code < 128) return (code >= 97 && code <= 122) || (code >= 48 && code <= 57);
  return LETTER.test(text.charAt(at));
}
