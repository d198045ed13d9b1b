/** Each page of docs/ says what it is, shows an example, and has its defaults, its limits and its troubles. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import yargs from "yargs";
import { commandFirst } from "../apps/cli/src/arguments/command-first.ts";
import { allCommands } from "../scripts/command-page.ts";
import {
  blocksOf,
  callsInBlocks,
  callsInWords,
  chinesePages,
  commandsIn,
  guidePages,
  introOf,
  OTHER_PAGES,
  sectionOf,
  troublesOf,
} from "./support/doc-pages.ts";

const ROOT = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const PAGES = guidePages();
const CHINESE = chinesePages();
/** Shorter texts say nothing. */
const INTRO_CHARS_MIN = 60;
const CHINESE_INTRO_CHARS_MIN = 30;
const ITEMS_MIN = 2;

/** Rows of tables without their heads, and items of lists. */
function itemsOf(section: string): string[] {
  const withoutHeads = section.replaceAll(/^\|[^\n]*\n\|[-|: ]+\|$/gm, "");
  return withoutHeads.split("\n").filter((line) => /^\||^ *(?:[-*]|\d+\.) /.test(line));
}

test("each exception is a page", () => {
  const there = globSync("*.md", { cwd: join(ROOT, "docs") });
  expect(Object.keys(OTHER_PAGES).filter((name) => !there.includes(name))).toEqual([]);
});

