/** One line about a mistake on the command line: what is wrong, and what to type instead. */
import { nearest } from "@mimikit/core/base/nearest";
import { looksSecret } from "@mimikit/runtime/config/edit-settings";
import { t } from "../i18n/language.ts";
import type { Command } from "./command.ts";

export const NO_ARGUMENT =
  "a key is never an argument: others see it in the list of processes, and the shell keeps it. Send it through a pipe, with --key-stdin, or say  mimikit connect  and paste it";

/** An option without the value that was typed with it. */
const beforeValue = (word: string) => word.split("=", 1)[0] ?? "";

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
      return t("there is no option {option}: {hint}", {
        option: first,
        hint: meant(first, options, "", t("mimikit --help  lists the options")),
      });
  }
  const name = words.find((word) => !word.startsWith("-")) ?? "";
  if (name === "") return t("the command is missing:  mimikit --help  lists the commands");
  const command = commands.find((each) => each.name === name);
  if (command === undefined) {
    const names = commands.map((each) => each.name);
    return t("there is no command {name}: {hint}", {
      name,
      hint: meant(name, names, "mimikit ", t("mimikit --help  lists the commands")),
    });
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
  if (typed === undefined)
    return t("mimikit {name} <sub-command>: choose one of {all}", { name, all: names.join(", ") });
  return t("there is no  mimikit {name} {typed}: {hint}", { name, typed, hint: oneOf(typed, names) });
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
  const help = t("{line} --help  shows its options and examples", { line });
  const [, argument, given, choices = ""] =
    /^ *Argument: ([\w-]+), Given: "(.*)", Choices: (.*)$/m.exec(complaint) ?? [];
  if (argument !== undefined && given !== undefined) {
    const all = choices.split(", ").map((choice) => choice.replaceAll('"', ""));
    const where = words.some((word) => word.startsWith(`--${argument}`)) ? `--${argument}` : line;
    return t("there is no  {where} {given}: {hint}", { where, given, hint: oneOf(given, all) });
  }
  const [, named = ""] = /^Unknown arguments?: ([^,]+)/.exec(complaint) ?? [];
  // The parser calls --long-term longTerm.
  const dashed = named.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const option = words.find(
    (word) => word.startsWith("-") && [named, dashed].includes(beforeValue(word).replace(/^--?(?:no-)?/, "")),
  );
  if (option !== undefined) {
    const bare = beforeValue(option).replace(/(?<=^--)no-/, "");
    const owners = others.filter((each) => optionsOf([...path.slice(0, -1), each]).includes(bare));
    if (owners.length > 0)
      return t("{line} takes no {option}: it is an option of  mimikit {owners}", {
        line,
        option: bare,
        owners: `${path[0]} ${andList(owners)}`,
      });
    return t("there is no option {option}: {hint}", { option, hint: meant(bare, optionsOf(path), `${line} … `, help) });
  }
  if (looksSecret(named)) return t(NO_ARGUMENT);
  if (named !== "") return t("{named} is one argument too many; usage:  {usage}", { named, usage });
  if (/^Not enough (non-option )?arguments|^Missing required/.test(complaint))
    return t("an argument is missing; usage:  {usage}  ({help})", { usage, help });
  return `${complaint} (${help})`;
}

/** `a, b and c` */
function andList(names: readonly string[]): string {
  return [names.slice(0, -1).join(", "), ...names.slice(-1)].filter((part) => part !== "").join(t(" and "));
}

function oneOf(typed: string, choices: readonly string[]): string {
  const suggestion = nearest(typed, choices);
  const all = choices.join(", ");
  return suggestion === undefined
    ? t("choose one of {all}", { all })
    : t("did you mean {suggestion}? The choices are {all}", { suggestion, all });
}

function meant(word: string, candidates: readonly string[], before: string, otherwise: string): string {
  const candidate = nearest(word, candidates);
  return candidate === undefined ? otherwise : t("did you mean  {line}?", { line: `${before}${candidate}` });
}
