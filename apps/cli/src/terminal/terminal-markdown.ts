/**
 * Markdown as it is read at a terminal, while it is being written: what was put out is never undone. A line is held
 * back only as far as it may still turn into something else, and a table until its last row is there.
 */
import { Lexer, type Token } from "marked";
import { padded, plainLine, screenText, styled, widthOf } from "../io/print.ts";

/** Texts come from models: no pattern here may take more than linear time for what one writes. */
const HEADING = /^ {0,3}#{1,6}\s+(.*)/s;
const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}\s*$/;
const FENCE = /^\s*(`{3,}|~{3,}(?!~))([^`]*)$/;
const BOX = /^(\s*)[-*+]\s+\[([ xX])\]\s+/;
const BULLET = /^(\s*)[-*+]\s+/;
const NUMBER = /^(\s*)(\d{1,9}[.)])\s+/;
const QUOTE = /^\s*>\s?/;
const ROW = /^\s*\|/;
/** The line between the titles of a table and its rows. */
const DIVIDER = /^[\s|:-]+$/;
/** As much of a line, without white space around it, as does not say yet what it is. */
const UNDECIDED = /^(?:[#>|`~]+|[-*+_](?:[ \t*_-])*(?:\[[ xX]?\]?)?|\d{1,9}[.)]?)?$/;
/** A longer line is decided: the pattern is tried whenever more of the line comes. */
const UNDECIDED_CHARS_MAX = 200;
/** Lines that are shown when they are whole. */
const WHOLE = /^\s*(?:#|\||`{3}|~{3})/;
/** Characters that may begin something that ends later in the line. */
const OPENING = /[*_~`[!<\\]/;
/** A longer piece of a line is shown as it is: the parser takes quadratic time for it. */
const SPANS_CHARS_MAX = 2_000;
const RULE_COLUMNS = 24;
const CODE_INDENT = "  ";

/** The whole text as it is read at a terminal, without an end of its last line. */
export function terminalMarkdown(text: string): string {
  const markdown = new TerminalMarkdown();
  return (markdown.write(text) + markdown.end()).replace(/\n$/, "");
}

export class TerminalMarkdown {
  /** The line that is being written, and how much of it is put out. */
  private line = "";
  private shown = 0;
  /** The end of the code that is being written. */
  private fence: string | null = null;
  private table: string[] = [];

  /** More of the text. @returns what can be put out now. */
  write(text: string): string {
    const [first = "", ...rest] = screenText(text).split("\n");
    this.line += first;
    let out = "";
    for (const next of rest) {
      out += this.endLine("\n");
      this.line = next;
    }
    return out + this.begun();
  }

  /** @returns what was still held back. */
  end(): string {
    return this.line === "" ? this.rows() : this.endLine("") + this.rows();
  }

  private endLine(lineEnd: string): string {
    const { line, shown } = this;
    this.line = "";
    this.shown = 0;
    if (this.fence !== null) {
      const [, mark = ""] = FENCE.exec(line) ?? [];
      if (shown > 0 || !mark.startsWith(this.fence)) return code(line, shown) + lineEnd;
      this.fence = null;
      return "";
    }
    if (shown === 0 && ROW.test(line)) {
      this.table.push(line);
      return "";
    }
    const above = this.rows();
    const [, mark, language = ""] = FENCE.exec(line) ?? [];
    if (shown === 0 && mark !== undefined) {
      this.fence = mark;
      return above + (language.trim() === "" ? "" : `${styled("dim", CODE_INDENT + language.trim())}\n`);
    }
    return above + (shown === 0 ? wholeLine(line) : inline(line.slice(shown))) + lineEnd;
  }

  /** As much of the unfinished line as can be nothing else any more. */
  private begun(): string {
    const { line } = this;
    if (this.fence !== null) {
      if (line === "" || /^\s*[`~]*$/.test(line)) return "";
      const text = code(line, this.shown);
      this.shown = line.length;
      return text;
    }
    const isUndecided = line.length <= UNDECIDED_CHARS_MAX && UNDECIDED.test(line.trim());
    if (this.shown === 0 && (isUndecided || WHOLE.test(line))) return "";
    const { lead, length } = this.shown === 0 ? leadOf(line) : { lead: "", length: this.shown };
    const certain = certainOf(line.slice(length));
    if (certain === 0) return "";
    const above = this.rows();
    this.shown = length + certain;
    return above + lead + inline(line.slice(length, this.shown));
  }

  /** The table that has come to its end. */
  private rows(): string {
    const rows = this.table.filter((row) => !DIVIDER.test(row)).map(cellsOf);
    const hasTitles = this.table.length > 1 && DIVIDER.test(this.table[1] ?? "");
    this.table = [];
    if (rows.length === 0) return "";
    const widths = Array.from({ length: Math.max(...rows.map((row) => row.length)) }, (_, column) =>
      Math.max(...rows.map((row) => widthOf(row[column] ?? ""))),
    );
    const lines = rows.map((row) => widths.map((width, column) => padded(row[column] ?? "", width)).join("  "));
    return lines.map((line, i) => `${i === 0 && hasTitles ? styled("bold", line) : line}\n`).join("");
  }
}

