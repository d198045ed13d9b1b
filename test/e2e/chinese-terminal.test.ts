/** The command line as a reader of Chinese runs it, against a running home. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { Instance } from "../support/instance.ts";

const CHINESE = { LC_ALL: "", LC_MESSAGES: "", LANG: "zh_CN.UTF-8" };
let mimikit: Instance;

beforeAll(async () => {
  mimikit = await Instance.start();
});
afterAll(() => mimikit.dispose());

const inChinese = (...words: string[]) =>
  runCli(mimikit, words, "", { ...CHINESE, MIMIKIT_PORT: String(mimikit.port) });

test("status, tasks and their refusals are in Chinese where the locale is", async () => {
  const status = await inChinese("status");
  expect(status).toMatchObject({ code: 0, error: "" });
  for (const text of ["就绪", "工作区", "进程", "触发器", "今天"]) expect(status.out).toContain(text);
  expect(await inChinese("tasks")).toMatchObject({ code: 0, out: expect.stringContaining("没有任务") });
  expect(await inChinese("tasks", "show", "t-000009")).toMatchObject({
    code: 1,
    error: expect.stringContaining("没有任务 t-000009：用 mimikit tasks 查看"),
  });
  expect(await inChinese("tasks", "show")).toMatchObject({
    code: 2,
    error: expect.stringContaining("缺少参数；用法："),
  });
});

test("a command that is not running says so in Chinese, and what to do", async () => {
  const elsewhere = { home: `${mimikit.home}-elsewhere`, workDir: mimikit.workDir };
  const stopped = await runCli(elsewhere, ["history"], "", CHINESE);
  expect(stopped.code).not.toBe(0);
  expect(stopped.error).toContain("状态目录");
});

test("--json is the same in every language", async () => {
  const [english, chinese] = await Promise.all([
    runCli(mimikit, ["tasks", "show", "t-000009", "--json"], "", { ...CHINESE, LANG: "en_US.UTF-8" }),
    inChinese("tasks", "show", "t-000009", "--json"),
  ]);
  expect(english.error + english.out).toContain("there is no task t-000009");
  expect(chinese).toEqual(english);
});
