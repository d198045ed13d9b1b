/** docs/cli.md, made from the definitions of the commands: what `mimikit <command> --help` says, on one page. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import yargs from "yargs";
import type { Command } from "../apps/cli/src/arguments/command.ts";

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

/** What `mimikit <command> --help` says. */
export function helpOf(command: Command): Promise<string> {
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
    cli.parse([command.name, "--help"], (error: unknown, _argv: unknown, output: string) =>
      error ? reject(error) : resolve(output),
    );
  });
}

export async function describeCommandLine(): Promise<string> {
  const commands = await allCommands();
  const rows = commands.map(({ name, summary }) => `| [\`${name}\`](#${name}) | ${summary} |`);
  const sections = await Promise.all(
    commands.map(async (command) => `## ${command.name}\n\n\`\`\`text\n${(await helpOf(command)).trim()}\n\`\`\`\n`),
  );
  return `# The command line

\`./mimikit <command>\`. Each command is about the instance of the directory that it is called in, or of \`MIMIKIT_HOME\`.
\`--json\` prints one JSON document for programs; colours and cut columns are for terminals only, and \`NO_COLOR\` turns the
colours off. What only reads the state directory works with everything down.

Exit codes: 0 done, 1 failed (the reason is on stderr in one line), 2 wrong usage, 3 not running where it must be, 4 timed out,
5 waits for your answer.

| command | |
|---|---|
${rows.join("\n")}

${sections.join("\n")}
This page is generated: \`npm run docs\`.
`;
}
