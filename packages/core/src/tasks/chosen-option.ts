/**
 * Which option of a question a message chooses: by its number, its place ("the second one", 第二个) or its text. Anything else the message
 * says, or any doubt, is for a model to read.
 */

/** A longer message says more than which option it means. */
const SAID_CHARS_MAX = 240;
/** A message that does not give the text of an option says no more than this many words. */
const WORDS_MAX = 12;

const LAST = "last";
type Place = number | typeof LAST;

const ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split(" ");
const CARDINALS = "one two three four five six seven eight nine ten".split(" ");
const HAN_NUMERALS = [..."一二三四五六七八九十"];
const HAN_MEASURES = new Set("个個项項种種条條");
/** Words and characters around a choice that change nothing about it. */
const FILLERS = new Set([
  ..."ok okay yes then well please thanks the i i'd i'll go with take choose pick let's it option number is be".split(
    " ",
  ),
  ..."好的那就嗯行可以我选選择擇要请請吧了谢謝是",
]);
/** After these a numeral is a place. */
const PREFIXES = [["第"], ["选", "项"], ["選", "項"], ["option"], ["number"], ["no"], ["nr"]];

/** A word or a number, or one Chinese character. */
const UNIT = /\p{Script=Han}|[\p{L}\p{N}\p{M}][\p{L}\p{N}\p{M}'’-]*/gu;
const HAN = /\p{Script=Han}/u;
/** Signs that may stand around a place without changing what it says: a question mark, a percent sign or a currency may not. */
const FOREIGN_SIGN = /[^\p{L}\p{N}\p{M}\s.,;:!()[\]"'’“”#*。，、；：！（）「」…-]/u;
const SIGNS_AT_ENDS = new Set([..." \"'“”‘’「」.!。！"]);

/** The option that all of a message chooses; null where it chooses none, or could mean two. */
export function chosenOption(options: readonly string[], said: string): string | null {
  if (said.length > SAID_CHARS_MAX) return null;
  const named = options.filter((option) => plain(said) !== "" && plain(option) === plain(said));
  if (named[0] !== undefined) return only(named);
  if (FOREIGN_SIGN.test(said.normalize("NFKC"))) return null;
  const units = unitsOf(said);
  if (units.length === 0) return null;
  const within = options.filter((option) => isNamedBy(unitsOf(option), units));
  if (within[0] !== undefined) return only(within);
  return units.length > WORDS_MAX ? null : optionAt(options, placeIn(units));
}

/** The same text twice is one choice. */
function only(options: readonly string[]): string | null {
  const [first, ...others] = options;
  return first === undefined || others.some((other) => other !== first) ? null : first;
}

function plain(text: string): string {
  const chars = [...text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ")];
  const isWord = (char: string) => !SIGNS_AT_ENDS.has(char);
  return chars.slice(Math.max(0, chars.findIndex(isWord)), chars.findLastIndex(isWord) + 1).join("");
}

function unitsOf(text: string): string[] {
  const parts = text.normalize("NFKC").toLowerCase().replaceAll("’", "'").match(UNIT) ?? [];
  return parts.flatMap((part) => (part.length > 1 && HAN.test(part) ? splitHan(part) : [part]));
}

/** A number before a Chinese character is a unit of its own: `2个`. */
function splitHan(part: string): string[] {
  const units: string[] = [];
  let word = "";
  for (const char of part) {
    if (!HAN.test(char)) {
      word += char;
      continue;
    }
    if (word !== "") units.push(word);
    units.push(char);
    word = "";
  }
  return word === "" ? units : [...units, word];
}

/** Is the option in there, with nothing but fillers around it? */
function isNamedBy(option: readonly string[], said: readonly string[]): boolean {
  if (option.length === 0 || option.length > said.length) return false;
  for (let start = 0; start + option.length <= said.length; start++) {
    if (!option.every((unit, i) => said[start + i] === unit)) continue;
    const around = [...said.slice(0, start), ...said.slice(start + option.length)];
    if (around.every((unit) => FILLERS.has(unit))) return true;
  }
  return false;
}

/** The one place that the words name; null where they name none, several, or say something else as well. */
function placeIn(units: readonly string[]): Place | null {
  const places: Place[] = [];
  for (let i = 0; i < units.length; ) {
    const found = placeAt(units, i);
    if (found !== null) {
      places.push(found.place);
      i += found.length;
    } else if (FILLERS.has(units[i] ?? "")) i++;
    else return null;
  }
  const [place, ...others] = places;
  return place === undefined || others.length > 0 ? null : place;
}

/** @returns how many units it takes. */
function placeAt(units: readonly string[], i: number): { place: Place; length: number } | null {
  const at = (k: number) => units[i + k] ?? "";
  const withOne = (length: number) => length + (at(length) === "one" ? 1 : 0);
  const ordinal = ordinalOf(at(0));
  if (ordinal !== null) return { place: ordinal, length: withOne(1) };
  if (at(0) === "最" && (at(1) === "后" || at(1) === "後")) {
    const numeral = at(2) === "一" ? 1 : 0;
    return { place: LAST, length: 2 + numeral + (HAN_MEASURES.has(at(2 + numeral)) ? 1 : 0) };
  }
  const prefix = PREFIXES.find((words) => words.every((word, k) => at(k) === word))?.length ?? 0;
  const isAlone = units.length === 1;
  const place = prefix > 0 || isAlone ? numberOf(at(prefix)) : digitsOf(at(0));
  if (place === null) return null;
  const hasMeasure = at(0) === "第" && HAN_MEASURES.has(at(prefix + 1));
  return { place, length: prefix + 1 + (hasMeasure ? 1 : 0) };
}

function ordinalOf(unit: string): Place | null {
  if (unit === LAST) return LAST;
  const digits = /^(\d{1,2})(?:st|nd|rd|th)$/.exec(unit)?.[1];
  return digits === undefined ? indexIn(ORDINALS, unit) : Number(digits);
}

function numberOf(unit: string): number | null {
  return digitsOf(unit) ?? indexIn(CARDINALS, unit) ?? indexIn(HAN_NUMERALS, unit);
}

function digitsOf(unit: string): number | null {
  return /^\d{1,2}$/.test(unit) ? Number(unit) : null;
}

function indexIn(words: readonly string[], unit: string): number | null {
  const index = words.indexOf(unit);
  return index < 0 ? null : index + 1;
}

/** An option that says the number of another one makes the number mean either. */
function optionAt(options: readonly string[], place: Place | null): string | null {
  if (place === null) return null;
  const number = place === LAST ? options.length : place;
  const others = options.filter((_, i) => i + 1 !== number);
  const isMeantOtherwise = others.some((other) => unitsOf(other).some((unit) => says(unit, place)));
  return isMeantOtherwise ? null : (options[number - 1] ?? null);
}

function says(unit: string, place: Place): boolean {
  return ordinalOf(unit) === place || numberOf(unit) === place;
}
