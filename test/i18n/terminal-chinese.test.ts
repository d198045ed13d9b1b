/** The promises of the commands to readers of Chinese: nothing that they are told is left in English, and no translation is left over. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { triggerOf } from "@mimikit/core/triggers/triggers";
import { Reach } from "@mimikit/protocol/approvals/approval";
import { FailureReason } from "@mimikit/protocol/base/failure";
import { SkillSource } from "@mimikit/protocol/base/skill";
import { ChannelState } from "@mimikit/protocol/channels/records";
import { EndedDelivery } from "@mimikit/protocol/records/hook";
import { ImproveKind } from "@mimikit/protocol/records/improvement";
import type { Condition } from "@mimikit/protocol/triggers/condition";
import { Missed, type TriggerDefinition } from "@mimikit/protocol/triggers/trigger-order";
import { ChangeView, Device, ImprovementState, PoolSummary, SettingView, TaskState } from "@mimikit/protocol/wire/api";
import { McpState } from "@mimikit/protocol/wire/mcp";
import { TaskFile } from "@mimikit/protocol/wire/task-files";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chooseLanguage, t, told } from "../../apps/cli/src/i18n/language.ts";
import { durationIn, whenIn } from "../../apps/cli/src/i18n/words.ts";
import { NAMES, TEXTS } from "../../apps/cli/src/i18n/zh/chinese.ts";
import { RECIPES } from "../../apps/cli/src/i18n/zh/recipes.ts";
import { SENTENCES } from "../../apps/cli/src/i18n/zh/sentences.ts";
import { shippedRecipes } from "../../apps/cli/src/recipes/find-recipe.ts";
import { allCommands, helpOf } from "../../scripts/command-page.ts";
import { textsIn } from "./said-texts.ts";

const CLI = join(import.meta.dirname, "../../apps/cli/src");
const sources = globSync("**/*.ts", { cwd: CLI, exclude: ["i18n/zh/**"] })
  .map((path) => readFileSync(join(CLI, path), "utf8"))
  .join("\n");
const AT = "2026-12-01T09:00:00.000Z";
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

test("what each recipe is for, and what it asks, has a Chinese text", () => {
  const said = shippedRecipes().flatMap(({ recipe: { about, asks } }) => [
    about,
    ...Object.values(asks).map(({ question }) => question),
  ]);
  expect(said.length).toBeGreaterThan(20);
  expect([...new Set(said)].sort()).toEqual(Object.keys(RECIPES).sort());
});

test("no translation is left over: the sources have each text that is translated", () => {
  expect(
    Object.keys(TEXTS).filter(
      (text) =>
        !Object.hasOwn(RECIPES, text) &&
        !sources.includes(JSON.stringify(text)) &&
        !sources.includes(`'${text}'`) &&
        !isKey(text),
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
    if (!HAN.test(chinese)) expect(chinese.replaceAll(/\{\w+\}/g, "")).toMatch(/:$|^\W*$/);
    // No space between two Chinese characters, and no English comma, semicolon or bracket beside one.
    expect(chinese.replaceAll("秒 分 时 日 月 星期", "")).not.toMatch(
      /\p{Script=Han} \p{Script=Han}|\p{Script=Han}[,;()]|[,;]\p{Script=Han}/u,
    );
  },
);

test("each word that records have for a state, a kind or a cause has a Chinese one", () => {
  const words = [
    ...[TaskState, FailureReason, ImprovementState, ImproveKind, McpState, SkillSource, Reach, Missed],
    ...[ChangeView.shape.state, ChangeView.shape.what, ChannelState.shape.state, PoolSummary.shape.state],
    ...[Device.shape.kind, TaskFile.shape.change, EndedDelivery.shape.outcome, SettingView.shape.source],
  ].flatMap(({ options }) => [...options] as string[]);
  expect(words.length).toBeGreaterThan(60);
  expect(words.filter((word) => !HAN.test(NAMES[word] ?? ""))).toEqual([]);
});

/** Sentences that are put together of several texts. */
const COMPOSED: Readonly<Record<string, readonly string[]>> = {
  "attempt {n} failed: {reason}": ["attempt {} {}", "failed: {}"],
  "attempt {n} reached no provider: {reason}": ["attempt {} {}", "reached no provider: {}"],
  "attempt {n} waits for the rate limit until {moment}: {reason}": [
    "attempt {} {}",
    "waits for the rate limit until {}: {}",
  ],
  "attempt {n} was cut off: {reason}": ["attempt {} {}", "was cut off: {}{}"],
  "attempt {n} was cut off: {reason} while nothing else ran": ["was cut off: {}{}", " while nothing else ran"],
  "saved the key of {id} in secrets.json, for this user alone: a restart from another shell answers the same": [
    "saved the key of {} in secrets.json{}, for this user alone: a restart from another shell answers the same",
  ],
  "saved the key of {id} in secrets.json, in place of another, for this user alone: a restart from another shell answers the same":
    [", in place of another"],
  "hook {name}: on {events} calls {url}": ["hook {}: on {} {}", "calls {}"],
  "hook {name}: on {events} runs {command}": ["hook {}: on {} {}", "runs {}"],
  "{place} is no line of the audit log: it was put in or damaged": [
    "{}:{} is no line of the audit log: it was put in or damaged",
  ],
  "the workspace is Mimikit's own folder, as its {folder} is there; MIMIKIT_WORK_DIR names another": [
    "the workspace is Mimikit's own folder, as its {} is there; {}",
    "MIMIKIT_WORK_DIR names another",
  ],
  "made {workDir}, the workspace, because this is Mimikit's own folder; MIMIKIT_WORK_DIR names another": [
    "made {}, the workspace, because this is Mimikit's own folder; {}",
  ],
};

