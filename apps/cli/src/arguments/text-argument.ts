/** The text of a message: the words of the command line, or `-` for what comes through the pipe. */
import { text as readAll } from "node:stream/consumers";
import { MESSAGE_CHARS_MAX } from "@mimikit/protocol/base/fields";
import { countCharacters, isLongerThan } from "@mimikit/protocol/wire/count-characters";
import type { Argv } from "yargs";
import { t } from "../i18n/language.ts";
import { Failure } from "../io/failure.ts";
import type { CommonOptions } from "./command.ts";

/** No word that comes from a shell holds it. */
const MARK = "\0";

/** Marks words of a message that yargs would take for its own: `help`, a lone dash, and whatever comes after `--`. */
export function markWords(words: readonly string[]): string[] {
  const dashes = words.indexOf("--");
  const end = dashes < 0 ? words.length : dashes;
  const mark = (word: string) => MARK + word;
  return [
    ...words.slice(0, end).map((word) => (word === "-" || word === "help" ? mark(word) : word)),
    ...words.slice(end + 1).map(mark),
  ];
}

/** A word as it was typed. */
export function unmarked(word: string): string {
  return word.startsWith(MARK) ? word.slice(MARK.length) : word;
}

export function textArgument(yargs: Argv<CommonOptions>) {
  return yargs.positional("text", { type: "string", array: true, describe: "the message; - reads it from the pipe" });
}

/** Does the text come through the pipe? Then it is data, whatever it looks like. */
export function isPiped(words: readonly string[] | undefined): boolean {
  return words?.length === 1 && words[0] === `${MARK}-`;
}

/** Without words, what is piped in is what is said: `git log | mimikit ask`. */
export function isOnlyPiped(words: readonly string[] | undefined): boolean {
  return isPiped(words) || ((words ?? []).length === 0 && process.stdin.isTTY !== true);
}

/** The words as they were typed. */
export function wordsOf(words: readonly string[] | undefined): string[] {
  return (words ?? []).map(unmarked);
}

/**
 * @param name the command. @param otherwise what is said without a word.
 * Throws `Failure` (usage) when there is no text or when it is too long.
 */
export async function readText(words: readonly string[] | undefined, name: string, otherwise = ""): Promise<string> {
  const isRead = isPiped(words) || (otherwise === "" && isOnlyPiped(words));
  const text = (isRead ? await readAll(process.stdin) : wordsOf(words).join(" ")).trim() || otherwise;
  if (text === "")
    throw new Failure("usage", t("the text is missing: mimikit {name} <text>, or send it through a pipe", { name }));
  if (isLongerThan(text, MESSAGE_CHARS_MAX)) {
    throw new Failure(
      "usage",
      t("a message has at most {max} characters, and this one has {count}", {
        max: MESSAGE_CHARS_MAX,
        count: countCharacters(text),
      }),
    );
  }
  return text;
}
