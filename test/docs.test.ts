/** What the docs say is what the code does. */
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { withApiTables } from "../scripts/api-page.ts";
import { withArchitectureTables } from "../scripts/architecture-tables.ts";
import { describeCommandLine } from "../scripts/command-page.ts";
import { describeConfiguration } from "../scripts/configuration-table.ts";
import { PICTURES, withGallery } from "../scripts/gallery.ts";
import { withRequirements } from "../scripts/requirements-table.ts";

const ROOT = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

test("docs/configuration.md is what the schema says; `npm run docs` writes it", () => {
  expect(read("docs/configuration.md")).toBe(describeConfiguration());
});

test("docs/cli.md is what --help says; `npm run docs` writes it", async () => {
  expect(read("docs/cli.md")).toBe(await describeCommandLine());
});

test("docs/api.md has the routes, the shapes and the errors that the gateway has; `npm run docs` writes them", () => {
  expect(read("docs/api.md")).toBe(withApiTables(read("docs/api.md")));
});

test("docs/ARCHITECTURE.md lists the folders, the kinds of tasks and the rules that there are; `npm run docs` writes them", () => {
  expect(read("docs/ARCHITECTURE.md")).toBe(withArchitectureTables(read("docs/ARCHITECTURE.md")));
});

test("README.md says what of the system is needed for what; `npm run docs` writes it", () => {
  expect(read("README.md")).toBe(withRequirements(read("README.md")));
});

test("docs/page.md shows the pictures that there are; `npm run docs` writes its gallery", () => {
  expect(read("docs/page.md")).toBe(withGallery(read("docs/page.md")));
  expect(
    globSync("docs/images/page/*", { cwd: ROOT })
      .map((path) => basename(path))
      .sort(),
  ).toEqual(PICTURES.toSorted());
});

test("every picture that a page names is there, and each that is there is on a page", () => {
  const pages = globSync(["*.md", "docs/**/*.md"], { cwd: ROOT });
  const named = pages.flatMap((page) =>
    [...read(page).matchAll(/(?:src|srcset)="([^":]+)"|!\[[^\]]*\]\(([^):]+)\)/g)].map(([, inTag, inText]) =>
      join(dirname(page), inTag ?? inText ?? ""),
    ),
  );
  expect([...new Set(named)].sort()).toEqual(globSync("docs/images/**/*.*", { cwd: ROOT }).sort());
});