function wholeLine(line: string): string {
  if (RULE.test(line)) return styled("dim", "─".repeat(RULE_COLUMNS));
  const heading = HEADING.exec(line)?.[1];
  if (heading !== undefined) return styled(["bold", "underline"], bare(withoutClosing(heading)));
  const { lead, length } = leadOf(line);
  return lead + inline(line.slice(length));
}

/** The words of a heading, without the signs that may close it. */
function withoutClosing(heading: string): string {
  const text = heading.trimEnd();
  let length = text.length;
  while (text[length - 1] === "#") length--;
  return text.slice(0, length).trimEnd();
}

/** The beginning of a line of a list or of a quotation, and its length. */
function leadOf(line: string): { lead: string; length: number } {
  const box = BOX.exec(line);
  if (box !== null) return { lead: `${box[1]}${box[2] === " " ? "☐" : "☑"} `, length: box[0].length };
  const bullet = BULLET.exec(line);
  if (bullet !== null) return { lead: `${bullet[1]}• `, length: bullet[0].length };
  const number = NUMBER.exec(line);
  if (number !== null) return { lead: `${number[1]}${number[2]} `, length: number[0].length };
  const quote = QUOTE.exec(line);
  if (quote !== null) return { lead: styled("dim", "│ "), length: quote[0].length };
  return { lead: "", length: 0 };
}

function code(line: string, shown: number): string {
  return (shown === 0 ? CODE_INDENT : "") + (line.length > shown ? styled("cyan", line.slice(shown)) : "");
}

/** How much of a text that goes on means what it seems to mean now. */
function certainOf(text: string): number {
  let certain = 0;
  for (const token of spansOf(text)) {
    const opening = token.type === "text" || token.type === "escape" ? token.raw.search(OPENING) : -1;
    if (opening >= 0) return certain + opening;
    // An address goes on until something else follows.
    if (token.type === "link" && certain + token.raw.length === text.length) return certain;
    certain += token.raw.length;
  }
  return certain;
}

function spansOf(text: string): Token[] {
  return text.length > SPANS_CHARS_MAX ? [{ type: "text", raw: text, text }] : Lexer.lexInline(text);
}

function inline(text: string): string {
  return spansOf(text).map(styledToken).join("");
}

/** The words alone. */
function bare(text: string): string {
  return spansOf(text).map(bareToken).join("");
}

function bareToken(token: Token): string {
  if ("tokens" in token && token.tokens !== undefined) return token.tokens.map(bareToken).join("");
  return "text" in token ? token.text : token.raw;
}

function styledToken(token: Token): string {
  const words = () =>
    "tokens" in token && token.tokens !== undefined ? token.tokens.map(styledToken).join("") : bareToken(token);
  switch (token.type) {
    case "strong":
      return styled("bold", words());
    case "em":
      return styled("italic", words());
    case "del":
      return styled("strikethrough", words());
    case "codespan":
      return styled("cyan", bareToken(token));
    case "link":
    case "image":
      // Its target is seen before it is followed.
      return bareToken(token) === token.href
        ? token.href
        : `${styled("underline", words())} (${plainLine(token.href)})`;
    case "html":
      return token.raw;
    default:
      return words();
  }
}

function cellsOf(row: string): string[] {
  const inner = row.trim().replace(/^\|/, "").replace(/\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => bare(cell.trim().replaceAll("\\|", "|")));
}
