/** What every command is made of: a name, a promise, examples, and what it does. */
import type { ArgumentsCamelCase, Argv } from "yargs";

/** Options that every command has. */
export interface CommonOptions {
  json: boolean;
}

export interface Command {
  addTo(cli: Argv<CommonOptions>): void;
}

interface Definition<T extends CommonOptions> {
  /** The name and its positional arguments, as yargs writes them: `send [text..]`. */
  usage: string;
  summary: string;
  /** Lines of `mimikit <command> --help`: what to type, and what it does. */
  examples: readonly (readonly [string, string])[];
  options?: (yargs: Argv<CommonOptions>) => Argv<T>;
  run: (options: ArgumentsCamelCase<T>) => Promise<void>;
}

/** A command, from its definition. */
export function command<T extends CommonOptions>(definition: Definition<T>): Command {
  const { usage, summary, examples, options, run } = definition;
  return {
    addTo(cli) {
      cli.command(
        usage,
        summary,
        (yargs) => {
          for (const [line, meaning] of examples) yargs.example(line, meaning);
          return options === undefined ? (yargs as unknown as Argv<T>) : options(yargs);
        },
        run,
      );
    },
  };
}
