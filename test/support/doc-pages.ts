/** The pages of docs/ that guide or explain, and their parts. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

/** Pages that are neither a guide nor a concept, each with the reason. */
export const OTHER_PAGES: Readonly<Record<string, string>> = {
  "ARCHITECTURE.md": "a map of the source tree",
  "README.md": "the entry page",
  "RELEASING.md": "a checklist for a release",
  "adding.md": "a table for developers; test/e2e/adding.test.ts makes each addition",
  "api-shapes.md": "generated",
  "attacks.md": "generated",
  "cli.md": "generated",
  "compatibility.md": "promises about names and versions; test/compatibility checks them",
  "configuration.md": "generated",
  "durability.md": "the reasons behind the file protocol",
  "file-protocol.md": "the contract of the state directory, cited by rule and step",
  "files.md": "a list of the files of the state directory",
  "glossary.md": "a list of words",
  "performance.md": "figures, and how they were measured",
  "reliability.md": "figures, and how they were measured",
  "requirements.md": "a table, cited by number",
  "versus.md": "figures, and how they were measured",
  "walks.md": "a record of what new users stopped at",
};

export interface Block {
  language: string;
  text: string;
}

export interface Page {
  /** `memory.md` */
  name: string;
  text: string;
}

export interface TroubleRow {
  symptom: string;
  cause: string;
  remedy: string;
}

/** Every guide and concept page, in the order of their names. */
export function guidePages(): Page[] {
  return globSync("*.md", { cwd: join(ROOT, "docs") })
    .filter((name) => !Object.hasOwn(OTHER_PAGES, name))
    .sort()
    .map((name) => ({ name, text: readFileSync(join(ROOT, "docs", name), "utf8") }));
}

/** The Chinese guides: `zh/page.md`. */
export function chinesePages(): Page[] {
  return globSync("zh/*.md", { cwd: join(ROOT, "docs") })
    .filter((name) => name !== "zh/README.md")
    .sort()
    .map((name) => ({ name, text: readFileSync(join(ROOT, "docs", name), "utf8") }));
}

/** The paragraph below the title. */
export function introOf({ text }: Page): string {
  return /^# [^\n]+\n\n([\s\S]+?)\n\n/.exec(text)?.[1] ?? "";
}

/** The blocks of code of a page, in their order. */
export function blocksOf(text: string): Block[] {
  return [...text.matchAll(/^ *```(\w*)[^\n]*\n([\s\S]*?)^ *```$/gm)].map(([, language = "", body = ""]) => ({
    language,
    text: body,
  }));
}

/** The text below `## <heading>`, up to the next heading of its kind; null without one. */
export function sectionOf({ text }: Page, heading: string): string | null {
  const [, after] = text.split(`\n## ${heading}\n`);
  return after === undefined ? null : (after.split(/^## /m)[0] ?? "");
}

/** The first example that is for a shell. */
export function shellExampleOf({ text }: Page): string | null {
  return blocksOf(text).find(({ language }) => language === "sh")?.text ?? null;
}

/** How a page names its troubles, in English and in Chinese. */
const TROUBLES = [
  ["Troubleshooting", "| symptom | cause | what to do |"],
  ["故障排查", "| 现象 | 原因 | 处理 |"],
] as const;

/** The rows of the table of troubles. A cell may hold `\|`. */
export function troublesOf(page: Page): TroubleRow[] {
  const table = TROUBLES.flatMap(
    ([heading, head]) => sectionOf(page, heading)?.split(`${head}\n|---|---|---|\n`)[1] ?? [],
  ).join("");
  return (table.split("\n\n")[0] ?? "")
    .trim()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [, symptom = "", cause = "", remedy = ""] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
      return { symptom, cause, remedy };
    });
}

/** The words of each command in a line of a shell: `a 'b c' && d` is [[a, "b c"], [d]]. */
export function commandsIn(line: string): string[][] {
  const commands: string[][] = [[]];
  let word: string | null = null;
  const endWord = () => {
    if (word !== null) commands.at(-1)?.push(word);
    word = null;
  };
  for (let at = 0; at < line.length; at++) {
    const char = line[at] ?? "";
    if (char === "'" || char === '"') {
      const end = line.indexOf(char, at + 1);
      word = `${word ?? ""}${line.slice(at + 1, end < 0 ? undefined : end)}`;
      at = end < 0 ? line.length : end;
    } else if (char === "$" && line[at + 1] === "(") {
      const end = line.indexOf(")", at);
      word = `${word ?? ""}${line.slice(at, end + 1)}`;
      at = end;
    } else if (/\s/.test(char)) endWord();
    else if (char === "#" && word === null) break;
    else if (char === ";" || char === "|" || char === "&") {
      endWord();
      commands.push([]);
    } else if (char === "<" && !/^<[\w -]+>/.test(line.slice(at))) {
      endWord();
      break;
    } else if (char === ">" && word === null) break;
    else word = `${word ?? ""}${char}`;
  }
  endWord();
  return commands.filter((words) => words.length > 0);
}

/** Every call of `mimikit` in the blocks for a shell: its arguments. */
export function callsInBlocks(text: string): string[][] {
  const lines = blocksOf(text).flatMap(({ language, text: body }) => {
    if (language === "sh" || language === "bash") return body.replaceAll("\\\n", " ").split("\n");
    return language === "" ? body.split("\n").flatMap((line) => (line.startsWith("$ ") ? [line.slice(2)] : [])) : [];
  });
  return callsIn(lines);
}

/** Every call of `mimikit` in code between the words of a text; of a command that is only named, its name. */
export function callsInWords(text: string): string[][] {
  const words = text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, "");
  const spans = [...words.matchAll(/(?<!`)`((?:\.\/)?mimikit [^`]+)`(?!`)/g)].map(([, span = ""]) =>
    span.replaceAll("\\|", "|"),
  );
  return callsIn(spans).filter(([first = ""]) => !/^(?:<command>|…|--help)$/.test(first));
}

function callsIn(lines: readonly string[]): string[][] {
  return lines
    .flatMap(commandsIn)
    .map((words) => words.filter((word) => !/^[A-Z_]+=/.test(word)))
    .filter(([program]) => program === "mimikit" || program === "./mimikit")
    .map(([, ...words]) => words)
    .filter(([first]) => first !== "--help");
}
