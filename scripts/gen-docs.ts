/** `npm run docs`: writes the pages and tables of the docs that follow from the code. A test fails when they are behind. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withApiTables, withShapesTable } from "./api-page.ts";
import { withArchitectureTables } from "./architecture-tables.ts";
import { describeAttacks } from "./attacks-page.ts";
import { withBudgets } from "./budgets-table.ts";
import { describeCommandLine } from "./command-page.ts";
import { describeConfiguration } from "./configuration-table.ts";
import { withGallery } from "./gallery.ts";
import { withLastingCommands } from "./lasting-table.ts";
import { withRequirements } from "./requirements-table.ts";
import { withLongTable, withShortTable } from "./versus/results.ts";

const DOCS = join(import.meta.dirname, "../docs");

const PAGES = {
  "ARCHITECTURE.md": withArchitectureTables(readFileSync(join(DOCS, "ARCHITECTURE.md"), "utf8")),
  "api.md": withApiTables(readFileSync(join(DOCS, "api.md"), "utf8")),
  "api-shapes.md": withShapesTable(readFileSync(join(DOCS, "api-shapes.md"), "utf8")),
  "autonomy.md": withLastingCommands(readFileSync(join(DOCS, "autonomy.md"), "utf8")),
  "attacks.md": describeAttacks(),
  "configuration.md": describeConfiguration(),
  "context.md": withBudgets(readFileSync(join(DOCS, "context.md"), "utf8")),
  ...(await describeCommandLine()),
  "page/pictures.md": withGallery(readFileSync(join(DOCS, "page/pictures.md"), "utf8")),
  "versus.md": withLongTable(readFileSync(join(DOCS, "versus.md"), "utf8")),
  "../README.md": withShortTable(withRequirements(readFileSync(join(DOCS, "../README.md"), "utf8"))),
};

for (const [name, text] of Object.entries(PAGES)) {
  writeFileSync(join(DOCS, name), text);
  process.stdout.write(`${text.split("\n").length} lines in docs/${name}\n`);
}