test("each sentence that is known by its form is made by some part of Mimikit", () => {
  const root = join(CLI, "../../..");
  const paths = globSync("{packages/*,apps/http-gateway,apps/supervisor,apps/worker-pool}/src/**/*.ts", { cwd: root });
  const made = new Set(
    paths.flatMap((path) => textsIn(readFileSync(join(root, path), "utf8")).map(({ text }) => text)),
  );
  const formOf = (sentence: string) => sentence.replaceAll(/\{\w+\}/g, "{}");
  const left = Object.keys(SENTENCES).flatMap((each) =>
    (COMPOSED[each] ?? [formOf(each)]).filter((form) => !made.has(form)),
  );
  expect(left).toEqual([]);
});

test.each(Object.entries(SENTENCES))("%s is said in Chinese, with what stands in it", async (english, chinese = "") => {
  await chooseLanguage(CHINESE, []);
  expect(valuesIn(chinese)).toEqual(valuesIn(english));
  const filled = (text: string) => text.replaceAll(/\{(\w+)\}/g, (_, name: string) => `x-${name}`);
  expect(told(filled(english))).toBe(filled(chinese));
});

test("a name is left as it is, also where it reads like a word of ours", async () => {
  await chooseLanguage(CHINESE, []);
  expect(told('it has no secret "docs": mimikit hooks secret docs')).toBe(
    "缺少密钥“docs”：请运行 mimikit hooks secret docs",
  );
  expect(told("attempt 2 failed: timeout")).toBe("第 2 次尝试失败：超时");
  expect(told("Anything else, of a model or a user, stays as it is")).toBe(
    "Anything else, of a model or a user, stays as it is",
  );
});

test("durations, and when a trigger fires, are in Chinese", async () => {
  await chooseLanguage(CHINESE, []);
  expect(durationIn(90)).toBe("1 分钟 30 秒");
  expect(durationIn(2 * 86_400 + 3_600)).toBe("2 天 1 小时");
  const trigger = (when: TriggerDefinition["when"]) =>
    whenIn(
      triggerOf(
        "trg-1",
        { order: { prompt: "go" }, when },
        { createdAt: AT, traceId: "trg-1", depth: 0, target: "teller" },
      ),
      "UTC",
    );
  expect(trigger({ type: "recurring", schedule: { interval: 7_200 } })).toBe("每 2 小时");
  expect(trigger({ type: "scheduled", runAt: AT })).toBe("一次，2026-12-01 09:00");
  const condition: Condition = {
    type: "and",
    conditions: [
      { type: "file_changed", params: { path: "plan.md" } },
      { type: "not", condition: { type: "task_failed", params: { taskId: "t-000001.0" } } },
      { type: "time", params: { weekdays: ["sat", "sun"] } },
    ],
  };
  expect(trigger({ type: "conditional", condition, stableFor: 60 })).toBe(
    "plan.md 有变化，并且并非（t-000001.0 失败了），并且现在是周六、周日，持续 1 分钟后",
  );
  await chooseLanguage({}, []);
  expect(durationIn(90)).toBe("1 min 30 s");
  expect(trigger({ type: "recurring", schedule: { interval: 7_200 } })).toBe("every 2 h");
  await chooseLanguage(CHINESE, []);
});

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
