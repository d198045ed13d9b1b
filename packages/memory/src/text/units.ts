/** A hit is a paragraph or a list item, not a file, so that what is put before a role is what it asked for. */
import { fold } from "./fold.ts";
import { headingOf } from "./heading.ts";
import { monthsIn } from "./months.ts";
import { tokenize } from "./tokenize.ts";

export const HIT_CHARS_MAX = 300;

/** Characters kept before the first found word where a long text is cut. */
const LEAD_CHARS = 60;
const COMMENT = /<!--[\s\S]*?(?:-->|$)/g;
const DATED = /^(\d{4}-\d{2}(?:-\d{2})?)?-?(.*)$/;
/** As a note has a message: when it was said, and by whom. */
const SAID = /^(\d{4}-\d{2}-\d{2}T[\d:.]+Z) (?:user|assistant|system): /;
const LIST_ITEM = /^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?/;

export interface TextUnit {
  /** As it is shown, on one line. */
  text: string;
  /** The words that find it: its own, repeats included, and those of its file's name and of the headings above it. */
  words: string[];
}

/** The headings above a place in a source. */
interface Headings {
  above: readonly string[];
  /** The nearest one where nothing follows it yet; empty where something does. */
  pending: string;
}

/** Up to where a source was read so that it can be read on from there: what is added at its end changes nothing before. */
export interface Settled extends Headings {
  /** How many characters are before. */
  chars: number;
}

export const BEGINNING: Settled = { chars: 0, above: [], pending: "" };

/** @returns the units of a source from `from` on: those that stay as they are when it grows, where they end, and the last ones. */
export function readUnits(
  name: string,
  markdown: string,
  from: Settled,
): { settled: Settled; kept: TextUnit[]; last: TextUnit[] } {
  const file = name.slice(name.lastIndexOf("/") + 1, -".md".length);
  const [, date = "", slug = ""] = DATED.exec(file) ?? [];
  // Each word that is added makes a unit longer, and so its other words weigh less: the parts of a date are left out.
  const ofFile = [...(date === "" ? [] : [date, ...monthsIn(date)]), ...tokenize(slug)];
  const found = ({ text, above }: Piece): TextUnit => ({
    text,
    words: [...tokenize(text), ...new Set([...ofFile, ...tokenize(above.join(" "))])],
  });
  // A copy: V8 keeps the whole of a text as long as there is a slice of it.
  const rest = from.chars === 0 ? markdown : Buffer.from(markdown.slice(from.chars)).toString();
  const chars = lastOpening(rest);
  const { pieces, headings } = split(rest.slice(0, chars), from);
  return {
    settled: { chars: from.chars + chars, ...headings },
    kept: pieces.map(found),
    last: splitUnits(rest.slice(chars), headings).map(found),
  };
}

/** Where the last whole line begins that ends the unit before it, whatever follows it; 0 where there is none. */
function lastOpening(markdown: string): number {
  const comments = [...markdown.matchAll(COMMENT)].map(({ index, 0: { length } }) => ({ index, end: index + length }));
  for (let end = markdown.lastIndexOf("\n"); end > 0; ) {
    const start = markdown.lastIndexOf("\n", end - 1) + 1;
    const hasComment = comments.some((comment) => comment.index < end && start < comment.end);
    if (!hasComment && isOpening(markdown.slice(start, end).replace(/\r$/, ""))) return start;
    end = start - 1;
  }
  return 0;
}

function isOpening(line: string): boolean {
  return line.trim() === "" || headingOf(line) !== null || LIST_ITEM.test(line);
}

interface Piece {
  text: string;
  above: string[];
}

/**
 * Paragraphs and list items as one line each, with the headings that they stand under. The nearest heading is shown with
 * what follows it directly; comments are not for readers.
 */
export function splitUnits(markdown: string, under: Headings = BEGINNING): Piece[] {
  const { pieces, headings } = split(markdown, under);
  return headings.pending === "" ? pieces : [...pieces, { text: headings.pending, above: [] }];
}

function split(markdown: string, under: Headings): { pieces: Piece[]; headings: Headings } {
  const pieces: Piece[] = [];
  let above = [...under.above];
  let { pending } = under;
  let lines: string[] = [];
  const close = () => {
    const text = lines.join(" ").trim();
    lines = [];
    if (text === "") return;
    pieces.push({
      text: pending === "" ? text : `${pending}: ${text}`,
      above: above.filter((each) => each !== pending),
    });
    pending = "";
  };
  for (const line of markdown.replace(COMMENT, "").split(/\r?\n/)) {
    if (isOpening(line)) close();
    const heading = headingOf(line);
    if (heading !== null) {
      pending = heading.title;
      above = [...Array.from({ length: heading.level - 1 }, (_, level) => above[level] ?? ""), heading.title];
    } else lines.push(line.replace(LIST_ITEM, "").trim());
  }
  close();
  return { pieces, headings: { above, pending } };
}

/** Is a unit of a note, word by word, a message that was said from then on? */
export function isKnownSaid(text: string, saidFromMs = Infinity): boolean {
  const [, at] = SAID.exec(text) ?? [];
  return at !== undefined && Date.parse(at) >= saidFromMs;
}

/** At most 300 characters of `text`, around the first of the words that were found in it. */
export function excerpt(text: string, found: readonly string[]): string {
  if (text.length <= HIT_CHARS_MAX) return text;
  const lower = fold(text);
  const first = Math.min(...found.map((word) => lower.indexOf(word)).filter((at) => at >= 0));
  const isInHead = !Number.isFinite(first) || first + LEAD_CHARS < HIT_CHARS_MAX;
  // Small letters may take more room than the text: never begin beyond the last piece of it.
  const start = isInHead ? 0 : Math.min(first - LEAD_CHARS, text.length - HIT_CHARS_MAX);
  const cut = text.slice(start, start + HIT_CHARS_MAX).toWellFormed();
  return `${start > 0 ? "…" : ""}${cut}${start + HIT_CHARS_MAX < text.length ? "…[truncated]" : ""}`;
}
