/** The text of a message: the words of the command line, and what comes through the pipe. */
import type { AttachedFile } from "@mimikit/protocol/base/attachment";
import { MESSAGE_CHARS_MAX } from "@mimikit/protocol/base/fields";
import { fencedBlock } from "@mimikit/protocol/texts/fenced-block";
import { countCharacters, isLongerThan } from "@mimikit/protocol/wire/count-characters";
import type { Argv } from "yargs";
import { t } from "../i18n/language.ts";
import { Failure } from "../io/failure.ts";
import { attachFiles, namesOf } from "./attach-files.ts";
import type { CommonOptions } from "./command.ts";
import { readBeside, readStdin, textIn } from "./piped.ts";

/** No word that comes from a shell holds it. */
const MARK = "\0";
/** A dash alone, as `markWords` leaves it. */
const DASH = `${MARK}-`;
/** A longer pipe beside words is a file: of a longer message a model is shown the beginning and the end. */
export const QUOTED_CHARS_MAX = 8_000;

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
  return yargs.positional("text", {
    type: "string",
    array: true,
    describe: "the message, with the pipe if there is one; - waits for the pipe",
  });
}

/** Without words, what is piped in is what is said: `git log | mimikit ask`. Then it is data, whatever it looks like. */
export function isOnlyPiped(words: readonly string[] | undefined): boolean {
  return isDash(words) || ((words ?? []).length === 0 && process.stdin.isTTY !== true);
}

/** The words as they were typed. */
export function wordsOf(words: readonly string[] | undefined): string[] {
  return (words ?? []).map(unmarked);
}

/** The words of a command, and what came through the pipe beside them or in their place. */
interface Typed {
  words: string;
  /** No bytes where nothing came. */
  piped: Buffer;
}

/**
 * @param isEnough may the words be missing? Otherwise the pipe must have them, however long that takes.
 * @throws Failure where the pipe is larger than a file may be, or cannot be read.
 */
async function readTyped(words: readonly string[] = [], isEnough: boolean): Promise<Typed> {
  const isTyped = process.stdin.isTTY === true;
  // At a terminal, a dash behind words is one of them.
  const isAsked = isDash(words) || (words.at(-1) === DASH && !isTyped);
  const typed = wordsOf(isAsked ? words.slice(0, -1) : words)
    .join(" ")
    .trim();
  const isAwaited = isAsked || (typed === "" && !isEnough && !isTyped);
  return { words: typed, piped: isAwaited ? await readStdin() : await readBeside() };
}

/**
 * The text of a command that takes no files: its words, and the pipe quoted behind them or, without words, as it is.
 * @param name the command.
 * @throws Failure (usage) when there is no text, and when it is too long or no text.
 */
export async function readText(words: readonly string[] | undefined, name: string): Promise<string> {
  const text = textOf(await readTyped(words, false));
  if (text === "") throw missing(name);
  return text;
}

/** The same; undefined where there is no text. */
export async function readTextIfAny(words: readonly string[] | undefined): Promise<string | undefined> {
  return textOf(await readTyped(words, true)) || undefined;
}

function textOf(typed: Typed): string {
  const piped = textIn(typed.piped);
  if (piped === null) throw new Failure("usage", t("the content of the pipe is not text in UTF-8"));
  const text = together(typed.words, piped);
  assertShort(text);
  return text;
}

/** A message, and the files that go along with it. */
export interface TypedMessage {
  text: string;
  files: AttachedFile[];
}

/**
 * The message of a command, with its files: what came through the pipe is quoted behind the words or, without words, is the
 * message; what is too long for that, or no text, is one more file.
 * @param name the command.
 * @throws Failure (usage) when there is neither a text nor a file.
 */
export async function readMessage(
  words: readonly string[] | undefined,
  name: string,
  paths: readonly string[] = [],
): Promise<TypedMessage> {
  const typed = await readTyped(words, paths.length > 0);
  const piped = textIn(typed.piped);
  const max = typed.words === "" ? MESSAGE_CHARS_MAX : QUOTED_CHARS_MAX;
  const isFile = piped === null || isLongerThan(piped, max);
  const files = await attachFiles(paths, isFile ? [{ name: "pipe", bytes: typed.piped }] : []);
  const text = (isFile ? typed.words : together(typed.words, piped)) || namesOf(files);
  if (text === "") throw missing(name);
  assertShort(text);
  return { text, files };
}

/** Empty where there is nothing but white space. */
function together(words: string, piped: string): string {
  if (piped.trim() === "") return words;
  // The indentation of the first line belongs to the text.
  const quoted = piped.replace(/^(?:[^\S\n]*\n)+/, "").trimEnd();
  return words === "" ? quoted : `${words}\n\n${fencedBlock(piped)}`;
}

function assertShort(text: string): void {
  if (!isLongerThan(text, MESSAGE_CHARS_MAX)) return;
  throw new Failure(
    "usage",
    t("a message has at most {max} characters, and this one has {count}", {
      max: MESSAGE_CHARS_MAX,
      count: countCharacters(text),
    }),
  );
}

function missing(name: string): Failure {
  return new Failure("usage", t("the text is missing: mimikit {name} <text>, or send it through a pipe", { name }));
}

function isDash(words: readonly string[] | undefined): boolean {
  return words?.length === 1 && words[0] === DASH;
}
