/** The commands of which *always* is offered, in docs/autonomy.md. */
import { LASTING_COMMANDS } from "@mimikit/core/tasks/lasting-commands";
import { withBlocks } from "./generated-blocks.ts";

export function withLastingCommands(page: string): string {
  const code = (words: readonly string[]) => words.map((word) => `\`${word}\``).join(" ");
  const rows = LASTING_COMMANDS.map(
    ({ programs, subcommands, options }) =>
      `| ${code(programs)} | ${subcommands.length === 0 ? "–" : code(subcommands)} | ${options === "any" ? "any" : code(options)} |\n`,
  );
  return withBlocks(page, {
    "the commands that can be allowed": `| program | subcommand | options |\n|---|---|---|\n${rows.join("")}`,
  });
}
