/** What every command is made of: a name, a promise, examples, and what it does. */
import type { ArgumentsCamelCase, Argv } from "yargs";
import { Failure } from "../io/failure.ts";

/** Options that every command has. */
export interface CommonOptions {
  json: boolean;
}

export interface Command {
  /** The first word of its usage. */
  readonly name: string;
  /** Its name and what follows it: `send [text..]`. */
  readonly usage: string;
  readonly summary: string;
  readonly examples: readonly Example[];
  addTo(cli: Argv<CommonOptions>): void;
}

/** What to type, and what it does. */
type Example = readonly [line: string, meaning: string];

interface Definition<T extends CommonOptions> {
  /** The name and its positional arguments, as yargs writes them: `send [text..]`. */
  usage: string;
  summary: string;
  /** Lines of `mimikit <command> --help`. */
  examples: readonly Example[];
  /** Shown by `--help` below the examples. */
  epilogue?: string;
  options?: (yargs: Argv<CommonOptions>) => Argv<T>;
  run: (options: ArgumentsCamelCase<T>) => Promise<void>;
}

/** What a command can be asked to do, as its first word; the first of them where none is said. */
export function actions<const T extends string>(...choices: readonly [T, ...T[]]) {
  return { choices, default: choices[0], describe: "what to do" };
}

/** A command, from its definition. */
export function command<T extends CommonOptions>(definition: Definition<T>): Command {
  const { usage, summary, examples, epilogue, options, run } = definition;
  return {
    name: usage.split(" ", 1).join(),
    usage,
    summary,
    examples,
    addTo(cli) {
      cli.command(
        usage,
        summary,
        (yargs) => {
          for (const [line, meaning] of examples) yargs.example(line, meaning);
          if (epilogue !== undefined) yargs.epilogue(epilogue);
          return options === undefined ? (yargs as unknown as Argv<T>) : options(yargs);
        },
        (given) => {
          assertNumbers(given);
          return run(given);
        },
      );
    },
  };
}

/** @throws Failure (usage): a word where a number is wanted. */
function assertNumbers(options: Record<string, unknown>): void {
  const [name] = Object.entries(options).find(([, value]) => Number.isNaN(value)) ?? [];
  if (name !== undefined) throw new Failure("usage", `--${name} is a number`);
}
