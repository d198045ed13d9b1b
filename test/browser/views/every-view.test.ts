import { describe, expect, test } from "vitest";
import { Instance } from "../../support/instance.ts";
import { ADDRESSES, fillAll } from "../support/fill-all.ts";
import { openInstance } from "../support/open-instance.ts";
import { taskRecord, triggerRecord } from "../support/records.ts";
import { BROWSER_MS_MAX, hasChromium, usePages } from "../support/use-pages.ts";
import { VIEWS } from "../support/view-list.ts";
import { field, fill, openView, trailOf } from "../support/views.ts";

describe.runIf(hasChromium)("every view", { timeout: BROWSER_MS_MAX }, () => {
  const pages = usePages();
  const { openPage, atEnd } = pages;

  test("every view fits a phone: nothing scrolls sideways", async () => {
    fillAll(pages.gateway);
    const word = "x".repeat(300);
    pages.gateway.task(taskRecord({ id: "t-000002.0", title: word, state: "failed", error: word }));
    pages.gateway.trigger(triggerRecord({ id: "trg-2", title: word }));
    pages.gateway.answers.set("/api/history/search", {
      hits: [{ id: "m-1", role: "user", at: "2026-11-20T08:00:00.000Z", text: word, score: 1 }],
    });
    pages.gateway.answers.set("/api/audit", trailOf(word));
    const { page } = await openPage({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
    for (const address of [...ADDRESSES, "tasks/t-000002.0"]) {
      await openView(page, address);
      await expect.poll(() => page.getByText(/^(Looking…|Opening…)$/).count()).toBe(0);
      const wide = await page.evaluate(() =>
        [document.documentElement, ...document.querySelectorAll(".view-body, .view-body > *, .header")]
          .filter((element) => element.scrollWidth > element.clientWidth || element.clientWidth > innerWidth)
          .map((element) => element.className || element.nodeName),
      );
      expect(wide, address).toEqual([]);
    }
  });

  test("every view speaks Chinese where the browser asks for it", async () => {
    fill(pages.gateway);
    const { page } = await openPage({ locale: "zh-CN" });
    const titles = [
      "搜索",
      "任务板",
      "日程",
      "待办",
      "记忆",
      "技能",
      "自我改进",
      "最近的更改",
      "用量",
      "审计日志",
      "设置",
      "键盘快捷键",
    ];
    for (const [i, name] of VIEWS.entries()) {
      await openView(page, name);
      await page.getByRole("heading", { name: titles[i] ?? "", level: 2, exact: true }).waitFor();
    }
    await page.keyboard.press("Control+k");
    await expect.poll(() => page.getByRole("option").first().innerText()).toContain("对话");
  });

  test("a real instance fills every view: a chain, its story, a trigger made by the form, and what was done", async () => {
    const mimikit = await Instance.start();
    atEnd(() => mimikit.dispose());
    const page = await openInstance(pages, mimikit);
    await field(page).fill("run `echo first` then `echo second`");
    await field(page).press("Enter");
    await page.getByText("Both are done.").first().waitFor();

    await page.getByRole("link", { name: /^Tasks/ }).click();
    await page.locator(".needs").waitFor({ state: "attached" });
    await page.locator(".graph-task", { hasText: "second" }).click();
    await page.locator('[data-result="text"]', { hasText: "second" }).waitFor();
    await page.locator(".course li", { hasText: "done" }).waitFor();

    await openView(page, "triggers/new");
    await page.getByLabel("What to do").fill("remind me to stretch");
    await page.getByRole("combobox", { name: "When" }).selectOption("Custom (cron)");
    await page.getByRole("textbox", { name: "Pattern" }).fill("not a calendar");
    await page.locator('.upcoming[data-problem="true"]').waitFor();
    await page.getByRole("textbox", { name: "Pattern" }).fill("0 0 9 * * *");
    await page.locator('.upcoming[data-problem="false"]').waitFor();
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("form").waitFor({ state: "detached" });
    await page.locator("[data-trigger]", { hasText: "every day at 09:00 AM" }).waitFor();
    await page.locator(".firing", { hasText: "stretch" }).first().waitFor();

    await openView(page, "triggers/new");
    await page.getByLabel("What to do").fill("run `cat ready.txt`");
    await page.getByRole("combobox", { name: "When" }).selectOption("When a condition is met");
    await page.getByLabel("File or glob in the workspace").fill("ready.txt");
    await page.getByRole("button", { name: "Add condition" }).click();
    const kinds = page.getByRole("combobox", { name: "Kind of condition" });
    await kinds.last().selectOption("not this");
    await kinds.last().selectOption("a task has failed");
    await page.getByLabel("Id of the task").fill("t-000001.0");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("form").waitFor({ state: "detached" });
    await page.getByRole("button", { name: /^Why run `cat/ }).click();
    await page.locator(".truth li", { hasText: "ready.txt does not exist" }).first().waitFor();

    await openView(page, "backlog");
    await page.getByLabel("Add something for later").fill("buy compost");
    await page.keyboard.press("Enter");
    await page.getByRole("checkbox", { name: "buy compost" }).click();
    await page.locator('.item[data-done="true"]').waitFor();
    await page.getByRole("button", { name: "Undo buy compost" }).first().click();
    await page.locator('.item[data-done="false"]').waitFor();
    await openView(page, "memory");
    await page.getByLabel("Something to remember").fill("the beds are in the north");
    await page.getByRole("button", { name: "Remember", exact: true }).click();
    await page.locator('[data-source="memory.md"]').getByRole("link").click();
    await page.locator('[data-file="memory.md"] li', { hasText: /^the beds are in the north$/ }).waitFor();
    await openView(page, "skills");
    await page.locator('[data-skill="repository-review"]').waitFor();
    await openView(page, "improvements");
    await page.getByText("No improvements yet.").waitFor();
    await openView(page, "tasks/timeline");
    await page.locator(".lane", { hasText: "second" }).first().waitFor();

    await openView(page, "search/second");
    await page.locator("mark", { hasText: "second" }).first().waitFor();
    await openView(page, "audit");
    await page.getByLabel("Filter").fill("task_done");
    await page.locator('[data-event="task_done"]').first().waitFor();
    await openView(page, "usage");
    await page.getByText("No cost yet.").waitFor();
    await openView(page, "settings");
    await page.getByRole("button", { name: "Try it" }).click();
    await page
      .locator(".message[data-role=user]", { hasText: "help" })
      .getByText("Answered", { exact: true })
      .waitFor();
  });
});
