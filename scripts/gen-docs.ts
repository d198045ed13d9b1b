/** `npm run docs`: writes the tables of the docs that follow from the code. A test fails when they are behind. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeConfiguration } from "./configuration-table.ts";

const path = join(import.meta.dirname, "../docs/configuration.md");
writeFileSync(path, describeConfiguration());
process.stdout.write(`${readFileSync(path, "utf8").split("\n").length} lines in docs/configuration.md\n`);
