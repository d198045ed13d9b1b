/** The conversation itself: what a reply set going as cards, replies to messages, and how far each message is. */
import axe from "axe-core";
import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { Instance } from "../support/instance.ts";
import { openInstance } from "./support/open-instance.ts";
import { messageRecord, questionRecord, statusRecord, taskRecord, triggerRecord } from "./support/records.ts";
import { BROWSER_MS_MAX, connected, hasChromium, usePages } from "./support/use-pages.ts";

const HOSTILE = "<img src=x onerror=alert(1)> `<b>bold</b>` <script>alert(2)</script>";
const USAGE = { inputTokens: 1_000, cachedTokens: 0, outputTokens: 234, costUsd: 0.01, toolCalls: {} };

describe.runIf(hasChromium)("the conversation", { timeout: BROWSER_MS_MAX }, () => {
  const pages = usePages();
  const { openPage } = pages;

  const field = (page: Page) => page.getByLabel("Message", { exact: true });
  const withText = (page: Page, text: string) => page.locator(".message", { hasText: text });
  const progressOf = (message: Locator) => message.locator("[data-progress]");
  const cardOf = (page: Page, id: string) => page.locator(`[data-work="${id}"]`);
  const isFocused = (locator: Locator) => locator.evaluate((element) => element === document.activeElement);
  const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString();

  function reply(change: Partial<Parameters<typeof messageRecord>[0]> = {}): void {
    pages.gateway.message(messageRecord({ id: "t-000001.reply", role: "assistant", text: "On it.", ...change }));
  }

  /** A plan of two, the first of them done. */
  function startPlan(): void {
    const startedAt = secondsAgo(65);
    reply({ taskIds: ["t-000001.0"] });
    const plan = { id: "t-000001.0", role: "planner" as const, title: "run `ls` then `wc`" };
    pages.gateway.task(taskRecord({ ...plan, state: "done", startedAt, usage: USAGE }));
    pages.gateway.task(
      taskRecord({
        id: "t-000001.0.0",
        title: "run `ls`",
        state: "done",
        startedAt,
        completedAt: secondsAgo(60),
        usage: USAGE,
      }),
    );
    pages.gateway.task(
      taskRecord({ id: "t-000001.0.1", title: "run `wc`", state: "running", startedAt: secondsAgo(60) }),
    );
  }

  describe("the card of a plan", () => {
    test("says how far it is, what runs, how long it takes and what it has cost, and folds when it is over", async () => {
      const { page, mishaps } = await openPage();
      startPlan();
      const card = withText(page, "On it.").locator('[data-work="t-000001.0"]');
      await card.getByText("1 of 2 done").waitFor();
      const bar = card.getByRole("progressbar");
      expect(await bar.evaluate((each: HTMLProgressElement) => [each.value, each.max])).toEqual([1, 2]);
      await card.getByText("2,468 tokens").waitFor();
      await card.getByText("$0.02").waitFor();
      await card
        .getByText(/^1m \d\ds$/)
        .first()
        .waitFor();
      expect(
        await card.locator(".row").evaluateAll((rows: HTMLElement[]) => rows.map(({ dataset }) => dataset.state)),
      ).toEqual(["done", "running"]);
      await expect.poll(() => card.locator(".work-top code").allInnerTexts()).toEqual(["ls", "wc"]);
      pages.gateway.pass({ type: "progress", taskId: "t-000001.0.1", step: "$ wc -l" });
      await card.locator('[data-row="t-000001.0.1"] .live-step', { hasText: "$ wc -l" }).waitFor();

      const over = { state: "done" as const, completedAt: new Date().toISOString() };
      pages.gateway.task(taskRecord({ id: "t-000001.0.1", title: "run `wc`", ...over }));
      await card.getByText("2 of 2 done").waitFor();
      await card.locator(".row").first().waitFor({ state: "hidden" });
      expect(await bar.count()).toBe(0);
      expect(mishaps).toEqual([]);
    });

    test("is cancelled from there while it is open, and leads to the story of each of its tasks", async () => {
      const { page } = await openPage();
      startPlan();
      const card = cardOf(page, "t-000001.0");
      await page.clock.install();
      await card.getByRole("button", { name: "Cancel run" }).click();
      await card.getByRole("button", { name: "Keep run" }).waitFor();
      await page.clock.fastForward(60_000);
      expect(await pages.gateway.arrival("cancel")).toEqual({ type: "cancel", taskId: "t-000001.0" });
      await card.getByText("Cancelling…").waitFor();
      pages.gateway.task(taskRecord({ id: "t-000001.0.1", title: "run `wc`", state: "cancelled" }));
      await card.locator(".state", { hasText: "cancelled" }).waitFor();
      expect(await card.getByRole("button", { name: "Cancel" }).count()).toBe(0);
      expect(await card.getByRole("link", { name: "run ls then wc" }).getAttribute("href")).toBe("#/tasks/t-000001.0");
    });

    test("is the same in two tabs, and there again after a reload", async () => {
      const { page: one } = await openPage();
      const { page: two } = await openPage();
      startPlan();
      const textIn = async (page: Page) => {
        await cardOf(page, "t-000001.0").getByText("1 of 2 done").waitFor();
        return (await cardOf(page, "t-000001.0").locator(".rows").innerText()).replace(/\d+m? ?\d*s/g, "");
      };
      const seen = await textIn(one);
      expect(await textIn(two)).toBe(seen);
      await two.reload();
      expect(await textIn(two)).toBe(seen);
    });

    test("does not move for who wants no motion, and turns for who does not mind", async () => {
      const animationIn = async (reducedMotion: "reduce" | "no-preference") => {
        const { page } = await openPage({ reducedMotion });
        const mark = page.locator('.state-mark[data-state="running"]');
        await mark.waitFor();
        return mark.evaluate((element) => getComputedStyle(element, "::before").animationName);
      };
      startPlan();
      expect(await animationIn("reduce")).toBe("none");
      expect(await animationIn("no-preference")).toBe("turn");
    });
  });

  describe("the card of a task", () => {
    test("opens what came of it by its type, fetched only then, and by the keyboard alone", async () => {
      const { page } = await openPage();
      const { id } = taskRecord({ id: "t-000001.0" });
      reply({ taskIds: [id] });
      pages.gateway.task(taskRecord({ id, title: "Fix it", state: "done", usage: USAGE }));
      pages.gateway.answers.set(`/api/tasks/${id}`, {
        resultType: "code_change",
        result: { files: [{ path: "src/a.ts", action: "modify", summary: "a bound" }], commitMessage: "Bound it" },
      });
      const button = cardOf(page, id).getByRole("button", { name: "Result of Fix it" });
      await button.waitFor();
      expect(pages.gateway.requests).not.toContain(`/api/tasks/${id}`);
      await button.focus();
      await page.keyboard.press("Enter");
      await cardOf(page, id).locator('[data-result="code_change"]', { hasText: "src/a.ts" }).waitFor();
      await cardOf(page, id).getByText("Bound it").waitFor();
      expect(await button.getAttribute("aria-expanded")).toBe("true");
      await page.keyboard.press("Enter");
      await cardOf(page, id).locator(".result").waitFor({ state: "detached" });
    });

    test.each([
      ["en-GB", "Timed out: codex said nothing"],
      ["zh-CN", "超过了允许的时间：codex said nothing"],
    ])(
      "says in the words of the page why a task failed, and then its error as it was told (%s)",
      async (locale, text) => {
        const { page } = await openPage({ locale });
        reply({ taskIds: ["t-000001.0"] });
        const error = "codex said nothing";
        pages.gateway.task(
          taskRecord({ id: "t-000001.0", title: "Sow", state: "failed", failureReason: "timeout", error }),
        );
        await cardOf(page, "t-000001.0").locator(".task-error").getByText(text, { exact: true }).waitFor();
      },
    );

    test("shows hostile titles, steps, errors and results as text", async () => {
      const { page, mishaps } = await openPage();
      reply({ taskIds: ["t-000001.0", "t-000001.1", "t-000001.2"], triggers: [{ id: "t-000001.3", title: HOSTILE }] });
      pages.gateway.task(taskRecord({ id: "t-000001.0", title: HOSTILE, state: "done" }));
      pages.gateway.task(taskRecord({ id: "t-000001.1", title: HOSTILE, state: "running" }));
      pages.gateway.task(taskRecord({ id: "t-000001.2", title: HOSTILE, state: "failed", error: HOSTILE }));
      pages.gateway.answers.set("/api/tasks/t-000001.0", {
        resultType: "analysis",
        result: { findings: [HOSTILE], references: [HOSTILE] },
      });
      await cardOf(page, "t-000001.1").waitFor();
      pages.gateway.pass({ type: "progress", taskId: "t-000001.1", step: HOSTILE });
      await cardOf(page, "t-000001.1").locator(".live-step", { hasText: "<script>" }).waitFor();
      await cardOf(page, "t-000001.0").getByRole("button", { name: "Result" }).click();
      await cardOf(page, "t-000001.0").locator(".result", { hasText: "<script>" }).waitFor();
      await cardOf(page, "t-000001.2").locator(".task-error", { hasText: "<script>" }).waitFor();
      await page.locator('[data-schedule="t-000001.3"]', { hasText: "<script>" }).waitFor();
      expect(await page.locator(".reply-cards").locator("img, script, b").count()).toBe(0);
      await expect.poll(() => cardOf(page, "t-000001.0").locator(".work-title code").innerText()).toBe("<b>bold</b>");
      expect(mishaps).toEqual([]);
    });

    test("is a line where a reply only reports it, with what came of it folded", async () => {
      const { page } = await openPage();
      startPlan();
      reply({ id: "t-000002.reply", text: "There is one file.", taskIds: ["t-000001.0.0"] });
      const report = withText(page, "There is one file.");
      await report.locator('[data-row="t-000001.0.0"]', { hasText: "run ls" }).waitFor();
      expect(await report.locator("[data-work]").count()).toBe(0);
      expect(await report.locator(".result").count()).toBe(0);
      await report.getByRole("button", { name: "Result of run" }).waitFor();
    });
  });

  describe("the card of a trigger", () => {
    const card = (page: Page) => page.locator('[data-schedule="t-000001.0"]');
    const at = (days: number) => {
      const moment = new Date();
      moment.setDate(moment.getDate() + days);
      moment.setHours(9, 0, 0, 0);
      return moment.toISOString();
    };

    test("says when it fires next as people do, can be paused, and says when it is over", async () => {
      const { page } = await openPage();
      const beds = triggerRecord({ id: "t-000001.0", title: "Water the `beds`", next: at(1) });
      pages.gateway.trigger(beds);
      reply({ triggers: [{ id: beds.id, title: beds.title }] });
      await card(page)
        .getByText(/next: tomorrow 0?9:00/)
        .waitFor();
      expect(await card(page).getByRole("link").getAttribute("href")).toBe("#/triggers/t-000001.0");
      await card(page).getByRole("button", { name: "Pause" }).click();
      await expect
        .poll(() => pages.gateway.wanted)
        .toEqual([{ method: "PATCH", path: "/t-000001.0", body: { paused: true } }]);
      pages.gateway.trigger({ ...beds, paused: true });
      await card(page).getByText("paused").waitFor();
      await card(page).getByRole("button", { name: "Resume" }).waitFor();
      pages.gateway.trigger({ ...beds, paused: true }, true);
      await card(page).getByText("ended").waitFor();
      expect(await card(page).getByRole("button").count()).toBe(0);
      await expect.poll(() => card(page).innerText()).toContain("Water the beds");
    });

    test("speaks Chinese where the browser does, in the viewer's zone", async () => {
      const next = new Date(Date.now() + 86_400_000);
      next.setUTCHours(1, 0, 0, 0);
      if (next.getTime() - Date.now() < 3_600_000) next.setUTCDate(next.getUTCDate() + 1);
      pages.gateway.trigger(triggerRecord({ id: "t-000001.0", title: "浇花", next: next.toISOString() }));
      reply({ triggers: [{ id: "t-000001.0", title: "浇花" }] });
      const { page } = await openPage({ locale: "zh-CN", timezoneId: "Asia/Shanghai" });
      await card(page)
        .getByText(/^((明天|星期.) )?09:00$/)
        .waitFor();
      await card(page).getByRole("button", { name: "暂停 浇花" }).waitFor();
    });
  });

  describe("a reply to a message", () => {
    const quoting = (page: Page) => page.locator(".quoting");

    test("shows what it is about, is sent with it, and leads to it, by the keyboard alone", async () => {
      const { page, mishaps } = await openPage();
      pages.gateway.message(messageRecord({ id: "m-1", role: "user", text: "which file?" }));
      reply({ text: "It is **notes.md**.", answers: ["m-1"] });
      await withText(page, "notes.md").waitFor();
      await field(page).focus();
      // Backwards from the field, the newest message comes first: its copy button, then its reply button.
      const button = page.getByRole("button", { name: "Reply to “It is **notes.md**.”" });
      for (let presses = 0; presses < 10 && !(await isFocused(button)); presses++)
        await page.keyboard.press("Shift+Tab");
      expect(await button.evaluate((element) => getComputedStyle(element.parentElement ?? element).opacity)).toBe("1");
      await page.keyboard.press("Enter");
      await quoting(page).getByText("It is notes.md.").waitFor();
      expect(await isFocused(field(page))).toBe(true);
      await page.reload();
      await connected(page);
      await quoting(page).getByText("It is notes.md.").waitFor();
      await field(page).fill("why that one?");
      await field(page).press("Enter");
      expect(await pages.gateway.arrival("input")).toMatchObject({ text: "why that one?", quote: "t-000001.reply" });
      expect(await quoting(page).count()).toBe(0);
      const mine = withText(page, "why that one?");
      await mine.getByRole("button", { name: "In reply to" }).focus();
      await page.keyboard.press("Enter");
      await expect.poll(() => isFocused(page.locator('[data-id="t-000001.reply"]'))).toBe(true);
      expect(mishaps).toEqual([]);
    });

    test("can be one no more: by its button, or by Escape in the empty field, which stops nothing then", async () => {
      const { page } = await openPage();
      pages.gateway.task(taskRecord({ id: "t-000009.0", state: "running" }));
      reply({ text: "Yes." });
      const replyTo = () => withText(page, "Yes.").getByRole("button", { name: "Reply to" }).click();
      await replyTo();
      await page.getByRole("button", { name: "Remove quote" }).click();
      expect(await quoting(page).count()).toBe(0);
      await replyTo();
      await field(page).press("Escape");
      expect(await quoting(page).count()).toBe(0);
      expect(pages.gateway.received.some(({ frame }) => frame.type === "stop")).toBe(false);
      await field(page).fill("so?");
      await field(page).press("Enter");
      expect(await pages.gateway.arrival("input")).not.toHaveProperty("quote");
    });

    test("is not said to what runs, and who tries is told why; nothing is sent", async () => {
      const { page } = await openPage();
      pages.gateway.task(taskRecord({ id: "t-000009.0", state: "running" }));
      reply({ text: "Yes." });
      await withText(page, "Yes.").getByRole("button", { name: "Reply to" }).click();
      await page.getByRole("button", { name: "Add to current task" }).waitFor();
      await field(page).fill("only the German ones");
      await field(page).press("Control+Enter");
      await page.getByRole("alert").filter({ hasText: "quoted message" }).waitFor();
      await expect.poll(() => field(page).inputValue()).toBe("only the German ones");
      expect(pages.gateway.received.some(({ frame }) => ["input", "steer"].includes(frame.type))).toBe(false);
    });

    test("that is hostile is shown as text", async () => {
      const { page, mishaps } = await openPage();
      reply({ text: HOSTILE });
      pages.gateway.message(messageRecord({ id: "m-2", role: "user", text: "what?", quote: "t-000001.reply" }));
      await withText(page, "what?").locator(".quote", { hasText: "<script>" }).waitFor();
      expect(await page.locator(".quote img, .quote script").count()).toBe(0);
      expect(mishaps).toEqual([]);
    });

    test("is what an answer to a question is: both stand in the conversation when it is closed", async () => {
      const { page } = await openPage();
      const question = questionRecord({ id: "t-000001.0", question: "Which colour?", options: ["red", "blue"] });
      pages.gateway.question(question);
      await page.locator("[data-question]").getByRole("button", { name: "blue" }).click();
      await pages.gateway.arrival("answer");
      pages.gateway.question(question, false);
      pages.gateway.message(messageRecord({ id: question.id, role: "assistant", text: question.question }));
      pages.gateway.message(messageRecord({ id: "a-1", role: "user", text: "blue", quote: question.id }));
      const answer = page.locator('[data-id="a-1"]');
      await answer.locator(".quote", { hasText: "Which colour?" }).waitFor();
      await expect.poll(() => answer.locator(".bubble").innerText()).toBe("blue");
    });

    test("is not needed to take its words along: each message can be copied", async () => {
      const { page } = await openPage({ permissions: ["clipboard-read", "clipboard-write"] });
      reply({ text: "**All** of it" });
      await withText(page, "All of it").hover();
      await withText(page, "All of it").getByRole("button", { name: "Copy message" }).click();
      await withText(page, "All of it").getByText("Copied").waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("**All** of it");
    });
  });

  describe("a message on its way", () => {
    test("is sending, saved, seen and answered; what comes behind it says that it waits", async () => {
      pages.gateway.accepts = false;
      const { page } = await openPage();
      await field(page).fill("first");
      await field(page).press("Enter");
      await progressOf(withText(page, "first")).filter({ hasText: "Sending" }).waitFor();
      pages.gateway.accepts = true;
      pages.gateway.drop();
      await progressOf(withText(page, "first"))
        .filter({ hasText: /^Saved$/ })
        .waitFor();
      const id = pages.gateway.messageIdOf((await pages.gateway.arrival("input")).id);
      const message = messageRecord({ id, role: "user", text: "first" });
      pages.gateway.message({ ...message, pending: true, toTaskId: "t-000001" });
      await progressOf(withText(page, "first")).filter({ hasText: "Working on it" }).waitFor();
      await field(page).fill("second");
      await field(page).press("Enter");
      await progressOf(withText(page, "second")).filter({ hasText: "answered after the current reply" }).waitFor();
      pages.gateway.message(message);
      reply({ answers: [id] });
      await progressOf(withText(page, "first")).filter({ hasText: "Answered" }).waitFor();
      await progressOf(withText(page, "second"))
        .filter({ hasText: /^Saved$/ })
        .waitFor();
    });

    test("is queued by Enter while something runs, as its button says; it can have a turn of its own", async () => {
      const { page } = await openPage();
      const button = (name: string) => page.getByRole("button", { name, exact: true });
      await button("Send").waitFor();
      expect(await button("Ask separately").count()).toBe(0);
      pages.gateway.task(taskRecord({ id: "t-000001.0", state: "running" }));
      await button("Queue").waitFor();
      await expect.poll(() => button("Add to current task").innerText()).toBe("Add to current task");
      await page.getByText("Enter queues it").waitFor();
      await field(page).fill("//later");
      await button("Ask separately").click();
      expect(await pages.gateway.arrival("input")).toMatchObject({ text: "/later", mode: "next" });
      await progressOf(withText(page, "/later")).filter({ hasText: "answered separately" }).waitFor();
      await field(page).fill("and this");
      await field(page).press("Enter");
      expect(await pages.gateway.arrival("input", ({ text }) => text === "and this")).not.toHaveProperty("mode");
    });
  });

  test("a real instance shows its work, its schedules and what was replied to", async () => {
    const mimikit = await Instance.start();
    pages.atEnd(() => mimikit.dispose());
    const page = await openInstance(pages, mimikit);
    const write = async (text: string) => {
      await field(page).fill(text);
      await field(page).press("Enter");
    };
    await write("run `echo first` then `echo second`");
    const plan = page.locator("[data-work]").first();
    await plan.getByText("2 of 2 done").waitFor();
    const report = withText(page, "Both are done.");
    const second = report.locator(".row", { hasText: "echo second" });
    await second.getByRole("button", { name: "Result" }).click();
    await second.locator('[data-result="text"]', { hasText: "second" }).waitFor();

    await write("every day at 9 run `echo third`");
    const schedule = page.locator("[data-schedule]");
    await schedule.getByText(/next: (tomorrow )?0?9:00/).waitFor();
    await schedule.getByRole("button", { name: "Pause" }).click();
    await schedule.getByText("paused").waitFor();

    await report.getByRole("button", { name: "Reply to" }).click();
    await write("remember that this went well");
    const mine = page.locator('.message[data-role="user"]', { hasText: "went well" });
    await mine.locator('[data-progress="answered"]').waitFor();
    await page.reload();
    await mine.locator(".quote", { hasText: "Both are done." }).waitFor();
    await page.locator("[data-schedule]", { hasText: "paused" }).waitFor();
  });

  test.each(["light", "dark"] as const)(
    "axe finds nothing serious in %s, with every kind of card",
    async (colorScheme) => {
      const { page } = await openPage({ colorScheme });
      startPlan();
      reply({
        id: "t-000005.reply",
        text: "Yes.",
        taskIds: ["t-000005.0", "t-000001.0.0"],
        triggers: [
          { id: "t-000005.1", title: "Stretch" },
          { id: "t-000005.2", title: "Gone" },
        ],
      });
      pages.gateway.task(taskRecord({ id: "t-000005.0", state: "failed", error: "exit code 2" }));
      pages.gateway.trigger(triggerRecord({ id: "t-000005.1", title: "Stretch" }));
      pages.gateway.message(messageRecord({ id: "m-7", role: "user", text: "so?", quote: "t-000005.reply" }));
      pages.gateway.answers.set("/api/tasks/t-000001.0.0", {
        resultType: "summary",
        result: { summary: "s", keyPoints: ["k"] },
      });
      const replied = page.locator('[data-id="t-000005.reply"]');
      await replied.getByRole("button", { name: "Reply to “Yes.”" }).click();
      await replied.getByRole("button", { name: "Result" }).click();
      await page.locator(".result").waitFor();
      await page.evaluate(axe.source);
      const found = await page.evaluate(() => (window as unknown as { axe: typeof axe }).axe.run());
      const serious = found.violations.filter(({ impact }) => impact === "serious" || impact === "critical");
      expect(serious.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    },
  );

  test("fits a phone, in Chinese and in the dark, with every kind of card", async () => {
    const word = "x".repeat(200);
    startPlan();
    reply({
      id: "t-000005.reply",
      text: "好的。",
      taskIds: ["t-000005.0", "t-000001.0.0"],
      triggers: [{ id: "t-000005.1", title: word }],
    });
    pages.gateway.task(taskRecord({ id: "t-000005.0", title: word, state: "running" }));
    pages.gateway.trigger(triggerRecord({ id: "t-000005.1", title: word }));
    pages.gateway.message(messageRecord({ id: "m-7", role: "user", text: word, quote: "t-000005.reply" }));
    pages.gateway.setStatus(statusRecord());
    const { page, mishaps } = await openPage({
      locale: "zh-CN",
      colorScheme: "dark",
      viewport: { width: 390, height: 844 },
      isMobile: true,
      hasTouch: true,
    });
    await cardOf(page, "t-000005.0").waitFor();
    await page.locator('[data-id="t-000005.reply"]').getByRole("button", { name: "回复“好的。”" }).tap();
    pages.gateway.pass({ type: "progress", taskId: "t-000005.0", step: word });
    await cardOf(page, "t-000005.0").locator(".live-step").waitFor();
    await page.getByRole("button", { name: "单独提问" }).waitFor();
    const wide = () =>
      page.evaluate(() =>
        [document.documentElement, ...document.querySelectorAll(".scroller, .composer, .work")]
          .filter((element) => element.scrollWidth > element.clientWidth)
          .map((element) => element.className),
      );
    expect(await wide()).toEqual([]);
    expect(mishaps).toEqual([]);
  });
});
