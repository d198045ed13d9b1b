/** docs/cli.md and docs/cli/, made from the definitions of the commands: an index, and the help of each command. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import yargs from "yargs";
import type { Command } from "../apps/cli/src/arguments/command.ts";
import { grouped } from "../apps/cli/src/arguments/groups.ts";

const COMMANDS_DIR = join(import.meta.dirname, "../apps/cli/src/commands");
/** Columns of the help on the page, and of the narrowest terminal that it is made for. */
const HELP_COLUMNS = 100;

/** Every command, by name. A file in commands/ exports the one that it is named after. */
export async function allCommands(): Promise<Command[]> {
  const names = readdirSync(COMMANDS_DIR).filter((file) => file.endsWith(".ts"));
  const commands = await Promise.all(
    names.map(async (file) => {
      const module = (await import(join(COMMANDS_DIR, file))) as Record<string, Command | undefined>;
      const command = Object.values(module).find(
        (exported) => typeof exported === "object" && exported.name === file.slice(0, -".ts".length),
      );
      if (command === undefined) throw new Error(`apps/cli/src/commands/${file} exports no command of its name`);
      return command;
    }),
  );
  return commands.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The text of `mimikit <command> [sub-command] --help`. */
export function helpOf(command: Command, subCommand?: Command): Promise<string> {
  return new Promise((resolve, reject) => {
    const cli = yargs()
      .scriptName("mimikit")
      .locale("en")
      .option("json", { type: "boolean", default: false, describe: "print one JSON document", global: true })
      .version(false)
      .help()
      .wrap(HELP_COLUMNS)
      .exitProcess(false);
    command.addTo(cli);
    cli.parse(
      [command.name, ...(subCommand === undefined ? [] : [subCommand.name]), "--help"],
      (error: unknown, _argv: unknown, output: string) => (error ? reject(error) : resolve(output)),
    );
  });
}

/** The part of a page about one command, with a part for each of its sub-commands: the first line of its help is the heading. */
async function partOf(command: Command): Promise<string> {
  const text = (help: string) => `\`\`\`text\n${help.trim()}\n\`\`\`\n`;
  const subCommands = await Promise.all(
    command.subCommands.map(async (each) => {
      const [, , ...help] = withoutCommonOptions(await helpOf(command, each)).split("\n");
      return `\n### \`${command.name} ${each.usage}\`\n\n${text(help.join("\n"))}`;
    }),
  );
  return `## ${command.name}\n\n${text(await helpOf(command))}${subCommands.join("")}`;
}

/** They are in the help of the command above. */
function withoutCommonOptions(help: string): string {
  return help.replace(/^ +--(?:json|help) .*\n/gm, "").replace(/^Options:\n(?=\n)\n/m, "");
}

/** The pages about the command line, by their paths in docs/. */
export async function describeCommandLine(): Promise<Record<string, string>> {
  const commands = await allCommands();
  const pages: Record<string, string> = {};
  const lists: string[] = [];
  for (const { key: group, title, commands: shown } of grouped(commands)) {
    const rows = shown.map(({ name, summary }) => `| [\`${name}\`](cli/${group}.md#${name}) | ${summary} |\n`);
    lists.push(`## ${title}\n\n| command | |\n|---|---|\n${rows.join("")}`);
    const sections = await Promise.all(shown.map(partOf));
    pages[`cli/${group}.md`] =
      `# ${title}\n\nThe help of these commands, as \`mimikit <command> --help\` prints it. Each sub-command takes \`--json\` and \`--help\`, too.
[All commands](../cli.md).\n\n${sections.join("\n")}\nThis page is generated: \`npm run docs\`.\n`;
  }
  pages["cli.md"] = `# The command line

\`./mimikit <command>\`. Each command acts on the instance of the current directory, or of \`MIMIKIT_HOME\`. \`mimikit <command> --help\`
prints its options and examples, or its sub-commands, which have a help each: \`mimikit triggers add --help\`. Commands that only read the state directory also work while nothing runs.

| option, variable | |
|---|---|
| \`--json\` | prints one JSON document for programs |
| \`NO_COLOR\` | turns colours off. Colours and truncated columns are for terminals only |
| \`LC_ALL\`, \`LC_MESSAGES\`, \`LANG\` | the first that is set: where it begins with \`zh\`, help, output, tables, progress and errors are in Chinese. \`--json\`, logs, exit codes and \`mcp serve\` are the same everywhere; names that you type (commands, options, roles, settings) and texts of models, skills and yours stay as they are |

Exit codes: 0 success, 1 failure (the reason is on stderr in one line), 2 wrong usage, 3 Mimikit is not running, and the command needs it,
4 timed out, 5 waits for your answer.

${lists.join("\n")}
This page is generated: \`npm run docs\`.
`;
  return pages;
}
