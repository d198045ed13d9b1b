/** The output of a command: tables that fit the terminal for people, one JSON document for programs. */
import { styleText } from "node:util";
import { visibleDocument } from "@mimikit/protocol/texts/visible";
import { t } from "../i18n/language.ts";
import { asCalled } from "./as-called.ts";

type Style = Parameters<typeof styleText>[0];

const COLUMNS_DEFAULT = 100;
const COLUMN_GAP = 2;
/** Columns that are left of a cell that gives way; a terminal that is still too narrow wraps the line. */
const FLEXIBLE_WIDTH_MIN = 4;
/** Titles of what people type again, which is of no use in part. */
const WHOLE: ReadonlySet<string> = new Set(["id", "task", "name"]);

/** Prints one JSON document. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

export function printLine(text = ""): void {
  process.stdout.write(`${text}\n`);
}

/** Prints a line of ours that names commands, each as it can be called here. */
export function printHint(text: string): void {
  printLine(asCalled(text));
}

/** Says on stderr how it goes, so that stdout holds only the answer. */
export function printProgress(text: string): void {
  process.stderr.write(`${styled("dim", text, process.stderr)}\n`);
}

/** Prints on stderr what the user must not miss. */
export function printNotice(text: string): void {
  process.stderr.write(`${styled("yellow", asCalled(text), process.stderr)}\n`);
}

/** Styled text where there is a terminal that shows it; plain text in pipes and with NO_COLOR. */
export function styled(style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return stream.isTTY ? styleText(style, text, { stream }) : text;
}

/** Text from outside on one line, without anything that a terminal would obey. */
export function plainLine(text: string): string {
  return withoutControls(text.replace(/\s+/g, " ")).trim();
}

/** Text from outside with its lines: as it is in a pipe or a file, and at a terminal without anything that it would obey. */
export function plainText(text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return stream.isTTY ? screenText(text) : text;
}

/** A diff as `git apply` takes it, to its last line; at a terminal, nothing in it is hidden. */
export function diffText(diff: string): string {
  return process.stdout.isTTY ? visibleDocument(diff.trimEnd()) : diff.replace(/\n$/, "");
}

/** Text from outside with its lines, without anything else that a terminal would obey. */
export function screenText(text: string): string {
  return text.split("\n").map(withoutControls).join("\n");
}

function withoutControls(text: string): string {
  return text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, (character) => (character === "\t" ? "  " : ""));
}

/**
 * Rows of cells, as wide as the terminal at most: the widest columns are cut, with an ellipsis, and never an id. In a pipe
 * nothing is cut. An empty list prints `nothing`. @param titles in English; they are shown in the language of the reader.
 */
export function printTable(titles: readonly string[], rows: readonly (readonly string[])[], nothing: string): void {
  if (rows.length === 0) {
    printLine(nothing);
    return;
  }
  const cells = rows.map((row) => row.map(plainLine));
  const shown = titles.map((title) => t(title));
  const widths = shown.map((title, column) =>
    Math.max(...[title, ...cells.map((row) => row[column] ?? "")].map(widthOf)),
  );
  const mayGive = titles.map((title) => !WHOLE.has(title));
  if (process.stdout.isTTY) fit(widths, mayGive, terminalColumns());
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => padded(cell, widths[column] ?? 0))
      .join(" ".repeat(COLUMN_GAP))
      .trimEnd();
  printLine(styled("bold", line(shown)));
  for (const row of cells) printLine(line(row));
}

/** How wide the terminal is now; some do not say. */
export function terminalColumns(): number {
  return process.stdout.columns || COLUMNS_DEFAULT;
}

function fit(widths: number[], mayGive: readonly boolean[], columns: number): void {
  const gaps = COLUMN_GAP * (widths.length - 1);
  for (;;) {
    const excess = widths.reduce((sum, width) => sum + width, gaps) - columns;
    const given = widths.map((width, column) => (mayGive[column] ? width : 0));
    const widest = Math.max(...given);
    if (excess <= 0 || widest <= FLEXIBLE_WIDTH_MIN) return;
    const column = given.indexOf(widest);
    const second = Math.max(FLEXIBLE_WIDTH_MIN, ...given.filter((_, other) => other !== column));
    // The widest column gives until it is as wide as the next, then they give in turns.
    widths[column] = Math.max(widest - excess, Math.min(second, widest - 1));
  }
}

/** Text in exactly this many columns: filled up with spaces, or cut with an ellipsis. */
export function padded(cell: string, width: number): string {
  const text = clipped(cell, width);
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}

/** Text in at most this many columns: whole, or cut with an ellipsis. */
export function clipped(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let begin = "";
  for (const character of text) {
    if (widthOf(begin + character) > width - 1) break;
    begin += character;
  }
  return `${begin}…`;
}

/** Columns on a terminal: characters of East Asian scripts and pictures take two. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) {
    width +=
      /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u.test(
        character,
      )
        ? 2
        : 1;
  }
  return width;
}
