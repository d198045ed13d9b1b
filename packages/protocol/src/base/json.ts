/** JSON from outside is measured before it is parsed: deep or huge text can stall `JSON.parse` and overflow zod. */
import type { z } from "zod";
import { describeIssues } from "../texts/issues.ts";

export const RECORD_BYTES_MAX = 4 * 1_048_576;
/** A condition may be nested 16 deep (SPEC D1), which is two brackets each, inside of other records. */
export const RECORD_DEPTH_MAX = 64;

/** The text cannot be one of our records; `message` says why, without quoting the text. */
export class BadJson extends Error {}

/** The same for a text that its writer may not have finished. */
export class UnfinishedJson extends BadJson {}

/** Counts the brackets outside strings, up to the end of the text or to a depth of `limit + 1`. */
function countBrackets(text: string, limit = Number.POSITIVE_INFINITY) {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let i = 0; i < text.length && deepest <= limit; i++) {
    const code = text.charCodeAt(i);
    if (inString) {
      if (code === 92) i++;
      else if (code === 34) inString = false;
    } else if (code === 34) inString = true;
    else if (code === 123 || code === 91) deepest = Math.max(deepest, ++depth);
    else if (code === 125 || code === 93) depth--;
  }
  return { depth, deepest, inString };
}

/** The deepest nesting of brackets outside strings; counting stops at `limit + 1`. */
export function jsonDepth(text: string, limit: number): number {
  return countBrackets(text, limit).deepest;
}

/** Does the text end inside a string or a bracket, or before it has begun? So does a file whose writer has paused. */
export function isCutOff(text: string): boolean {
  const { depth, inString } = countBrackets(text);
  return text.trim() === "" || inString || depth > 0;
}

/** Finds the top-level JSON objects in a text that arrives in pieces. Text between them is skipped. */
export class JsonObjects {
  private open = "";
  private depth = 0;
  private inString = false;
  private isEscaped = false;
  /** There was other text than white space and commas outside the objects. */
  hasMore = false;

  /** Returns the objects that end in this piece. */
  add(piece: string): string[] {
    const ended: string[] = [];
    let from = 0;
    for (let i = 0; i < piece.length; i++) {
      const code = piece.charCodeAt(i);
      if (this.inString) {
        if (this.isEscaped) this.isEscaped = false;
        else if (code === 92) this.isEscaped = true;
        else if (code === 34) this.inString = false;
      } else if (code === 123 || (code === 91 && this.depth > 0)) {
        if (this.depth++ === 0) from = i;
      } else if (this.depth === 0) this.hasMore ||= code > 32 && code !== 44;
      else if (code === 34) this.inString = true;
      else if ((code === 125 || code === 93) && --this.depth === 0) {
        ended.push(this.open + piece.slice(from, i + 1));
        this.open = "";
      }
    }
    if (this.depth > 0) this.open += piece.slice(from);
    return ended;
  }

  /** The beginning of an object that has not ended, or an empty string. */
  get rest(): string {
    return this.open;
  }
}

/** Parses bounded JSON. Throws `BadJson` when it is too long, too deep, or not JSON. */
export function parseJson(text: string, limits = { bytes: RECORD_BYTES_MAX, depth: RECORD_DEPTH_MAX }): unknown {
  if (text.length > limits.bytes) throw new BadJson(`longer than ${limits.bytes} bytes`);
  if (jsonDepth(text, limits.depth) > limits.depth) throw new BadJson(`nested deeper than ${limits.depth}`);
  try {
    return JSON.parse(text);
  } catch {
    throw new BadJson("not valid JSON");
  }
}

/** As `parseJson`; undefined where that throws. */
export function tryJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof BadJson) return undefined;
    throw error;
  }
}

/** Parses bounded JSON into a record of `schema`. Throws `BadJson` with the place and the reason. */
export function parseRecord<T>(schema: z.ZodType<T>, text: string, limits?: { bytes: number; depth: number }): T {
  const checked = schema.safeParse(parseJson(text, limits));
  if (checked.success) return checked.data;
  throw new BadJson(describeIssues(checked.error));
}
