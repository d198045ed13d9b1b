/** A hit is a paragraph or a list item, not a file, so that what is put before a role is what it asked for. */
import { monthsIn } from "./months.ts";
import { tokenize } from "./tokenize.ts";

export const HIT_CHARS_MAX = 300;

/** Characters kept before the first found word where a long text is cut. */
const LEAD_CHARS = 60;
const COMMENT = /<!--[\s\S]*?(?:-->|$)/g;
const HEADING = /^(#{1,6})\s+(.*?)[\s#]*$/;
const DATED = /^(\d{4}-\d{2}(?:-\d{2})?)?-?(.*)$/;
const LIST_ITEM = /^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?/;

export interface Unit {
  /** As it is shown, on one line. */
  text: string;
  /** What it is found by: its words, repeats included, and those of its file's name and of the headings above it. */
  words: string[];
}

/** The units of a source. */
export function unitsOf(name: string, markdown: string): Unit[] {
  const file = name.slice(name.lastIndexOf("/") + 1, -".md".length);
  const [, date = "", slug = ""] = DATED.exec(file) ?? [];
  // Each word that is added makes a unit longer, and so its other words weigh less: the parts of a date are left out.
  const ofFile = [...(date === "" ? [] : [date, ...monthsIn(date)]), ...tokenize(slug)];
  return splitUnits(markdown).map(({ text, above }) => ({
    text,
    words: [...tokenize(text), ...new Set([...ofFile, ...tokenize(above.join(" "))])],
  }));
}

/**
 * Paragraphs and list items as one line each, with the headings that they stand under. The nearest heading is shown with
 * what follows it directly; comments are not for readers.
 */
export function splitUnits(markdown: string): { text: string; above: string[] }[] {
  const units: { text: string; above: string[] }[] = [];
  let above: string[] = [];
  let heading = "";
  let lines: string[] = [];
  const close = () => {
    const text = lines.join(" ").trim();
    lines = [];
    if (text === "") return;
    units.push({
      text: heading === "" ? text : `${heading}: ${text}`,
      above: above.filter((each) => each !== heading),
    });
    heading = "";
  };
  for (const line of markdown.replace(COMMENT, "").split(/\r?\n/)) {
    const [, marks, title] = HEADING.exec(line) ?? [];
    if (line.trim() === "" || title !== undefined || LIST_ITEM.test(line)) close();
    if (marks !== undefined && title !== undefined) {
      heading = title;
      above = [...Array.from({ length: marks.length - 1 }, (_, level) => above[level] ?? ""), title];
    } else lines.push(line.replace(LIST_ITEM, "").trim());
  }
  close();
  if (heading !== "") units.push({ text: heading, above: [] });
  return units;
}

/** At most 300 characters of `text`, around the first of the words that were found in it. */
export function excerpt(text: string, found: readonly string[]): string {
  if (text.length <= HIT_CHARS_MAX) return text;
  const lower = text.toLowerCase();
  const first = Math.min(...found.map((word) => lower.indexOf(word)).filter((at) => at >= 0));
  const isInHead = !Number.isFinite(first) || first + LEAD_CHARS < HIT_CHARS_MAX;
  // Small letters may take more room than the text: never begin beyond the last piece of it.
  const start = isInHead ? 0 : Math.min(first - LEAD_CHARS, text.length - HIT_CHARS_MAX);
  const cut = text.slice(start, start + HIT_CHARS_MAX).toWellFormed();
  return `${start > 0 ? "…" : ""}${cut}${start + HIT_CHARS_MAX < text.length ? "…[truncated]" : ""}`;
}
