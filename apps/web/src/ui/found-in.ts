/** Where what was looked for stands in a text: the words as the search finds them, in their other forms too. Pure. */
import { stem } from "@mimikit/memory/text/stem";
import { STOP_WORDS } from "@mimikit/memory/text/stop-words";

export interface TextPiece {
  text: string;
  isFound: boolean;
}

/** A run of writing without spaces, or a word; what joins the parts of an identifier parts it here. */
const WORDS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+|[\p{L}\p{N}]+/gu;
const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
/** A word of this length marks what begins with it: `deploy` in `deployment`. */
const BEGINNING_CHARS_MIN = 4;
/** Where the first find stands further in, by either measure, what is before it is cut away. */
const HEAD_CHARS_MAX = 200;
const HEAD_LINES_MAX = 3;
/** Of what is before the first find so much stays. */
const LEAD_CHARS = 60;

/** The text in pieces, from a little before the first find on. Nothing is cut where nothing is found. */
export function piecesOf(text: string, query: string): TextPiece[] {
  const isSought = soughtBy(query);
  const found = [...text.matchAll(WORDS)].flatMap(({ 0: word, index }) =>
    isSought(word).map(([from, to]): [number, number] => [index + from, index + to]),
  );
  const start = startOf(text, found[0]?.[0] ?? 0);
  const pieces: TextPiece[] = [];
  let end = start;
  const add = (to: number, isFound: boolean) => {
    if (to > end) pieces.push({ text: text.slice(end, to), isFound });
    end = Math.max(end, to);
  };
  for (const [from, to] of found) {
    add(from, false);
    add(to, true);
  }
  add(text.length, false);
  const [first] = pieces;
  if (start > 0 && first !== undefined) first.text = `…${first.text}`;
  return pieces;
}

function startOf(text: string, first: number): number {
  const head = text.slice(0, first);
  if (first <= HEAD_CHARS_MAX && head.split("\n").length <= HEAD_LINES_MAX) return 0;
  const lineStart = head.lastIndexOf("\n") + 1;
  if (lineStart > 0 && first - lineStart <= LEAD_CHARS) return lineStart;
  const start = first - LEAD_CHARS;
  // Never between the halves of a character.
  return /^[\uDC00-\uDFFF]/.test(text.slice(start)) ? start + 1 : start;
}

/** Says of a word of the text which parts of it were looked for. */
function soughtBy(query: string): (word: string) => [from: number, to: number][] {
  const words = (query.match(WORDS) ?? []).map((word) => word.toLowerCase());
  const telling = words.filter((word) => !STOP_WORDS.has(word));
  const sought = telling.length > 0 ? telling : words;
  const stems = new Set(sought.map(stem));
  const beginnings = sought.filter((word) => word.length >= BEGINNING_CHARS_MIN);
  const runs = sought.filter((word) => WITHOUT_SPACES.test(word));
  return (word) => {
    const lower = word.toLowerCase();
    if (WITHOUT_SPACES.test(word)) return runsIn(lower, runs);
    const isSought = stems.has(stem(lower)) || beginnings.some((beginning) => lower.startsWith(beginning));
    return isSought ? [[0, word.length]] : [];
  };
}

/** The runs that were looked for; of one that is not there as a whole, its pairs. */
function runsIn(text: string, runs: readonly string[]): [from: number, to: number][] {
  const parts = runs.flatMap((run) => (text.includes(run) ? [run] : pairsOf(run)));
  if (parts.length === 0) return [];
  // Only letters are in there, so nothing needs to be escaped; the longest first.
  const pattern = new RegExp(parts.sort((a, b) => b.length - a.length).join("|"), "gu");
  return [...text.matchAll(pattern)].map(({ 0: part, index }) => [index, index + part.length]);
}

function pairsOf(run: string): string[] {
  const characters = [...run];
  if (characters.length < 3) return [run];
  return characters.slice(1).map((character, i) => `${characters[i]}${character}`);
}
