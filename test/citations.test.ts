/** Every citation leads somewhere: to a requirement, a rule of the file protocol, a decision, a page or a section of one. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..");
/** This file holds citations that are made up. */
const OWN_PATH = relative(ROOT, import.meta.filename);
const REQUIREMENTS = "docs/requirements.md";
const PROTOCOL = "docs/file-protocol.md";
const DECISIONS = readdirSync(join(ROOT, "docs/decisions"));

interface Citation {
  /** As it stands in the text. */
  cited: string;
  isDead: boolean;
}

/** The citations in the text of the file at `path`. Both paths and what is cited count from the root of the repository. */
function citationsOf(path: string, text: string): Citation[] {
  const isMarkdown = path.endsWith(".md");
  // A comment goes on in its next line.
  const flat = isMarkdown ? text : text.replaceAll(/\n\s*(?:\*|\/\/)[ \t]+/g, " ");
  const found = (pattern: RegExp, isDead: (...groups: (string | undefined)[]) => boolean): Citation[] =>
    [...flat.matchAll(pattern)].map(([cited, ...groups]) => ({ cited, isDead: isDead(...groups) }));
  const linked = (target: string) => normalize(join(dirname(path), target));
  return [
    ...found(/\bSPEC ([A-Z]\d*\b(?:(?:, | and )[A-Z]\d*\b)*)/g, (numbers) => !hasNumbers(REQUIREMENTS, numbers)),
    ...found(
      /\bdocs\/file-protocol\.md ([RI]\d+\b(?:(?:, | and | to )[RI]\d+\b)*)/g,
      (numbers) => !hasNumbers(PROTOCOL, numbers),
    ),
    ...found(
      /(?<=^|[\s(])(docs\/[\w./-]+\.md)(?:#([\w-]+)(?: step (\d+))?)?/gm,
      (page = "", ...place) => !leadsTo(page, ...place),
    ),
    ...found(
      /(?<=[[(]|decisions?[ /]|, )(00\d\d)(?=[\])-]|$)/gm,
      (number) => !DECISIONS.some((name) => name.startsWith(`${number}-`)),
    ),
    // Documents that the repository does not hold.
    ...found(/\bPROTOCOL\b|\bAPI\.md\b|\bseed 00\d\b/g, () => true),
    ...(isMarkdown
      ? [
          ...found(
            /\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g,
            (to, section) => !leadsTo(to ? linked(to) : path, section),
          ),
          ...found(/(?:src|srcset)="([^"]+)"/g, (to = "") => !leadsTo(linked(to))),
        ]
      : []),
  ];
}

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

/** Has the page a row for each number, and a section for each letter alone? */
function hasNumbers(page: string, numbers = ""): boolean {
  const rows = [...read(page).matchAll(/^(?:\| |## )([A-Z]\d*)(?: \||\. )/gm)].map(([, number]) => number);
  return (numbers.match(/[A-Z]\d*/g) ?? []).every((number) => rows.includes(number));
}

/** Is the page there, with this section and, in its table, a row for this step? */
function leadsTo(path: string, section?: string, step?: string): boolean {
  if (!existsSync(join(ROOT, path))) return false;
  if (section === undefined) return true;
  const body = sectionsOf(read(path)).get(section);
  return body !== undefined && (step === undefined || body.includes(`\n| ${step} `));
}

/** The sections of a page by the anchors that GitHub gives them, without the sections below them. */
function sectionsOf(markdown: string): Map<string, string> {
  const [, ...parts] = markdown.replaceAll(/^```[\s\S]*?^```/gm, "").split(/^#{1,6} (?=.)/m);
  return new Map(parts.map((part) => [anchorOf(part.slice(0, part.indexOf("\n"))), part]));
}

function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");
}

test("every citation in code, tests, prompts and docs leads to what it names", () => {
  const files = execFileSync("git", ["ls-files"], { cwd: ROOT, encoding: "utf8" })
    .split("\n")
    .filter((name) => /\.(md|[cm]?[jt]sx?|css|ya?ml)$|^\.ci\//.test(name) && name !== OWN_PATH)
    .filter((name) => existsSync(join(ROOT, name)));
  const citations = files.flatMap((file) => citationsOf(file, read(file)).map((each) => ({ ...each, file })));
  expect(citations.length).toBeGreaterThan(500);
  expect(citations.filter(({ isDead }) => isDead).map(({ file, cited }) => `${file}: ${cited}`)).toEqual([]);
});

test.each([
  "SPEC Z1",
  "(SPEC A1, A99)",
  "docs/file-protocol.md R99",
  "docs/file-protocol.md R1, I99",
  "docs/nowhere.md",
  "(docs/api.md#nowhere)",
  "docs/file-protocol.md#the-life-of-a-message step 9",
  "decision 0099",
  "PROTOCOL R1",
  "[a page](nowhere.md)",
  "[a section](api.md#nowhere)",
])("a citation that leads nowhere is found: %s", (text) => {
  expect(citationsOf("docs/page.md", text).some(({ isDead }) => isDead)).toBe(true);
});

test.each([
  "SPEC A1",
  "(SPEC A1, C5 and G)",
  "docs/file-protocol.md R1 to R4",
  "docs/memory.md",
  "(docs/api.md#errors)",
  "docs/file-protocol.md#the-life-of-a-message step 5",
  "decision 0001",
  "[a section](api.md#websocket-ws)",
])("a citation that leads somewhere is let pass: %s", (text) => {
  const citations = citationsOf("docs/page.md", text);
  expect(citations.length).toBeGreaterThan(0);
  expect(citations.filter(({ isDead }) => isDead)).toEqual([]);
});

test("a citation that goes on in the next line of a comment is read to its end", () => {
  const comment = "/**\n * It is made once (SPEC A1,\n * A99).\n */";
  expect(citationsOf("packages/core/src/x.ts", comment)).toEqual([{ cited: "SPEC A1, A99", isDead: true }]);
});
