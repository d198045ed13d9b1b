/** The optional programs of the system, in README.md: made from the one table of them. */
import type { System } from "@mimikit/runtime/platform/system";
import { REQUIREMENTS, SYSTEMS } from "@mimikit/runtime/requirements";
import { withBlocks } from "./generated-blocks.ts";

/** README.md with its block as the code has it. Throws where it has no place. */
export function withRequirements(page: string): string {
  const rows = REQUIREMENTS.map(({ name, neededBy, without }) => `| ${name} | ${neededBy} | ${without} |\n`);
  const commands = Object.entries(SYSTEMS).map(([id, { name, install }]) => {
    const packages = REQUIREMENTS.flatMap((each) => each.packages[id as System] ?? []);
    return `| ${name} | \`${install} ${packages.join(" ")}\` |  |\n`;
  });
  const block = `| | needed by | without it |\n|---|---|---|\n${rows.join("")}${commands.join("")}`;
  return withBlocks(page, { requirements: block });
}