test.each(PAGES)("$name says what it is in its first paragraph", (page) => {
  const intro = introOf(page);
  expect(intro.length).toBeGreaterThan(INTRO_CHARS_MIN);
  expect(intro).not.toMatch(/^[|#`<-]/);
});

test.each(PAGES)("$name shows an example", ({ text }) => {
  expect(blocksOf(text).length).toBeGreaterThan(0);
});

test.each(PAGES)("$name has its defaults: a table with a column for them, or a part of their own", (page) => {
  const table = /^\|[^\n]*\bdefault\b[^\n]*\|\n\|[-|: ]+\|\n\|/m.test(page.text);
  expect(table || itemsOf(sectionOf(page, "Defaults") ?? "").length >= ITEMS_MIN).toBe(true);
});

test.each(PAGES)("$name has its limits, with their numbers", (page) => {
  const limits = sectionOf(page, "Limits") ?? "";
  expect(itemsOf(limits).length).toBeGreaterThanOrEqual(ITEMS_MIN);
  expect(limits).toMatch(/\d/);
});

test.each([...PAGES, ...CHINESE])("$name has its troubles: symptom, cause and what to do", (page) => {
  const rows = troublesOf(page);
  expect(rows.length).toBeGreaterThanOrEqual(ITEMS_MIN);
  expect(rows.filter(({ symptom, cause, remedy }) => [symptom, cause, remedy].includes(""))).toEqual([]);
});

/** All code that prints, as one text. A template is cut at what it fills in. */
const SOURCES = globSync(["apps/*/src/**/*.{ts,tsx}", "packages/*/src/**/*.ts", "scripts/*.{ts,mjs}"], { cwd: ROOT })
  .map(read)
  .join("\n")
  .replaceAll('\\"', '"')
  .replaceAll("\\`", "`");

test("each message that a page quotes as a symptom is one that the code has", () => {
  const quoted = [...PAGES, ...CHINESE].flatMap((page) =>
    troublesOf(page).flatMap(({ symptom }) =>
      [...symptom.matchAll(/``\s?(.+?)\s?``|`([^`]+)`/g)].map(([, long, short]) => ({
        name: page.name,
        message: (long ?? short ?? "").replaceAll("\\|", "|"),
      })),
    ),
  );
  expect(quoted.length).toBeGreaterThan(ITEMS_MIN);
  const unknown = quoted.filter(
    ({ message }) =>
      !message.startsWith("mimikit ") && !message.split("…").every((part) => SOURCES.includes(part.trim())),
  );
  expect(unknown).toEqual([]);
});

const COMMANDS = await allCommands();

class Parsed extends Error {}

/** A text may name a command without all that belongs to it. */
const IS_SHORT = /Not enough non-option arguments/;

/** The complaint of the parser; null if it would run the command. Nothing is run. */
async function complaintAbout(words: readonly string[]): Promise<string | null> {
  const command = COMMANDS.find(({ name }) => name === words[0]);
  const parser = yargs(command === undefined ? [...words] : commandFirst(words, command))
    .scriptName("mimikit")
    .locale("en")
    .option("json", { type: "boolean", default: false, global: true })
    .parserConfiguration({ "parse-positional-numbers": false, "strip-dashed": true })
    .version(false)
    .help(false)
    .option("help", { type: "boolean" })
    .strict()
    .demandCommand(1)
    .exitProcess(false)
    .middleware(() => {
      throw new Parsed();
    })
    .fail((message, error) => {
      throw error ?? new Error(message);
    });
  for (const command of COMMANDS) command.addTo(parser as never);
  try {
    await parser.parseAsync();
    return "it is no command";
  } catch (error) {
    return error instanceof Parsed ? null : String(error);
  }
}

test("each call of mimikit on a page has a command and options that there are", async () => {
  const pages = globSync(["*.md", "docs/**/*.md"], { cwd: ROOT }).filter((path) => !/decisions|CHANGELOG/.test(path));
  const calls = pages.flatMap((path) => {
    const text = read(path);
    const named = callsInWords(text).map((words) => ({ path, words, isWhole: false }));
    return [...named, ...callsInBlocks(text).map((words) => ({ path, words, isWhole: true }))];
  });
  expect(calls.length).toBeGreaterThan(300);
  const wrong: string[] = [];
  for (const { path, words, isWhole } of calls) {
    const complaint = await complaintAbout(words);
    if (complaint === null || (!isWhole && IS_SHORT.test(complaint))) continue;
    wrong.push(`${path}: mimikit ${words.join(" ")}: ${complaint}`);
  }
  expect(wrong).toEqual([]);
});

test.each([[["tasks", "cancle", "t-1"]], [["backup", "a.tar.gz", "--with-secret"]], [["nothing"]]])(
  "a call that is wrong is found: %s",
  async (words) => {
    expect(await complaintAbout(words)).not.toBeNull();
  },
);

test.each([
  ["mimikit ask 'run `a` && b' && ls # and more", [["mimikit", "ask", "run `a` && b"], ["ls"]]],
  [
    "mimikit logs | head -3",
    [
      ["mimikit", "logs"],
      ["head", "-3"],
    ],
  ],
  ["mimikit undo <id>", [["mimikit", "undo", "<id>"]]],
  ["mimikit connect --key-stdin < key.txt", [["mimikit", "connect", "--key-stdin"]]],
])("a line of a shell has its commands: %s", (line, commands) => {
  expect(commandsIn(line)).toEqual(commands);
});

test.each(CHINESE)("$name says what it is, shows an example, and has its defaults and limits", (page) => {
  expect(introOf(page).length).toBeGreaterThan(CHINESE_INTRO_CHARS_MIN);
  expect(introOf(page)).not.toMatch(/^[|#`<-]/);
  expect(blocksOf(page.text).length).toBeGreaterThan(0);
  const limits = sectionOf(page, "默认值和限制") ?? "";
  expect(itemsOf(limits).length).toBeGreaterThanOrEqual(ITEMS_MIN);
  expect(limits).toMatch(/\d/);
});

/** Words in italics that are no labels of the page: labels of other programs, and examples of what is filled in. */
const NO_LABELS = new Set([
  "CORS",
  "Add Connection",
  "Add integration",
  "Add to Home Screen",
  "Admin Settings",
  "Connections",
  "Data controls",
  "Direct connections",
  "Extended OpenAI Conversation",
  "Model Provider",
  "OpenAI API Compatible",
  "Privacy",
  "Used: 3 memories",
  "has not responded for 12 s",
  "the worker pool died or hung 3 times while it ran, the last time with nothing else running",
  "typing…",
]);

test("each label in italics is one that the page or a channel has", () => {
  const known = SOURCES.replaceAll("’", "'");
  const labels = PAGES.flatMap(({ name, text }) => {
    const words = text.replaceAll(/^ *```[\s\S]*?^ *```$|``.*?``|`[^`\n]*`/gm, "");
    return [...words.matchAll(/(?<!\*)\*([^*\n]+(?:\n[^*\n]+)?)\*(?!\*)/g)].flatMap(([, label = ""]) =>
      label
        .replaceAll(/\s+/g, " ")
        .split(/ → |, (?=[A-Z])/)
        .map((part) => ({ name, label: part.replaceAll("’", "'") })),
    );
  });
  expect(labels.length).toBeGreaterThan(ITEMS_MIN);
  expect(labels.filter(({ label }) => !NO_LABELS.has(label) && !known.includes(label))).toEqual([]);
});
