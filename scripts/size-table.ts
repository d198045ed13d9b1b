/** How large the code base is, for docs/ARCHITECTURE.md: files, functions, and terms before a first change. Rounded, so that a line more changes nothing. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAst } from "rolldown/parseAst";

const ROOT = join(import.meta.dirname, "..");
const FUNCTION_LINES_MAX = 60;
/** Of files, and of functions. */
const LISTED = 3;
const FUNCTIONS = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);

interface Source {
  path: string;
  lines: number;
}

interface LongFunction extends Source {
  name: string;
}

export function sizeTable(): string {
  const sources = sourcesOf();
  const byLength = [...sources].sort((a, b) => b.lines - a.lines);
  const median = byLength[Math.floor(byLength.length / 2)]?.lines ?? 0;
  const longest = byLength.slice(0, LISTED).map(({ path, lines }) => `[${path}](../${path}) (${inTens(lines)} lines)`);
  const functions = sources.flatMap(({ path }) => longFunctionsOf(path)).sort((a, b) => b.lines - a.lines);
  const longestFunctions = functions
    .slice(0, LISTED)
    .map(({ name, path, lines }) => `[\`${name}\`](../${path}) (${inTens(lines)})`);
  // The table of Chinese words behind it is not counted.
  const [words = ""] = readFileSync(join(ROOT, "docs/glossary.md"), "utf8").split("\n## ");
  const [, , ...terms] = words.match(/^\|.*/gm) ?? [];
  const rows = [
    ["source files in apps and packages", `about ${inTens(sources.length)}`],
    ["median file", `about ${inTens(median)} lines`],
    ["longest files", longest.join(", ")],
    [`functions above ${FUNCTION_LINES_MAX} lines`, `${functions.length}: ${longestFunctions.join(", ")}, …`],
    ["words that a first change may need", `${terms.length}, in the [glossary](glossary.md)`],
  ];
  return `| | |\n|---|---|\n${rows.map((row) => `| ${row.join(" | ")} |\n`).join("")}`;
}

function inTens(count: number): number {
  return Math.round(count / 10) * 10;
}

function sourcesOf(): Source[] {
  return ["apps", "packages"].flatMap((part) =>
    readdirSync(join(ROOT, part)).flatMap((folder) =>
      readdirSync(join(ROOT, part, folder, "src"), { recursive: true, encoding: "utf8" })
        .filter((name) => /\.tsx?$/.test(name))
        .sort()
        .map((name) => {
          const path = `${part}/${folder}/src/${name.replaceAll("\\", "/")}`;
          return { path, lines: readFileSync(join(ROOT, path), "utf8").split("\n").length - 1 };
        }),
    ),
  );
}

function longFunctionsOf(path: string): LongFunction[] {
  const text = readFileSync(join(ROOT, path), "utf8");
  const program: unknown = parseAst(text, { lang: path.endsWith("x") ? "tsx" : "ts" });
  const found: LongFunction[] = [];
  const visit = (node: unknown, name: string) => {
    if (Array.isArray(node)) for (const each of node) visit(each, name);
    if (typeof node !== "object" || node === null || Array.isArray(node)) return;
    const { type, start, end, id, key, ...rest } = node as Record<string, unknown> & { start: number; end: number };
    const own = nameOf(id) ?? nameOf(key) ?? name;
    const lines = FUNCTIONS.has(String(type)) ? text.slice(start, end).split("\n").length : 0;
    if (lines > FUNCTION_LINES_MAX) found.push({ name: own, path, lines });
    for (const part of Object.values(rest)) visit(part, own);
  };
  visit(program, "a function");
  return found;
}

function nameOf(node: unknown): string | undefined {
  return typeof node === "object" && node !== null && "name" in node ? String(node.name) : undefined;
}
