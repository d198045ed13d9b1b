/** The command line as a reader of Chinese runs it, against a running home. */
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { linesOf, runCli, runCliFirst, startCli } from "../cli/run-cli.ts";
import { englishIn, HAN } from "../support/english-lines.ts";
import { Instance } from "../support/instance.ts";

const CHINESE = { LC_ALL: "", LC_MESSAGES: "", LANG: "zh_CN.UTF-8" };
let mimikit: Instance;
let taskId = "";

beforeAll(async () => {
  mimikit = await Instance.start({
    prepare: async (home) => {
      mkdirSync(join(home, "hooks"), { recursive: true });
      writeFileSync(join(home, "hooks/tidy.yaml"), "on: task_failed\nrun: [/bin/true]\n");
      writeFileSync(join(home, "hooks/broken.yaml"), "on: task_failed\nurl: https://hooks.example/x\n");
      writeFileSync(join(home, "mcp.json"), '{"mcpServers":{"shop":{"command":"/bin/true","disabled":true}}}\n', {
        mode: 0o600,
      });
    },
  });
  await mimikit.send("运行 `true`，然后 `false`");
  for (const words of [
    ["memory", "add", "--long-term", "我们周四部署"],
    ["backlog", "add", "修好门"],
    ["triggers", "add", "--every", "2h", "提醒我浇花"],
    ["triggers", "add", "--when-file-changes", "plan.md", "看看 `plan.md`"],
    ["config", "set", "budget.day.costUsd", "5"],
  ])
    runCliFirst(mimikit, words);
  taskId = (
    await mimikit.until("a task has failed", async () =>
      (await mimikit.tasks()).find(({ state }) => state === "failed"),
    )
  ).id;
});
afterAll(() => mimikit.dispose());

const inChinese = (...words: string[]) =>
  runCli(mimikit, words, "", { ...CHINESE, MIMIKIT_PORT: String(mimikit.port) });

test.each(
  linesOf(
    ["status"],
    ["tasks"],
    ["tasks", "show", "<task>"],
    ["history"],
    ["memory", "used"],
    ["backlog"],
    ["undo"],
    ["usage"],
    ["triggers", "explain", "看看 `plan.md`"],
    ["hooks"],
    ["hooks", "show", "tidy"],
    ["audit", "verify"],
    ["audit", "replay", "--at", "2100-01-01T00:00Z"],
    ["doctor"],
    ["devices"],
    ["mcp"],
    ["pair"],
    ["tasks", "cancel", "<task>"],
  ),
)("all lines of $line are in Chinese", async ({ words }) => {
  const said = await inChinese(...words.map((word) => word.replace("<task>", taskId)));
  expect(said.out + said.error).toMatch(HAN);
  expect(englishIn(said, "tidy", "broken", "shop", "delegate")).toEqual([]);
});

test("bench says what it measures in Chinese", async () => {
  const said = await inChinese("bench");
  expect(said.out).toContain("一条消息得到回答");
  expect(englishIn(said)).toEqual([]);
});

test("demo says in Chinese what it shows, and how it is ended", async () => {
  const demo = startCli(mimikit, ["demo"], CHINESE);
  const ended = once(demo, "close");
  let out = "";
  for await (const chunk of demo.stdout) {
    out += String(chunk);
    if (out.includes("Ctrl-C")) break;
  }
  demo.kill("SIGINT");
  await ended;
  expect(out).toContain("虚构");
  expect(englishIn({ out, error: "" })).toEqual([]);
});

test("status, tasks and their refusals are in Chinese where the locale is", async () => {
  const status = await inChinese("status");
  expect(status).toMatchObject({ code: 0, error: "" });
  for (const text of ["就绪", "工作区", "进程", "触发器", "今天"]) expect(status.out).toContain(text);
  expect(await inChinese("tasks")).toMatchObject({ code: 0, out: expect.stringContaining("失败（") });
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
