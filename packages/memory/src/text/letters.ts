/** Letters that are searched as others: `é` as `e`, `ß` as `ss`. */

/** Letters of Latin and Greek with marks, and the marks themselves where they stand alone. */
const MARKED = /[\u00c0-\u024f\u0370-\u03ff\u1e00-\u1fff]|[\u0300-\u036f]/g;
/** The vowel points of Hebrew and Arabic, which are rarely written. */
const POINTS = /[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u0652\u0670]/g;
const PLAIN = /^[\0-\u00bf]*$/;
const MARKS = /\p{M}/gu;
/** Letters that are not made of another letter and a mark. */
const OTHERS: Readonly<Record<string, string>> = {
  ß: "ss",
  ẞ: "SS",
  æ: "ae",
  Æ: "AE",
  œ: "oe",
  Œ: "OE",
  ø: "o",
  Ø: "O",
  ł: "l",
  Ł: "L",
  đ: "d",
  Đ: "D",
  ı: "i",
};
/** German writes `ue` where there is no `ü`. */
const UMLAUTS = /[äöüÄÖÜ]/g;
const WRITTEN_OUT = /(?:a|o|u)e/g;
const HAS_UMLAUT = /[äöüÄÖÜ]/;

/** The text without the marks of its letters. Only letters that others replace change the length. */
export function withoutAccents(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.normalize("NFC").replace(MARKED, plainOf).replace(POINTS, "");
}

function plainOf(letter: string): string {
  return OTHERS[letter] ?? letter.normalize("NFD").replace(MARKS, "");
}

/** Does a word have a letter that German also writes as two? */
export function hasUmlaut(word: string): boolean {
  return HAS_UMLAUT.test(word);
}

/** `Mueller` for `Müller`. */
export function writtenOut(word: string): string {
  return word.normalize("NFC").replace(UMLAUTS, (letter) => `${plainOf(letter)}e`);
}

/** `muller` for `mueller`, in lower case; the same word where it has no such letters. */
export function drawnTogether(word: string): string {
  return word.replace(WRITTEN_OUT, (letters) => letters.slice(0, 1));
}
