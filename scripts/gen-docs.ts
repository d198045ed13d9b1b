/** `npm run docs`: writes the pages and tables of the docs that follow from the code. A test fails when they are behind. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeCommandLine } from "./command-page.ts";
import { describeConfiguration } from "./configuration-table.ts";

const PAGES = {
  "configuration.md": describeConfiguration(),
  "cli.md": await describeCommandLine(),
};

for (const [name, text] of Object.entries(PAGES)) {
  writeFileSync(join(import.meta.dirname, "../docs", name), text);
  process.stdout.write(`${text.split("\n").length} lines in docs/${name}\n`);
}
