/** The help of the commands in the language of the reader: the words of yargs, and the descriptions of options. */
import type { Argv } from "yargs";
import { speaksChinese, t } from "./language.ts";

/** The words around our texts in a help. Complaints of the parser stay English: `misuse.ts` reads them. */
const WORDS_OF_YARGS = [
  ...["Commands:", "Positionals:", "Options:", "Examples:"],
  ...["boolean", "string", "number", "array", "required", "choices:", "default:", "aliases:"],
  ...["Show help", "Show version number"],
] as const;

/** A part of yargs that has no type: the descriptions of the arguments, by their names. */
interface Described {
  getInternalMethods(): { getUsageInstance(): { getDescriptions(): Record<string, string | undefined> } };
}

export function translateWords<T>(parser: Argv<T>): Argv<T> {
  return speaksChinese()
    ? parser.updateStrings(Object.fromEntries(WORDS_OF_YARGS.map((word) => [word, t(word)])))
    : parser;
}

/** Translates the descriptions of the options that `parser` has so far. */
export function translateDescriptions<T>(parser: Argv<T>): Argv<T> {
  if (!speaksChinese()) return parser;
  const descriptions = (parser as unknown as Described).getInternalMethods().getUsageInstance().getDescriptions();
  for (const [name, text] of Object.entries(descriptions))
    if (text !== undefined && t(text) !== text) parser.describe(name, t(text));
  return parser;
}
