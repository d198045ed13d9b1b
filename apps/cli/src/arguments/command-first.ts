/** Options may be typed before the command and its sub-command, and the sub-command may be left out. yargs gets both first. */
import yargs from "yargs";
import type { Command } from "./command.ts";

/** Options of the command line itself; none takes a value. */
const FLAGS = ["json", "help", "h", "version", "v"] as const;

/** The word at the place of the command's name, which need not be a command. */
export function nameIn(words: readonly string[]): string | undefined {
  return words[firstPlain(words)];
}

/** @param words a line in which `command` is named. @returns it with the name first, then the sub-command, where one is typed or runs alone. */
export function commandFirst(words: readonly string[], command: Command): string[] {
  const { name, subCommands, alone } = command;
  const rest = words.toSpliced(firstPlain(words), 1);
  if (subCommands.length === 0) return [name, ...rest];
  const at = firstPlain(rest, command);
  const typed = rest[at];
  if (typed !== undefined)
    return subCommands.some((each) => each.name === typed) ? [name, typed, ...rest.toSpliced(at, 1)] : [name, ...rest];
  const asksForHelp = rest.some((word) => word === "--help" || word === "-h");
  return alone === undefined || asksForHelp ? [name, ...rest] : [name, alone.name, ...rest];
}

/** The index of the first word that is neither an option nor the value of one; -1 if there is none. */
function firstPlain(words: readonly string[], command?: Command): number {
  const [first = "-"] = words;
  if (!first.startsWith("-")) return 0;
  return words.findIndex((_, i) => plainWords(words.slice(0, i + 1), command).length > 0);
}

function plainWords(words: readonly string[], command: Command | undefined): unknown[] {
  const parser = yargs().help(false).version(false).boolean(FLAGS);
  command?.addOptionsTo(parser as unknown as Parameters<Command["addOptionsTo"]>[0]);
  let plain: unknown[] = [];
  // With a callback the parser prints nothing, and complaints about the rest of the line come later.
  parser.parse([...words], (_error: unknown, { _: found }: { _: unknown[] }) => {
    plain = found;
  });
  return plain;
}
