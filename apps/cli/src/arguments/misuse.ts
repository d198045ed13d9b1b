/** What is wrong with what was typed, in one line that says what to type instead. */
import { nearest } from "@mimikit/core/base/nearest";
import { looksSecret } from "@mimikit/runtime/config/edit-settings";

export const NO_ARGUMENT =
  "a key is never an argument: others see it in the list of processes, and the shell keeps it. Send it through a pipe, with --key-stdin, or say  mimikit connect  and paste it";

interface Known {
  /** The words that were typed. */
  words: readonly string[];
  /** How each command is written, by its name. */
  usages: ReadonlyMap<string, string>;
  /** What Tab offers for the options of the command that was typed. */
  options: readonly string[];
}

/** @param complaint what the parser says in its own words. */
export function misuseText(complaint: string, { words, usages, options }: Known): string {
  const name = words.find((word) => !word.startsWith("-")) ?? "";
  const [first = ""] = words;
  if (first.startsWith("-") && !options.includes(first))
    return `there is no option ${first}: ${meant(first, options, "", "mimikit --help  lists what there is")}`;
  if (name === "") return "say what to do:  mimikit --help  lists the commands";
  const usage = usages.get(name);
  if (usage === undefined)
    return `there is no command ${name}: ${meant(name, [...usages.keys()], "mimikit ", "mimikit --help  lists them")}`;
  const [, argument, given, choices = ""] = /Argument: ([\w-]+), Given: "(.*?)", Choices: (.*)$/.exec(complaint) ?? [];
  const help = `mimikit ${name} --help  shows examples`;
  if (argument !== undefined && given !== undefined) {
    const all = choices.split(", ").map((choice) => choice.replaceAll('"', ""));
    const where = words.some((word) => word.startsWith(`--${argument}`)) ? `--${argument} ` : `mimikit ${name} `;
    const suggestion = nearest(given, all);
    return `there is no  ${where}${given}: ${suggestion === undefined ? "" : `did you mean ${suggestion}? `}There is ${all.join(", ")}`;
  }
  const [, unknown = ""] = /^Unknown arguments?: ([^,]+)/.exec(complaint) ?? [];
  const option = words.find((word) => word.replace(/^--?|=.*$/gs, "") === unknown && word.startsWith("-"));
  if (option !== undefined)
    return `there is no option ${option}: ${meant(option, options, `mimikit ${name} … `, help)}`;
  if (looksSecret(unknown)) return NO_ARGUMENT;
  if (unknown !== "") return `${unknown} is one word too many: it is  mimikit ${usage}`;
  if (/^Not enough (non-option )?arguments|^Missing required/.test(complaint))
    return `something is missing: it is  mimikit ${usage}  (${help})`;
  return `${complaint} (${help})`;
}

function meant(word: string, candidates: readonly string[], before: string, otherwise: string): string {
  const candidate = nearest(word, candidates);
  return candidate === undefined ? otherwise : `did you mean  ${before}${candidate}?`;
}
