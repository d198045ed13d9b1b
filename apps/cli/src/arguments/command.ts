/** Commands are a name, a promise, examples, and the code that runs. A group of commands has sub-commands instead of code. */
import type { ArgumentsCamelCase, Argv } from "yargs";
import { translateDescriptions } from "../i18n/help.ts";
import { t } from "../i18n/language.ts";
import { Failure } from "../io/failure.ts";

/** Options that every command has. */
export interface CommonOptions {
  json: boolean;
}

export interface Command {
  /** The first word of its usage. */
  readonly name: string;
  /** Its name and its arguments: `send [text..]`. */
  readonly usage: string;
  readonly summary: string;
  readonly examples: readonly Example[];
  /** Its arguments are words of people: data, even where they look like options or like `help`. */
  readonly takesText: boolean;
  /** Empty for all but groups. */
  readonly subCommands: readonly Command[];
  /** The sub-command that runs where none is named. */
  readonly alone?: Command;
  /** @param isListed in the help of `cli`, and completed; true where it is not given. */
  addTo(cli: Argv<CommonOptions>, isListed?: boolean): void;
  addOptionsTo(parser: Argv<CommonOptions>): void;
}

/** A line to type, and its effect. */
type Example = readonly [line: string, meaning: string];

/** A text, or how it is made where a part of it is no text to translate. */
type Epilogue = string | (() => string);

interface Definition<T extends CommonOptions> {
  /** The name and its positional arguments, as yargs writes them: `send [text..]`. */
  usage: string;
  summary: string;
  /** Lines of `mimikit <command> --help`. */
  examples: readonly Example[];
  /** Shown by `--help` below the examples. */
  epilogue?: Epilogue;
  takesText?: boolean;
  options?: (yargs: Argv<CommonOptions>) => Argv<T>;
  run: (options: ArgumentsCamelCase<T>) => Promise<void>;
}

/** A command, or a sub-command, from its definition. */
export function command<T extends CommonOptions>(definition: Definition<T>): Command {
  const { usage, summary, examples, epilogue, takesText = false, options, run } = definition;
  const addOptions = (yargs: Argv<CommonOptions>) =>
    options === undefined ? (yargs as unknown as Argv<T>) : options(yargs);
  return {
    name: usage.split(" ", 1).join(),
    usage,
    summary,
    examples,
    takesText,
    subCommands: [],
    addTo(cli, isListed = true) {
      cli.command(
        usage,
        listed(summary, isListed),
        (yargs) => {
          const below = [examplesText(examples), ...(epilogue === undefined ? [] : [textOf(epilogue)])];
          // A command that is not listed has no description of its own in its help.
          if (!isListed) yargs.usage(`$0 ${usage}\n\n${t(summary)}`);
          return translateDescriptions(addOptions(yargs.epilogue(below.join("\n\n"))));
        },
        (given) => {
          assertNumbers(given);
          return run(given);
        },
      );
    },
    addOptionsTo(parser) {
      addOptions(parser);
    },
  };
}

/** The summary, or `false`, which yargs takes as well: the command is not listed. */
function listed(summary: string, isListed: boolean): string {
  return isListed ? t(summary) : (false as unknown as string);
}

/** Examples below the options: each line whole, so that it can be copied, and its effect under it. */
export function examplesText(examples: readonly Example[]): string {
  return [t("Examples:"), ...examples.flatMap(([line, meaning]) => [`  ${line}`, `      ${t(meaning)}`])].join("\n");
}

function textOf(epilogue: Epilogue): string {
  return typeof epilogue === "string" ? t(epilogue) : epilogue();
}

interface GroupDefinition {
  name: string;
  summary: string;
  epilogue?: Epilogue;
  /** In the order of the help. */
  subCommands: readonly Command[];
  /** The one of them that runs where none is named. */
  alone?: Command;
}

/** A command that has sub-commands: `mimikit triggers add`. */
export function commandGroup({ name, summary, epilogue, subCommands, alone }: GroupDefinition): Command {
  const usage = `${name} ${alone === undefined ? "<sub-command>" : "[sub-command]"}`;
  const helps = () =>
    alone === undefined
      ? t("See mimikit {name} <sub-command> --help for the options and examples of each.", { name })
      : t(
          "Without a sub-command, mimikit {name} runs {alone}. See mimikit {name} <sub-command> --help for the options and examples of each.",
          { name, alone: alone.name },
        );
  return {
    name,
    usage,
    summary,
    examples: [],
    takesText: false,
    subCommands,
    ...(alone !== undefined && { alone }),
    addTo(cli, isListed = true) {
      cli.command(name, listed(summary, isListed), (yargs) => {
        yargs.usage(`$0 ${usage}\n\n${t(summary)}`).demandCommand(1);
        for (const each of subCommands) each.addTo(yargs);
        return yargs.epilogue(epilogue === undefined ? helps() : `${helps()}\n\n${textOf(epilogue)}`);
      });
    },
    addOptionsTo(parser) {
      for (const each of subCommands) each.addOptionsTo(parser);
    },
  };
}

/** @throws Failure (usage): a word where a number is wanted. */
function assertNumbers(options: Record<string, unknown>): void {
  const [name] = Object.entries(options).find(([, value]) => Number.isNaN(value)) ?? [];
  if (name !== undefined) throw new Failure("usage", t("--{name} is a number", { name }));
}
