/** Each command as a reader of Chinese runs it where nothing else runs: no line of it is in English. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { englishIn, HAN } from "../support/english-lines.ts";
import { linesOf, runCli, runCliFirst } from "./run-cli.ts";

const CHINESE = { LC_ALL: "", LC_MESSAGES: "", LANG: "zh_CN.UTF-8" };
const workDir = mkdtempSync(join(tmpdir(), "mimikit-chinese-"));
const place = { home: join(workDir, ".mimikit"), workDir };
const BACKUP = join(workDir, "saved.tar.gz");

/** Words that stand in the files of this home. */
const DATA = ["tidy", "broken", "shop", "provider", "trigger-patch"];

const inChinese = (...words: string[]) => runCli(place, words, "", CHINESE);

beforeAll(() => {
  for (const words of [
    ["connect", "offline", "--no-test"],
    ["memory", "add", "--long-term", "我们周四部署"],
    ["triggers", "add", "--every", "2h", "提醒我浇花"],
    ["triggers", "add", "--when-file-changes", "plan.md", "看看 `plan.md`"],
    ["config", "set", "budget.day.costUsd", "5"],
  ])
    runCliFirst(place, words);
  mkdirSync(join(place.home, "hooks"), { recursive: true });
  writeFileSync(join(place.home, "hooks/tidy.yaml"), "on: task_failed\nrun: [/bin/true]\n");
  writeFileSync(join(place.home, "hooks/broken.yaml"), "on: task_failed\nurl: https://hooks.example/x\n");
  writeFileSync(join(place.home, "mcp.json"), '{"mcpServers":{"shop":{"command":"/bin/true","disabled":true}}}\n', {
    mode: 0o600,
  });
});
afterAll(() => rmSync(workDir, { recursive: true, force: true }));

test("a line of English is found, and one of names, numbers and commands is not", () => {
  const of = (out: string) => englishIn({ out, error: "" });
  expect(of("it has not ended yet")).toHaveLength(1);
  expect(of("Worker  done")).toHaveLength(1);
  expect(of("t-000001.0  worker  /tmp/a b.txt  12 ms\n`npm test`\nbudget.day.costUsd  5  OPENAI_API_KEY")).toEqual([]);
});

test.each([
  ["budget.day.costUsd: 应为数字，而不是文字", "config", "set", "budget.day.costUsd", "abc"],
  ["autonomy: 应为以下之一：ask, workspace, full", "config", "set", "autonomy", "none"],
  ["--at: 应为带时区的时刻，例如 2026-12-01T09:00:00+08:00", "triggers", "add", "--at", "2036-01-01", "提醒我"],
  ["--every: 不能小于 10 秒", "triggers", "add", "--every", "5", "提醒我"],
  ["--after: 应为 2026-12-01 这样的日期", "memory", "search", "x", "--after", "spring"],
  ["名称应为 1 到 64 个小写字母、数字和连字符，以字母或数字开头", "hooks", "secret", "A B", "--new"],
])("a mistake is said in Chinese: %s", async (chinese, ...words) => {
  const { code, error } = await inChinese(...words);
  expect(code).toBe(2);
  expect(error).toContain(chinese);
});

test("what is asked of Mimikit while it is stopped is acknowledged in Chinese", async () => {
  for (const words of [
    ["send", "你好"],
    ["backlog", "add", "修好门"],
    ["config", "set", "budget.month.costUsd", "50"],
    ["queue", "pause", "worker"],
    ["queue", "resume", "worker"],
    ["triggers", "pause", "提醒我浇花"],
    ["connect", "offline", "--no-test"],
  ]) {
    const said = await inChinese(...words);
    expect(said.code).toBe(0);
    expect(said.out + said.error).toMatch(HAN);
    expect(englishIn(said)).toEqual([]);
  }
});

describe("each command speaks Chinese in all of its lines", () => {
  test.each(
    linesOf(
      ["status"],
      ["tasks"],
      ["queue"],
      ["triggers"],
      ["triggers", "show", "提醒我浇花"],
      ["triggers", "simulate", "--to", "1d"],
      ["questions"],
      ["approvals"],
      ["memory"],
      ["memory", "index"],
      ["memory", "search", "部署"],
      ["backlog"],
      ["improve"],
      ["undo"],
      ["usage"],
      ["channels"],
      ["pools"],
      ["hooks"],
      ["hooks", "show", "tidy"],
      ["import"],
      ["config", "show"],
      ["config", "show", "budget.day"],
      ["config", "validate"],
      ["audit", "verify"],
      ["backup", BACKUP],
      ["recipe", "show", "birthday"],
      ["recipe"],
      ["restore", BACKUP],
      ["doctor"],
      ["mcp"],
      ["connect", "--list"],
      ["service", "status"],
    ),
  )("$line", async ({ words }) => {
    const said = await inChinese(...words);
    expect(said.out + said.error).toMatch(HAN);
    expect(englishIn(said, ...DATA)).toEqual([]);
  });
});

describe("each refusal is in Chinese", () => {
  test.each(
    linesOf(
      ["tasks", "show", "t-999999"],
      ["tasks", "--limit", "0"],
      ["triggers", "show", "nothing"],
      ["triggers", "add", "提醒我"],
      ["triggers", "add", "--when", "{", "提醒我"],
      ["triggers", "add", "--when", '{"type":"nothing"}', "提醒我"],
      ["triggers", "add", "--cron", "61 * * * * *", "提醒我"],
      ["questions", "answer", "q-1", "yes"],
      ["approvals", "remove", "a-1"],
      ["memory", "forget", "not there"],
      ["undo", "t-999999"],
      ["hooks", "show", "none"],
      ["hooks", "test", "broken"],
      ["recipe", "show", "none-such"],
      ["recipe", "show", "disk-space", "--set", "nothing=1"],
      ["restore", "/nowhere/backup.tar.gz"],
      ["restore", "package.json"],
      ["history", "--limit", "0"],
      ["status"],
      ["devices"],
      ["audit", "replay", "--at", "2100-01-01T00:00Z"],
      ["memory", "used"],
      ["import", "chatgpt", "/nowhere/export.zip"],
      ["import", "--undo", "none"],
      ["mcp", "test", "none"],
      ["mcp", "test", "shop"],
      ["skills", "show", "none"],
      ["config", "set", "port", "many"],
      ["config", "set", "nothing", "1"],
      ["connect", "nobody"],
      ["channels", "add", "nobody"],
      ["pool", "remove", "none"],
      ["audit", "replay"],
      ["chaos", "--minutes", "0"],
      ["chaos", "--seed", "0.5"],
      ["tasks", "show"],
      ["tasks", "shwo"],
      ["taskss"],
    ),
  )("$line", async ({ words }) => {
    const said = await inChinese(...words);
    expect(said.code).not.toBe(0);
    expect(said.error).toMatch(HAN);
    expect(englishIn(said)).toEqual([]);
  });
});

test.each(
  linesOf(
    ["tasks", "show", "t-000009"],
    ["triggers"],
    ["hooks"],
    ["config", "show", "budget"],
    ["audit", "verify"],
    ["connect", "--list"],
  ),
)("$line --json is the same in every language", async ({ words }) => {
  const all = [...words, "--json"];
  const english = await runCli(place, all, "", { ...CHINESE, LANG: "en_US.UTF-8" });
  expect(await inChinese(...all)).toEqual(english);
});
