/**
 * English words lose what grammar put at their end, so that "decide" finds "decided": the plural, `-ed`, `-ing`, and a
 * final e that goes with them (the inflections of Porter's stemmer). Suffixes that make another word, such as `-ment`,
 * stay.
 */

const STEM_CHARS_MIN = 3;
const VOWEL = /[aeiouy]/;
/** Porter's measure: how often a consonant follows a vowel. */
const SYLLABLE = /[aeiouy][^aeiouy]/g;
/** As in `not(e)` and `hop(e)`: a short word that ends so has lost an e. */
const SHORT = /[^aeiou][aeiouy][^aeiouwxy]$/;
const DOUBLED = /([^aeioulsz])\1$/;

/** @param word in lower case; one that is not made of the letters a to z is returned as it is. */
export function stem(word: string): string {
  return /^[a-z]{4,}$/.test(word) ? withoutE(withoutEnding(singular(word))) : word;
}

/** `notes` is `note` and `copies` is `copy`; what ends like `class`, `status` or `basis` stays. */
function singular(word: string): string {
  if (!word.endsWith("s") || /(?:ss|us|is)$/.test(word)) return word;
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  return /(?:ch|sh|ss|x)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1);
}

/** `planned` and `planning` are `plan`, `noted` is `note`, `copied` is `copy`; `speed` and `string` stay. */
function withoutEnding(word: string): string {
  if (word.length > 4 && word.endsWith("ied")) return `${word.slice(0, -3)}y`;
  if (word.endsWith("eed")) return syllablesOf(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const [, rest] = /^(.*)(?:ed|ing)$/.exec(word) ?? [];
  if (rest === undefined || rest.length < STEM_CHARS_MIN || !VOWEL.test(rest)) return word;
  if (rest.length > STEM_CHARS_MIN && DOUBLED.test(rest)) return rest.slice(0, -1);
  return isShort(rest) ? `${rest}e` : rest;
}

/** `decide` is `decid`, which `decided` has become; `note` and `file` stay apart from `not` and `fill`. */
function withoutE(word: string): string {
  const rest = word.slice(0, -1);
  return word.endsWith("e") && syllablesOf(rest) > 0 && !isShort(rest) ? rest : word;
}

function isShort(word: string): boolean {
  return syllablesOf(word) === 1 && SHORT.test(word);
}

function syllablesOf(word: string): number {
  return word.match(SYLLABLE)?.length ?? 0;
}
