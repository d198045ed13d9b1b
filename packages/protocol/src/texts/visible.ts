/**
 * Text that a person consents to, as it is: every character that leaves no mark on the screen, or moves or covers others, is written
 * out in brackets (`⟨1500 spaces⟩`, `⟨U+202E⟩`). The brackets themselves are written out too, so nothing in the text passes for one of
 * them, and the text can be told from what is shown (docs/autonomy.md#the-answers).
 */
import { beginningOf } from "./whole-characters.ts";

/** Longer runs are written out: spaces and tabs side by side, line breaks with nothing but white space between them. */
interface Layout {
  spacesMax: number;
  tabsMax: number;
  lineBreaksMax: number;
}
const OF_CALL: Layout = { spacesMax: 4, tabsMax: 0, lineBreaksMax: 2 };
/** A skill, a prompt or a diff is indented, and longer than a screen in any case. */
const OF_DOCUMENT: Layout = { spacesMax: 40, tabsMax: 10, lineBreaksMax: 4 };
/** Combining marks that a letter may carry, as in Vietnamese, Hebrew or Hindi; more of them cover what is around. */
const MARKS_MAX = 3;

/**
 * No glyph by category or by property, but for the space, the line break and the tab; assigned characters that are blank, or whose only effect
 * is on their neighbours (fillers, joiners, stackers: Unicode's `Indic_Syllabic_Category=Invisible_Stacker`); and what looks like our brackets.
 */
const UNSEEN =
  "[[" +
  "\\p{C}\\p{Z}\\p{Default_Ignorable_Code_Point}" +
  "\\u2800\\uFFFC\\u{1D159}\\u{13441}\\u{13442}\\u{16FE4}" +
  "\\u1039\\u17D2\\u1A60\\u2D7F\\u{10A3F}\\u{1107F}\\u{11133}\\u{113D0}\\u{1193E}\\u{11A47}\\u{11A99}\\u{11D45}\\u{11D97}\\u{11F42}\\u{1BC9D}" +
  "\\u2039\\u203A\\u2329\\u232A\\u2768-\\u276B\\u276C-\\u2771\\u27E8\\u27E9\\u29FC\\u29FD\\u3008\\u3009\\uFE3F\\uFE40" +
  "]--[ \\n\\t]]";
/** A combining mark is seen behind one of these. */
const BASE = `[[\\p{L}\\p{N}\\p{M}]--${UNSEEN}]`;

const WRITTEN_OUT = new RegExp(
  `[ \\n\\t]+|(${UNSEEN})\\1*|(?<!${BASE})\\p{M}+|(?<=[\\p{M}--${UNSEEN}]{${MARKS_MAX}})\\p{M}`,
  "gv",
);
const NAMES: Record<string, readonly [one: string, many: string]> = {
  " ": ["space", "spaces"],
  "\n": ["line break", "line breaks"],
  "\t": ["tab", "tabs"],
};

/** All of a call, with its layout where that hides nothing. Applied once: what is written out would be written out again. */
export function visible(text: string): string {
  return shown(text, OF_CALL);
}

/** Our own marks: another machine has written the text out before. */
const MARK = /(⟨(?:\d+ )?(?:U\+[0-9A-F]{4,6}|spaces?|tabs?|line breaks?)⟩)/;

/** The same for a text that another machine says it has written out: its marks stay, and everything else is written out here. */
export function visibleFromElsewhere(text: string): string {
  return text
    .split(MARK)
    .map((part, i) => (i % 2 === 1 ? part : visible(part)))
    .join("");
}

/** The same for a text with indentation and paragraphs. */
export function visibleDocument(text: string): string {
  return shown(text, OF_DOCUMENT);
}

/** The same on one line. @param charsMax of its text; a longer one ends with how much is missing. */
export function visibleLine(text: string, charsMax: number): string {
  const line = visible(text).replace(/\n+/g, written);
  if (line.length <= charsMax) return line;
  return `${beginningOf(line, charsMax).toWellFormed()}…⟨${line.length - charsMax} more characters⟩`;
}

function shown(text: string, layout: Layout): string {
  return text.replace(WRITTEN_OUT, (run) =>
    /^[ \n\t]/.test(run) ? white(run, layout) : run.replace(/(.)\1*/gsu, written),
  );
}

function white(run: string, { spacesMax, tabsMax, lineBreaksMax }: Layout): string {
  const isTall = run.split("\n").length - 1 > lineBreaksMax;
  const mayStay = (part: string) =>
    part.startsWith("\n") || part.length <= (part.startsWith(" ") ? spacesMax : tabsMax);
  return run.replace(/(.)\1*/gs, (part) => (!isTall && mayStay(part) ? part : written(part)));
}

/** One character, or the same several times. */
function written(run: string): string {
  const count = [...run].length;
  const code = run.codePointAt(0) ?? 0;
  const [one, many] = NAMES[String.fromCodePoint(code)] ?? [];
  const name = (count === 1 ? one : many) ?? `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  return count === 1 ? `⟨${name}⟩` : `⟨${count} ${name}⟩`;
}

const WORD = /[[\p{L}\p{N}\p{M}]--\p{Default_Ignorable_Code_Point}](?:[\p{L}\p{N}\p{M}._\-]*[\p{L}\p{N}\p{M}])?/gv;
const LATIN = /\p{Script=Latin}/v;
/** Letters beside which Latin ones are not usual: of the scripts of East Asia none is taken for a Latin letter. */
const OTHER =
  /[\p{L}--[\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]]/v;
/** In the name of a host, Latin letters that are none of ASCII are unusual as well. */
const ODD_IN_HOST = /[[\p{Script=Latin}\p{Nl}]--[a-zA-Z]]/v;

/** The words of a text, such as hosts, that mix letters of several scripts: as they are, and with the unusual letters written out. */
export function mixedWords(text: string): { word: string; written: string }[] {
  const mixed = new Set([...text.matchAll(WORD)].map(([word]) => word).filter(isMixed));
  return [...mixed].map((word) => ({
    word,
    written: [...word].map((letter) => (/[[\p{L}\p{Nl}]--[a-zA-Z]]/v.test(letter) ? written(letter) : letter)).join(""),
  }));
}

function isMixed(word: string): boolean {
  return LATIN.test(word) && (OTHER.test(word) || (word.includes(".") && ODD_IN_HOST.test(word)));
}

/** Letters that are written from right to left: around them a screen may show words in another order than a program reads them. */
export const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/v;
