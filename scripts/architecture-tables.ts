/** The lists of docs/ARCHITECTURE.md, made from the tree: the packages and their folders, their size, the kinds of tasks, the rules of a tick in their order. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { KINDS } from "@mimikit/protocol/base/kind";
import { withBlocks } from "./generated-blocks.ts";
import { sizeTable } from "./size-table.ts";

const ROOT = join(import.meta.dirname, "..");
const RULES = "packages/core/src/rules";
/** As they may import each other: each one those below it. */
const PACKAGES = [
  ...["supervisor", "worker-pool", "http-gateway", "channels", "cli", "web"].map((name) => `apps/${name}`),
  ...["agent", "memory", "runtime", "store", "core", "protocol"].map((name) => `packages/${name}`),
];

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

/** The page with its lists as the tree has them. Throws where a list has no place on it. */
export function withArchitectureTables(page: string): string {
  return withBlocks(page, { tree: tree(), size: sizeTable(), kinds: kinds(), rules: rules() });
}

/** Each app and package: its folders, and the sentence of its README. */
function tree(): string {
  const rows = PACKAGES.map((name) => {
    const [, , sentence = ""] = read(`${name}/README.md`).split("\n");
    const folders = readdirSync(join(ROOT, name, "src"), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    const names = folders.map(({ name }) => `\`${name}\``).sort();
    return `| [\`${name}\`](../${name}/README.md) | ${sentence} | ${names.join(" ")} |\n`;
  });
  return `| | | folders |\n|---|---|---|\n${rows.join("")}`;
}

/** Each kind of task, as its row says it. */
function kinds(): string {
  const coded = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(" ");
  const rows = Object.entries(KINDS).map(([kind, { actor, runner, part, reported, results, queued, settled }]) => {
    const who = runner === "provider" ? actor : runner;
    // A task that is always reported is applied with the turn that reports it.
    const events = reported === "always" ? [queued] : [queued, settled];
    return `| \`${kind}\` | ${who} | ${part} | ${reported} | ${coded(results)} | ${coded(events)} |\n`;
  });
  return `| kind | run by | part | reported | hands in | audit events |\n|---|---|---|---|---|---|\n${rows.join("")}`;
}

/** The rules in the order of decide.ts, each with the first sentence of its file. */
function rules(): string {
  const decide = read("packages/core/src/decide.ts");
  const list = /^const RULES.* = \[\n([^\][]*)\]/m.exec(decide)?.[1] ?? "";
  const rows = [...list.matchAll(/\w+/g)].map(([name], i) => {
    const file = new RegExp(`import \\{ ${name} \\} from "\\./rules/([^"]+)"`).exec(decide)?.[1];
    if (file === undefined) throw new Error(`decide.ts lists ${name} and does not import it from rules/`);
    return `| ${i + 1} | [\`${name}\`](../${RULES}/${file}) | ${firstSentence(read(`${RULES}/${file}`))} |\n`;
  });
  if (rows.length === 0) throw new Error("decide.ts has no list of rules");
  return `| | rule | |\n|---|---|---|\n${rows.join("")}`;
}

/** Of the comment that a file begins with, without its citation. */
function firstSentence(text: string): string {
  const comment = /^\/\*\*([\s\S]*?)\*\//.exec(text)?.[1] ?? "";
  const words = comment
    .replace(/\n \* ?/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  return `${(/^.*?[.:;](?= |$)/.exec(words)?.[0] ?? words).replace(/ \((?:SPEC|docs\/)[^()]*\)/g, "").replace(/[.:;]$/, "")}.`;
}
