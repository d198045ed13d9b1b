/** One line about a mistake on the command line: what is wrong, and what to type instead. */
import { nearest } from "@mimikit/core/base/nearest";
import { looksSecret } from "@mimikit/runtime/config/edit-settings";
import type { Command } from "./command.ts";

export const NO_ARGUMENT =
  "a key is never an argument: others see it in the list of processes, and the shell keeps it. Send it through a pipe, with --key-stdin, or say  mimikit connect  and paste it";

interface Line {
  /** As they were typed, with the command first, then the sub-command. */
  words: readonly string[];
  /** All that there are. */
  commands: readonly Command[];
  /** The options of `mimikit <path>`. */
  optionsOf: (path: readonly string[]) => readonly string[];
}

/** @param complaint the parser's own text. */
export function misuseText(complaint: string, { words, commands, optionsOf }: Line): string {
  const [first = "", second = ""] = words;
  if (first.startsWith("-")) {
    const options = optionsOf([]);
    if (!options.includes(first))
      return `there is no option ${first}: ${meant(first, options, "", "mimikit --help  lists the options")}`;
  }
  const name = words.find((word) => !word.startsWith("-")) ?? "";
  if (name === "") return "the command is missing:  mimikit --help  lists the commands";
  const command = commands.find((each) => each.name === name);
  if (command === undefined) {
    const names = commands.map((each) => each.name);
    return `there is no command ${name}: ${meant(name, names, "mimikit ", "mimikit --help  lists the commands")}`;
  }
  if (command.subCommands.length === 0) return misuseOf(complaint, words, { leaf: command, path: [name], optionsOf });
  const leaf = command.subCommands.find((each) => each.name === second);
  if (leaf === undefined) return misuseOfGroup(words.slice(1), command);
  const others = command.subCommands.filter((each) => each !== leaf).map((each) => each.name);
  return misuseOf(complaint, words, { leaf, path: [name, second], others, optionsOf });
}

function misuseOfGroup(words: readonly string[], { name, subCommands }: Command): string {
  const names = subCommands.map((each) => each.name);
  const typed = words.find((word) => !word.startsWith("-"));
  if (typed === undefined) return `mimikit ${name} <sub-command>: choose one of ${names.join(", ")}`;
  return `there is no  mimikit ${name} ${typed}: ${oneOf(typed, names)}`;
}

interface Place extends Pick<Line, "optionsOf"> {
  leaf: Command;
  path: readonly string[];
  /** The other sub-commands of its group. */
  others?: readonly string[];
}

function misuseOf(complaint: string, words: readonly string[], place: Place): string {
  const { leaf, path, others = [], optionsOf } = place;
  const line = `mimikit ${path.join(" ")}`;
  const usage = [line, ...leaf.usage.split(" ").slice(1)].join(" ");
  const help = `${line} --help  shows its options and examples`;
  const [, argument, given, choices = ""] = /Argument: ([\w-]+), Given: "(.*?)", Choices: (.*)$/.exec(complaint) ?? [];
  if (argument !== undefined && given !== undefined) {
    const all = choices.split(", ").map((choice) => choice.replaceAll('"', ""));
    const where = words.some((word) => word.startsWith(`--${argument}`)) ? `--${argument}` : line;
    return `there is no  ${where} ${given}: ${oneOf(given, all)}`;
  }
  const [, named = ""] = /^Unknown arguments?: ([^,]+)/.exec(complaint) ?? [];
  // The parser calls --long-term longTerm.
  const dashed = named.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const option = words.find(
    (word) => word.startsWith("-") && [named, dashed].includes(word.replace(/^--?(?:no-)?|=.*$/gs, "")),
  );
  if (option !== undefined) {
    const bare = option.replace(/(?<=^--)no-|=.*$/gs, "");
    const owners = others.filter((each) => optionsOf([...path.slice(0, -1), each]).includes(bare));
    if (owners.length > 0) return `${line} takes no ${bare}: it is an option of  mimikit ${path[0]} ${andList(owners)}`;
    return `there is no option ${option}: ${meant(bare, optionsOf(path), `${line} … `, help)}`;
  }
  if (looksSecret(named)) return NO_ARGUMENT;
  if (named !== "") return `${named} is one argument too many; usage:  ${usage}`;
  if (/^Not enough (non-option )?arguments|^Missing required/.test(complaint))
    return `an argument is missing; usage:  ${usage}  (${help})`;
  return `${complaint} (${help})`;
}

/** `a, b and c` */
function andList(names: readonly string[]): string {
  return [names.slice(0, -1).join(", "), ...names.slice(-1)].filter((part) => part !== "").join(" and ");
}

function oneOf(typed: string, choices: readonly string[]): string {
  const suggestion = nearest(typed, choices);
  const all = choices.join(", ");
  return suggestion === undefined ? `choose one of ${all}` : `did you mean ${suggestion}? The choices are ${all}`;
}

function meant(word: string, candidates: readonly string[], before: string, otherwise: string): string {
  const candidate = nearest(word, candidates);
  return candidate === undefined ? otherwise : `did you mean  ${before}${candidate}?`;
}
