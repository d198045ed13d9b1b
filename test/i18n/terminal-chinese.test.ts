/** The promises of the commands to readers of Chinese: nothing that they are told is left in English, and no translation is left over. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chooseLanguage, t } from "../../apps/cli/src/i18n/language.ts";
import { TEXTS } from "../../apps/cli/src/i18n/zh/chinese.ts";
import { allCommands, helpOf } from "../../scripts/command-page.ts";

const CLI = join(import.meta.dirname, "../../apps/cli/src");
const sources = globSync("**/*.ts", { cwd: CLI, exclude: ["i18n/zh/**"] })
  .map((path) => readFileSync(join(CLI, path), "utf8"))
  .join("\n");
const CHINESE = { LANG: "zh_CN.UTF-8" };

const commands = await allCommands();
const paths = commands.flatMap((command) => [
  { path: command.name, command, sub: undefined },
  ...command.subCommands.map((sub) => ({ path: `${command.name} ${sub.name}`, command, sub })),
]);
const english = new Map<string, string>();
for (const { path, command, sub } of paths) english.set(path, await helpOf(command, sub));

beforeAll(() => chooseLanguage(CHINESE, []));
afterAll(() => chooseLanguage({}, []));

/** Lines that are the same in every language: yargs' own titles here, the usage, what is typed, and a file that is shown. */
const SAME = /^(?:mimikit |\w+:$|--(?:help|json|no-)|[{"]|$)/;
const linesOf = (help: string) => help.split("\n").map((line) => line.replace(/\s+/g, " ").trim());

test.each(paths)("the help of $path is in Chinese, line by line", async ({ path, command, sub }) => {
  const before = new Set(linesOf(english.get(path) ?? ""));
  const now = linesOf(await helpOf(command, sub));
  expect(now.length).toBeGreaterThan(3);
  // A line of a wrapped example is not a sentence, and says so by what stands before it in both.
  const left = now.filter(
    (line) => before.has(line) && !SAME.test(line) && !isTyped(line, command.examples, sub?.examples),
  );
  expect(left).toEqual([]);
});

/** Is the line a piece of what an example types, wrapped, or the choices of an option? */
function isTyped(line: string, ...examples: (readonly (readonly [string, string])[] | undefined)[]): boolean {
  const typed = examples.flatMap((list = []) => list.map(([text]) => text.replace(/\s+/g, " ")));
  return /^\[/.test(line) || typed.some((text) => text.includes(line));
}

/** The texts that the sources hand to `t`, and the titles of their tables. */
function textsSaid(): string[] {
  const literal = String.raw`"(?:[^"\\]|\\.)*"|'[^'\\]*'`;
  const calls = [...sources.matchAll(new RegExp(String.raw`\bt\(\s*(${literal})`, "g"))].map(([, text = ""]) => text);
  const titles = [...sources.matchAll(/\bprintTable\(\s*\[([^\]]*)\]/g)].flatMap(
    ([, list = ""]) => list.match(new RegExp(literal, "g")) ?? [],
  );
  return [...calls, ...titles]
    .map((text) => JSON.parse(text.replace(/^'(.*)'$/, (_, inner: string) => JSON.stringify(inner))) as string)
    .filter((text) => text !== "");
}

test("every text that a command says by `t`, and every title of a table, has a Chinese text with the same values", () => {
  const said = textsSaid();
  expect(said.length).toBeGreaterThan(20);
  expect([...new Set(said)].filter((text) => TEXTS[text] === undefined)).toEqual([]);
});

test("no translation is left over: the sources have each text that is translated", () => {
  expect(
    Object.keys(TEXTS).filter(
      (text) => !sources.includes(JSON.stringify(text)) && !sources.includes(`'${text}'`) && !isKey(text),
    ),
  ).toEqual([]);
});

/** A short text may be the key of an object, without quotes. */
function isKey(text: string): boolean {
  return /^\w+$/.test(text) && new RegExp(String.raw`\b${text}:`).test(sources);
}

const valuesIn = (text: string) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort();
const HAN = /\p{Script=Han}/u;

test.each(Object.entries(TEXTS))(
  "%s has a Chinese text of its own, with the same values, typed as Chinese is",
  (text, chinese = "") => {
    expect(valuesIn(chinese)).toEqual(valuesIn(text));
    if (!HAN.test(chinese)) expect(chinese).toMatch(/:$|^\W*$/);
    // No space between two Chinese characters, and no English comma, semicolon or bracket beside one.
    expect(chinese.replaceAll("秒 分 时 日 月 星期", "")).not.toMatch(
      /\p{Script=Han} \p{Script=Han}|\p{Script=Han}[,;()]|[,;]\p{Script=Han}/u,
    );
  },
);

test("with --json all is said in English, because programs read it", async () => {
  await chooseLanguage(CHINESE, ["status", "--json"]);
  expect(t("Show help")).toBe("Show help");
  await chooseLanguage(CHINESE, ["status"]);
  expect(t("Show help")).toBe("显示帮助");
});

test("the first of LC_ALL, LC_MESSAGES and LANG that is set chooses the language, as for every program", async () => {
  const help = "Show help";
  const inLanguage = async (env: NodeJS.ProcessEnv) => {
    await chooseLanguage(env, []);
    return t(help);
  };
  expect(await inLanguage({ LANG: "zh_CN.UTF-8" })).toBe("显示帮助");
  expect(await inLanguage({ LANG: "zh" })).toBe("显示帮助");
  expect(await inLanguage({ LC_MESSAGES: "zh_CN.UTF-8", LANG: "en_US.UTF-8" })).toBe("显示帮助");
  expect(await inLanguage({ LC_ALL: "C", LC_MESSAGES: "zh_CN.UTF-8", LANG: "zh_CN.UTF-8" })).toBe(help);
  expect(await inLanguage({ LC_ALL: "", LANG: "zh_SG" })).toBe("显示帮助");
  expect(await inLanguage({ LANG: "zha_CN" })).toBe(help);
  expect(await inLanguage({})).toBe(help);
  await chooseLanguage(CHINESE, []);
});
