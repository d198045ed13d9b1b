/** The docs say what the code does. */
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { withApiTables, withShapesTable } from "../scripts/api-page.ts";
import { withArchitectureTables } from "../scripts/architecture-tables.ts";
import { describeAttacks } from "../scripts/attacks-page.ts";
import { allCommands, describeCommandLine } from "../scripts/command-page.ts";
import { describeConfiguration } from "../scripts/configuration-table.ts";
import { PICTURES, withGallery } from "../scripts/gallery.ts";
import { withLastingCommands } from "../scripts/lasting-table.ts";
import { withRequirements } from "../scripts/requirements-table.ts";
import { withLongTable, withShortTable } from "../scripts/versus/results.ts";
import { ATTACKS } from "./attacks/list.ts";

const ROOT = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

test("docs/configuration.md is what the schema says; `npm run docs` writes it", () => {
  expect(read("docs/configuration.md")).toBe(describeConfiguration());
});

test("docs/cli.md and docs/cli/ are what --help says; `npm run docs` writes them", async () => {
  const pages = await describeCommandLine();
  expect(globSync(["cli.md", "cli/*"], { cwd: join(ROOT, "docs") }).sort()).toEqual(Object.keys(pages).sort());
  for (const [path, text] of Object.entries(pages)) expect(read(`docs/${path}`)).toBe(text);
});

test("each command of the command line is on one page of docs/cli/", async () => {
  const text = Object.entries(await describeCommandLine()).flatMap(([path, page]) => (path === "cli.md" ? [] : [page]));
  const named = [...text.join("\n").matchAll(/^## (\S+)$/gm)].map(([, name]) => name);
  expect(named.sort()).toEqual((await allCommands()).map(({ name }) => name).sort());
});

test("docs/attacks.md has the attacks of the list; `npm run docs` writes it", () => {
  expect(read("docs/attacks.md")).toBe(describeAttacks());
});

test("the table of commands that can be allowed for good is that of the code", () => {
  expect(read("docs/autonomy.md")).toBe(withLastingCommands(read("docs/autonomy.md")));
});

test("attacks are numbered one after the other, and each names tests that there are", () => {
  expect(ATTACKS.map(({ number }) => number)).toEqual(ATTACKS.map((_, i) => i + 1));
  const dead = ATTACKS.flatMap(({ number, shown }) =>
    shown
      .filter(([file, title]) => {
        // A test has the title, not a group of them: `npm run test:attacks` looks for tests.
        const text = read(file).replaceAll(/^ *describe\b.*$/gm, "");
        return title === undefined ? !new RegExp(`["\`]${number} `).test(text) : !text.includes(title);
      })
      .map((each) => `${number}: ${each.join(": ")}`),
  );
  expect(dead).toEqual([]);
});

test("every promise of docs/security.md names attacks that there are, and every attack is of a promise", () => {
  const [, table = ""] = /\n\| who \|[^\n]*\n\|[-|]+\n([\s\S]*?)\n\n/.exec(read("docs/security.md")) ?? [];
  const rows = table.split("\n").map((row) => row.split("|").at(-2) ?? "");
  expect(rows.length).toBeGreaterThan(20);
  expect(rows.filter((cell) => !/^ [\d, –]+ $/.test(cell))).toEqual([]);
  const named = rows
    .flatMap((cell) => cell.split(","))
    .flatMap((each) => {
      const [from = 0, to = from] = each.split("–").map(Number);
      return Array.from({ length: to - from + 1 }, (_, i) => from + i);
    });
  expect([...new Set(named)].sort((a, b) => a - b)).toEqual(ATTACKS.map(({ number }) => number));
});

test("docs/api.md and docs/api-shapes.md have the routes, the errors and the shapes that the gateway has; `npm run docs` writes them", () => {
  expect(read("docs/api.md")).toBe(withApiTables(read("docs/api.md")));
  expect(read("docs/api-shapes.md")).toBe(withShapesTable(read("docs/api-shapes.md")));
});

test("docs/ARCHITECTURE.md lists the folders, the kinds of tasks and the rules that there are; `npm run docs` writes them", () => {
  expect(read("docs/ARCHITECTURE.md")).toBe(withArchitectureTables(read("docs/ARCHITECTURE.md")));
});

test("README.md says what of the system is needed for what; `npm run docs` writes it", () => {
  expect(read("README.md")).toBe(withRequirements(read("README.md")));
});

test("README.md and docs/versus.md show the results that are kept; `npm run docs` writes them", () => {
  expect(read("README.md")).toBe(withShortTable(read("README.md")));
  expect(read("docs/versus.md")).toBe(withLongTable(read("docs/versus.md")));
});

test("docs/page/pictures.md shows all pictures; `npm run docs` writes its gallery", () => {
  expect(read("docs/page/pictures.md")).toBe(withGallery(read("docs/page/pictures.md")));
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
