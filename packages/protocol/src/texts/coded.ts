/** Sentences with codes, so that others can say them in their language: what they are made of, and how they are known again. */
import { z } from "zod";
import { TEXTS } from "./table.ts";

export type TextCode = keyof typeof TEXTS;

/** A name has no space: `{secret: NAME}` is a text, and no parameter. */
type NamesIn<T extends string> = T extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${string} ${string}` ? never : Name) | NamesIn<Rest>
  : never;
/** The parameters of a code, by their names. */
export type Params<C extends TextCode> = Record<NamesIn<(typeof TEXTS)[C]>, string | number>;

/** A sentence: its code, and what stands in it. A parameter may be such a sentence itself. A newer gateway may have more codes. */
export interface Coded {
  code: string;
  params: { [name: string]: string | Coded };
}
export const Coded: z.ZodType<Coded> = z.lazy(() =>
  z.object({ code: z.string(), params: z.record(z.string(), z.union([z.string(), Coded])) }),
);

/** The codes of sentences in an answer, by their places in it: `problems/0`, `missing`. */
export const Codes = z.record(z.string(), Coded);
export type Codes = z.infer<typeof Codes>;

const PARAMETER = /\{(\w+)\}/g;

type ParamsIfAny<C extends TextCode> = [NamesIn<(typeof TEXTS)[C]>] extends [never] ? [] : [params: Params<C>];

/** Makes a sentence of a code. */
export function coded<C extends TextCode>(code: C, ...[params]: ParamsIfAny<C>): Coded {
  const texts = Object.entries<string | number>(params ?? {}).map(([name, value]) => [name, String(value)]);
  return { code, params: paramsOf(Object.fromEntries(texts)) };
}

/** The same in English. */
export function sentence<C extends TextCode>(code: C, ...params: ParamsIfAny<C>): string {
  return englishOf(coded(code, ...params));
}

/** The English of what was said by a code of the table. */
export function englishOf({ code, params }: Coded): string {
  return TEXTS[code as TextCode].replace(PARAMETER, (_whole, name: string) => {
    const value = params[name] ?? "";
    return typeof value === "string" ? value : englishOf(value);
  });
}

/** Its sentence must have a code of its own, or else the whole has another. */
const SENTENCES = new Set(["problem", "lack", "first", "second"]);
/** It may be a sentence of ours or foreign words. */
const MIXED = new Set(["detail", "next", "loss"]);
/** The names of parameters that are a number, a word, a name, without a space, or without a semicolon; all others are any text. */
const SHAPES: readonly (readonly [shape: string, ...names: string[]])[] = [
  ["-?[\\d.]+", "count", "days", "depth", "line", "max", "min", "seconds", "status", "window"],
  ["\\w+", "unit"],
  ["[\\w.-]+", "id"],
  ["\\S+", "date", "field", "host", "moment", "now", "period", "proxy", "scheme", "scope", "time", "weekday"],
  ["[^;]+", "expected", "format", "name", "options", "provider", "received", "variable"],
];
const ANY_TEXT = ".+?";
const SPECIAL = /[\\^$.*+?()[\]{}|/]/g;
/** Characters of a sentence that is looked up. A longer one is none of ours. */
const SENTENCE_CHARS_MAX = 1_000;

interface Form {
  code: TextCode;
  pattern: RegExp;
}

let made: readonly Form[] | undefined;

/** Of two that fit, the one that says most of itself was meant: it comes first. They are made when a sentence is first looked up. */
function forms(): readonly Form[] {
  made ??= Object.entries(TEXTS)
    .filter(([code]) => code !== "quoted")
    .sort(([, a], [, b]) => b.replace(PARAMETER, "").length - a.replace(PARAMETER, "").length)
    .map(([code, template]) => ({ code: code as TextCode, pattern: patternOf(template) }));
  return made;
}

function patternOf(template: string): RegExp {
  const seen = new Set<string>();
  const source = template.split(PARAMETER).map((part, at) => {
    if (at % 2 === 0) return part.replace(SPECIAL, "\\$&");
    if (seen.has(part)) return `\\k<${part}>`;
    seen.add(part);
    return `(?<${part}>${SHAPES.find(([, ...names]) => names.includes(part))?.[0] ?? ANY_TEXT})`;
  });
  return new RegExp(`^${source.join("")}$`, "s");
}

/** The code of a sentence that was made from the table, now or long ago; undefined where it is none of ours. */
export function codeOf(text: string): Coded | undefined {
  if (text.length > SENTENCE_CHARS_MAX) return undefined;
  for (const { code, pattern } of forms()) {
    const found = pattern.exec(text);
    if (found === null) continue;
    const params = paramsOf(found.groups ?? {});
    if ([...SENTENCES].every((name) => typeof params[name] !== "string")) return { code, params };
  }
  return undefined;
}

function paramsOf(texts: Record<string, string>): Coded["params"] {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [
      name,
      (SENTENCES.has(name) || MIXED.has(name) ? codeOf(text) : undefined) ?? text,
    ]),
  );
}

/** As `codeOf`; foreign words are `quoted`. */
export function codeOrQuote(text: string): Coded {
  return codeOf(text) ?? { code: "quoted", params: { text } };
}

/** The quotations in a sentence of ours. */
export function wordsOfOthers({ params }: Coded): string[] {
  return Object.entries(params).flatMap(([name, value]) => {
    if (typeof value !== "string") return wordsOfOthers(value);
    return name === "detail" ? [value] : [];
  });
}

/** The fields of answers that hold sentences for people, or lists of them. */
const FIELDS = new Set(["learnt", "message", "missing", "passedOver", "problem", "problems", "reason", "text"]);

/** The answer, with the codes of its sentences where it has some. */
export function withCodes<T extends object>(answer: T): T & { coded?: Codes } {
  const coded: Codes = {};
  const look = (value: unknown, path: readonly string[], isSentence: boolean): void => {
    if (typeof value === "string") {
      const code = isSentence ? codeOf(value) : undefined;
      if (code !== undefined) coded[path.join("/")] = code;
    } else if (value !== null && typeof value === "object")
      for (const [name, inner] of Object.entries(value))
        look(inner, [...path, name], Array.isArray(value) ? isSentence : FIELDS.has(name));
  };
  look(answer, [], false);
  return Object.keys(coded).length === 0 ? answer : { ...answer, coded };
}
