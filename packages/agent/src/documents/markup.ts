/** Text out of XML and HTML: a walk over the elements, in which a table says what each of them is for the text. */
import { decodeText } from "@mimikit/store/text/decode-text";
import { Parser } from "htmlparser2";

/** Where a document may say of itself how it is written. */
const DECLARED_BYTES = 1_024;

/** The effect of an element on the text around it. */
interface Rule {
  /** Written before and after it. */
  open?: string;
  close?: string;
  /** Nothing in it is text. */
  isSkipped?: true;
}

/** In which elements characters are text, and what each element does. */
export interface Rules {
  elements: Readonly<Record<string, Rule>>;
  /** Only what is in these is text; everything where it is not given. */
  textIn?: ReadonlySet<string>;
}

/** An element as it begins, for who looks for more than text. */
export type OnElement = (name: string, attributes: Readonly<Record<string, string>>) => void;

/** HTML or XML in its encoding: what its bytes say for certain, else what it declares, else as other texts are read. */
export function decodeMarkup(bytes: Uint8Array): string {
  const decoded = decodeText(bytes);
  const otherwise = decoded?.text ?? new TextDecoder().decode(bytes);
  const charset = declaredIn(bytes);
  const isCertain = decoded?.isGuess === false && (decoded.hasMark || /[^\p{ASCII}]/u.test(decoded.text));
  if (isCertain || charset === undefined) return otherwise;
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch (error) {
    // There is no encoding of this name.
    if (error instanceof RangeError) return otherwise;
    throw error;
  }
}

function declaredIn(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, DECLARED_BYTES));
  return /<(?:meta[^<>]+charset|\?xml[^<>]+encoding)\s*=\s*["']?([\w-]+)/i.exec(head)?.[1];
}

/** The text of XML by the rules of its kind. Damaged markup is read as far as it goes. */
export function textOfXml(source: string, rules: Rules): string {
  return walk(source, rules, true);
}

/** Visits each element of XML. */
export function visitXml(source: string, onElement: OnElement): void {
  const parser = new Parser({ onopentag: onElement }, { xmlMode: true });
  parser.end(source);
}

/** The text of HTML as a reader sees it, a line for each block; no scripts, no styles. */
export function textOfHtml(source: string): string {
  return walk(source, HTML, false)
    .split("\n")
    .map((line) => line.replace(/[\p{Zs}\t]+/gu, " ").trim())
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

function walk(source: string, { elements, textIn }: Rules, xmlMode: boolean): string {
  let text = "";
  let skipping = 0;
  let inText = 0;
  /** Of each open element, whether nothing in it is text. */
  const skipped: boolean[] = [];
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        const rule = elements[name];
        const isSkipped = rule?.isSkipped === true || (!xmlMode && isHidden(attributes));
        skipped.push(isSkipped);
        if (isSkipped) skipping++;
        if (textIn?.has(name)) inText++;
        if (skipping === 0) text += rule?.open ?? "";
      },
      ontext(piece) {
        if (skipping > 0 || (textIn !== undefined && inText === 0)) return;
        text += xmlMode ? piece : piece.replace(/\s+/g, " ");
      },
      onclosetag(name) {
        if (skipped.pop()) skipping--;
        if (textIn?.has(name)) inText--;
        if (skipping === 0) text += elements[name]?.close ?? "";
      },
    },
    { xmlMode },
  );
  parser.end(source);
  return text;
}

/** Decided by the attributes of the element alone, without style sheets. */
function isHidden({ hidden, style = "" }: Readonly<Record<string, string>>): boolean {
  return hidden !== undefined || /(?:^|;)\s*display\s*:\s*none\b/i.test(style);
}

const LINE: Rule = { open: "\n", close: "\n" };
const BLOCK: Rule = { open: "\n\n", close: "\n\n" };
const SKIPPED: Rule = { isSkipped: true };

const named = (rule: Rule, names: string) => Object.fromEntries(names.split(" ").map((name) => [name, rule]));

const HTML: Rules = {
  elements: {
    ...named(SKIPPED, "script style noscript template svg iframe object head"),
    ...named(BLOCK, "p h1 h2 h3 h4 h5 h6 ul ol dl table pre blockquote section article figure form"),
    ...named(LINE, "div tr dt dd header footer main nav aside address figcaption caption option"),
    li: { open: "\n- ", close: "\n" },
    br: { open: "\n" },
    hr: { open: "\n" },
    td: { close: "\t" },
    th: { close: "\t" },
  },
};
