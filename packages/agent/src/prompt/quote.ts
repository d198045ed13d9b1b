/**
 * The only way into a prompt for text that is not ours: what users say, tools answer, memory holds, tasks hand in. Here
 * it loses the power to be anything but text. Quoted text never begins a line at less than four spaces, so it opens no
 * heading, fence, section or record; and no `<M:` survives in it, so it opens and closes no tag. The type `Quoted` is
 * made in this file alone, and a template takes nothing else.
 */
import type { Event } from "@mimikit/protocol/records/inbox";

declare const quoted: unique symbol;
/** Safe to put into a prompt at the beginning of a line. */
export type Quoted = string & { readonly [quoted]: true };

/** The parts of a record's first line. Names are ours; values may come from anywhere. */
export type QuotedFields = Record<string, string | number | undefined>;

export const NOTHING = "" as Quoted;

const INDENT = "    ";
const LINE_BREAK = /\r\n|[\r\v\f\u0085\u2028\u2029]/g;
/** Control characters but tab and line feed. */
const CONTROL = /[^\P{Cc}\t\n]/gu;
/** The beginning of a tag, also as a careless reader sees it: with spaces, marks that cannot be seen, in lower case. */
const TAG = /<(?=[\s/\p{Cf}]*m[\s\p{Cf}]*:)/giu;
/** A word that can be nothing but a word needs no quotation marks. */
const WORD = /^[a-z0-9/][a-z0-9._:+/-]*$/i;
/** Characters that JSON leaves as they are, and a tag must not hold. */
const NOT_IN_TAG = /[<\u007f-\u009f\u2028\u2029]/g;

/** Lines that belong together, in their order. */
export function lines(...parts: readonly Quoted[]): Quoted {
  return parts.filter((part) => part !== NOTHING).join("\n") as Quoted;
}

/** `- id: m-1, title: "a b"`, and below it `body` in lines of its own, each indented. */
export function record(fields: QuotedFields, body = ""): Quoted {
  const head = `- ${pairs(fields).join(", ")}`;
  return (body === "" ? head : `${head}\n${indent(body)}`) as Quoted;
}

/** A text on its own, each line indented. */
export function block(text: string): Quoted {
  return indent(text.trim()) as Quoted;
}

/** One `name: value` a line. */
export function table(fields: QuotedFields): Quoted {
  return pairs(fields).join("\n") as Quoted;
}

/** A message of the conversation as it was said: it opens no tag, and is not indented, as it has a message of its own. */
export function plain(text: string): Quoted {
  return disarm(text).trim() as Quoted;
}

/** `[at: "2026-11-22T10:10", via: telegram]`; nothing where all is unset. */
export function note(fields: QuotedFields): Quoted {
  const all = pairs(fields);
  return all.length === 0 ? NOTHING : (`[${all.join(", ")}]` as Quoted);
}

/** A line of memory: `[source] text` (SPEC E5). */
export function memoryLine(source: string, text: string): Quoted {
  return `[${oneLine(source)}] ${oneLine(text)}` as Quoted;
}

/** An item of a to-do list: `- [x] item`. */
export function checkbox(item: string, done: boolean): Quoted {
  return `- [${done ? "x" : " "}] ${oneLine(item)}` as Quoted;
}

/** A system event as the Teller is told it: words for reading, and the tag that counts (SPEC H). */
export function eventLine(text: string, name: Event["name"], data: unknown): Quoted {
  const json = JSON.stringify(data).replace(
    NOT_IN_TAG,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `- ${word(text)} <M:system_event name="${name}" version="1">${json}</M:system_event>` as Quoted;
}

function pairs(fields: QuotedFields): string[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${word(String(value))}`],
  );
}

/** Bare where it can be nothing else, else in quotation marks. */
function word(text: string): string {
  return WORD.test(text) ? text : JSON.stringify(disarm(text));
}

/** A text on one line that opens no tag: for the descriptions of tools from outside. */
export function oneLine(text: string): string {
  return disarm(text)
    .replace(/(?<!\s)\s*\n\s*/g, " ")
    .trim();
}

function indent(text: string): string {
  return disarm(text)
    .split("\n")
    .map((line) => (line === "" ? "" : `${INDENT}${line}`))
    .join("\n");
}

function disarm(text: string): string {
  return text.toWellFormed().replace(LINE_BREAK, "\n").replace(CONTROL, "\ufffd").replace(TAG, "&lt;");
}
