/**
 * Estimates how many tokens a text costs, in one pass and without a vocabulary. The costs are set so that the estimate is
 * at least 0.8 of what the tokenizers of OpenAI count for any script, code, base64 and digits
 * (test/core/memory/weigh.test.ts); for English prose it is close to their count.
 */

/** Characters of English prose in a token; a letter of a word costs this part of one. */
export const CHARS_PER_TOKEN = 3.7;
const LETTER = 1 / CHARS_PER_TOKEN;

/** A digit is a token of its own for Qwen, Gemma and SmolLM; for OpenAI and Llama 3, three of them are. */
const DIGIT = 0.85;
const UPPER = 0.5;
const PUNCTUATION = 0.65;
const NEWLINE = 0.5;
/** Each further space of an indentation, or further `-` of a rule. */
const REPEATED = 0.1;
/** Words are torn where upper case follows lower case, and where letters and digits meet. */
const TEAR = 0.65;

/** The tokens of a character outside ASCII, by the last code point of each range. */
const RANGES: readonly (readonly [last: number, tokens: number])[] = [
  [0x02ff, 1.3], // accented Latin: it tears the word, too
  [0x036f, 1], // combining marks
  [0x03ff, 1], // Greek
  [0x052f, 0.6], // Cyrillic
  [0x058f, 2.1], // Armenian
  [0x05ff, 1.2], // Hebrew
  [0x06ff, 1.05], // Arabic
  [0x08ff, 1.6], // Syriac and other scripts of few texts
  [0x097f, 1.3], // Devanagari
  [0x0dff, 2.2], // other scripts of India
  [0x0e7f, 1.3], // Thai
  [0x10ff, 2.2], // Lao, Tibetan, Burmese, Georgian
  [0x1dff, 2.6], // parts of Korean syllables, Ethiopic, Khmer, Mongolian
  [0x1fff, 1.5], // Vietnamese, polytonic Greek
  [0x206f, 1.2], // dashes and quotation marks
  [0x2bff, 1.5], // arrows, boxes, signs
  [0x2fff, 2.5],
  [0x30ff, 1], // Japanese
  [0x33ff, 2],
  [0x4dbf, 2.5], // rare Chinese
  [0x9fff, 1.17], // Chinese
  [0xabff, 2.5],
  [0xd7af, 1.1], // Korean
  [0xfaff, 2.5],
  [0xfeff, 1.6], // forms of Arabic, variation selectors
  [0xffff, 1.2], // wide forms
  [0x1f000, 3.5], // dead scripts, mathematical letters
  [0x1fbff, 2.8], // emoji
  [0x10ffff, 3.5],
];

const isDigit = (code: number) => code >= 48 && code <= 57;
const isUpper = (code: number) => code >= 65 && code <= 90;
const isLower = (code: number) => code >= 97 && code <= 122;

/** @param before the code point before it; 0 where there is none. */
function tokensOfCode(code: number, before: number): number {
  if (code > 127) return RANGES.find(([last]) => code <= last)?.[1] ?? 1;
  if (isLower(code)) return isDigit(before) ? LETTER + TEAR : LETTER;
  if (isUpper(code)) return isUpper(before) ? UPPER : isLower(before) || isDigit(before) ? LETTER + TEAR : LETTER;
  if (isDigit(code)) return DIGIT;
  if (code === before) return REPEATED;
  if (code === 32) return LETTER;
  return code === 10 ? NEWLINE : PUNCTUATION;
}

/** The estimated tokens of `text`, unrounded. @param before the text that precedes it, of which the last character counts. */
export function countTokens(text: string, before = ""): number {
  let tokens = 0;
  let last = before === "" ? 0 : before.charCodeAt(before.length - 1);
  for (let i = 0; i < text.length; i++) {
    const code = text.codePointAt(i) ?? 0;
    tokens += tokensOfCode(code, last);
    last = code;
    if (code > 0xffff) i++;
  }
  return tokens;
}

/** The characters of English prose that cost as many tokens as `text`: for bounds that hold in any script. */
export function weigh(text: string): number {
  // Rounded: prose weighs exactly its characters.
  return Math.round(countTokens(text) * CHARS_PER_TOKEN * 1_000) / 1_000;
}
