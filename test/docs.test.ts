/** What the docs say is what the code does. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { withApiTables } from "../scripts/api-page.ts";
import { describeCommandLine } from "../scripts/command-page.ts";
import { describeConfiguration } from "../scripts/configuration-table.ts";

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

test("every link of the docs to a file leads to one", () => {
  const pages = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".md"),
  );
  const files = [
    "README.md",
    "README.zh-CN.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    ...pages.map((name) => `docs/${name}`),
  ];
  const broken = files.flatMap((file) =>
    [...read(file).matchAll(/\]\((?!https?:|#)([^)#]+)/g), ...read(file).matchAll(/(?:src|srcset)="([^"]+)"/g)]
      .map(([, target = ""]) => target)
      .filter((target) => !existsSync(join(ROOT, dirname(file), target)))
      .map((target) => `${file} → ${target}`),
  );
  expect(broken).toEqual([]);
});
