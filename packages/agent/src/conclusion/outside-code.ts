/** Finds the parts of Markdown that are neither code nor a quotation. */

const FENCE = /^(?<prefix>(?:[ \t]|>|[-*+] |\d{1,9}[.)] )*)(?<mark>`{3,}|~{3,})(?<info>.*)/s;
/** A closing fence may be indented by three more than the opening one. */
const FENCE_INDENT = 3;

/** The lines outside of fenced code, with their indexes. Anything that might be a fence counts as one. */
export function* linesOutsideCode(text: string): Generator<{ at: number; line: string }> {
  let fence: { mark: string; column: number } | null = null;
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf("\n", at);
    const line = text.slice(at, end < 0 ? text.length : end).replace(/\r$/, "");
    const { prefix = "", mark = "", info = "" } = FENCE.exec(line)?.groups ?? {};
    const column = prefix.replaceAll("\t", "    ").length;
    if (fence === null && mark !== "" && !(mark.startsWith("`") && info.includes("`"))) fence = { mark, column };
    else if (fence !== null && closes(fence, mark, info) && column <= fence.column + FENCE_INDENT) fence = null;
    else if (fence === null) yield { at, line };
    if (end < 0) return;
    at = end + 1;
  }
}

function closes(fence: { mark: string }, mark: string, info: string): boolean {
  return mark.startsWith(fence.mark) && info.trim() === "";
}

/** A line of a Markdown quotation. */
export const QUOTE_LINE = /^[\s\-*+\d.)]*>/;

export interface Mark {
  /** Its index in the text. */
  at: number;
  mark: string;
  /** The last character before it in its line that is not white space; empty if there is none. */
  last: string;
  /** It directly follows that character. */
  isGlued: boolean;
}

const PAIRED = /[`"“”「」]/g;

/** The matches of a global pattern outside of code, block quotations and quotation marks. */
export function* marksOutsideCode(text: string, pattern: RegExp): Generator<Mark> {
  for (const { at, line } of linesOutsideCode(text)) {
    if (QUOTE_LINE.test(line)) continue;
    let from = 0;
    let last = "";
    const odd = { "`": false, '"': false, "“": false, "「": false };
    for (const { 0: mark, index } of line.matchAll(pattern)) {
      const between = line.slice(from, index);
      for (const [sign] of between.matchAll(PAIRED)) {
        if (sign === "”") odd["“"] = false;
        else if (sign === "」") odd["「"] = false;
        else if (sign === "`" || sign === '"') odd[sign] = !odd[sign];
        else odd[sign as "“"] = true;
      }
      const trimmed = between.trimEnd();
      last = trimmed.at(-1) ?? last;
      const isGlued = last !== "" && trimmed.length === between.length;
      if (!Object.values(odd).includes(true)) yield { at: at + index, mark, last, isGlued };
      from = index + mark.length;
      last = mark.at(-1) ?? last;
    }
  }
}
