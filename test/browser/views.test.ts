/** What the views over the conversation promise, in a real browser against a gateway whose every word the test says. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { AuditAnswer, HistoryHit, TaskDetail, UsageRow } from "@mimikit/protocol/api";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { Instance } from "../support/instance.ts";
import { openInstance } from "./support/open-instance.ts";
import { messageRecord, questionRecord, taskRecord, triggerRecord } from "./support/records.ts";
import { BROWSER_MS_MAX, hasChromium, usePages } from "./support/use-pages.ts";

/** Of what is loaded before the first thing is drawn, compressed. */
const SCRIPT_BYTES_MAX = 60 * 1024;
const VIEWS = ["search", "tasks", "triggers", "changes", "usage", "audit", "settings"] as const;
const TITLES = ["Search", "Task board", "Triggers", "Recent changes", "Usage", "Audit log", "Settings"];

describe.runIf(hasChromium)("the views of the page", { timeout: BROWSER_MS_MAX }, () => {
  const pages = usePages();
  const { openPage, atEnd } = pages;

  /** Opens a view by its address, as a bookmark does. */
  async function openView(page: Page, address: string): Promise<void> {
    await page.evaluate((hash) => {
      location.hash = hash;
    }, `#/${address}`);
    await page.locator(".view-body > *").first().waitFor();
  }

  const field = (page: Page) => page.getByLabel("Message", { exact: true });
  const view = (page: Page) => page.locator(".view");

  /** Something in every view. */
  function fill(): void {
    pages.gateway.message(messageRecord({ id: "m-1", role: "user", text: "water the beds" }));
    pages.gateway.task(taskRecord({ id: "t-000001.0", title: "Plan", role: "planner", state: "done" }));
    pages.gateway.task(taskRecord({ id: "t-000001.0.0", title: "First", state: "done" }));
    const second = taskRecord({ id: "t-000001.0.1", title: "Second", state: "running", after: "t-000001.0.0" });
    pages.gateway.task(second);
    pages.gateway.answers.set(`/api/tasks/${second.id}`, { ...second, result: null, upstream: [], timeline: [] });
    pages.gateway.trigger(triggerRecord({ id: "trg-1", title: "Stretch" }));
    const hit: HistoryHit = {
      id: "m-1",
      role: "user",
      at: "2026-11-20T08:00:00.000Z",
      text: "water the beds",
      score: 1,
    };
    pages.gateway.answers.set("/api/history/search", { hits: [hit] });
    pages.gateway.answers.set("/api/memory/search", {
      method: "bm25",
      hits: [{ source: "memory.md", text: "The beds are in the north", score: 1, at: "2026-11-20" }],
    });
    pages.gateway.answers.set("/api/usage", { rows: [usageRow({})] });
    pages.gateway.answers.set("/api/audit", trailOf("task_queued", "task_done"));
    pages.gateway.answers.set("/api/triggers/upcoming", { upcoming: ["2126-12-01T09:00:00.000Z"] });
    const firing = { triggerId: "trg-1", title: "Stretch", local: "", collidesWith: ["trg-2"], expected: null };
    pages.gateway.answers.set("/api/triggers/simulate", {
      from: "",
      to: "",
      firings: [{ ...firing, at: new Date(Date.now() + 60_000).toISOString() }],
      isCut: false,
      expected: { tokens: 1_200, costUsd: 0 },
      conditional: [{ triggerId: "trg-3", title: "Rebuild" }],
    });
  }

  describe("finding one's way", () => {
    test("Ctrl+K finds every view and action by name, with the keyboard alone", async () => {
      fill();
      const { page, mishaps } = await openPage();
      await page.keyboard.press("Control+k");
      const options = page.getByRole("option");
      await options.first().waitFor();
      expect((await options.locator(".name").allInnerTexts()).slice(0, TITLES.length)).toEqual(TITLES);
      await page.keyboard.type("audit");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Audit log" }).waitFor();
      expect(page.url()).toBe(`${pages.gateway.origin}/#/audit`);

      await page.keyboard.press("Control+k");
      await page.keyboard.type("seco");
      await options.filter({ hasText: "Second" }).waitFor();
      await page.keyboard.press("Enter");
      await page.locator('[data-story="t-000001.0.1"]').waitFor();

      await page.keyboard.press("Control+k");
      await page.keyboard.type("roses");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Search" }).waitFor();
      expect(await page.getByLabel("Look for").inputValue()).toBe("roses");
      expect(mishaps).toEqual([]);
    });

    test("what is typed before the palette knows what there is goes nowhere else, and is found then", async () => {
      const { page } = await openPage();
      await field(page).fill("half a thou");
      const { promise: release, resolve } = Promise.withResolvers<void>();
      await page.route("**/assets/palette-entries-*.js", async (route) => {
        await release;
        await route.continue();
      });
      await page.keyboard.press("Control+k");
      await page.keyboard.type("usage");
      await page.keyboard.press("Enter");
      resolve();
      await page.getByRole("heading", { name: "Usage" }).waitFor();
      expect(await field(page).inputValue()).toBe("half a thou");
      expect(pages.gateway.received.filter(({ frame }) => frame.type === "input")).toEqual([]);
    });

    test("Enter in a palette that has just opened ends nothing, whatever runs", async () => {
      fill();
      const { page } = await openPage();
      await page.getByRole("button", { name: "Stop" }).waitFor();
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox").press("Enter");
      await page.getByRole("heading", { name: "Search" }).waitFor();
      expect(pages.gateway.received.filter(({ frame }) => frame.type === "stop")).toEqual([]);
    });

    test("a draft is still there after a view, Escape leads back to it, and so does the browser's way back", async () => {
      const { page } = await openPage();
      await field(page).fill("half a thou");
      await page.keyboard.press("Control+k");
      await page.keyboard.type("usage");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Usage" }).waitFor();
      expect(await field(page).evaluate((element) => element.closest("[inert]") !== null)).toBe(true);
      await page.keyboard.press("Escape");
      await view(page).waitFor({ state: "detached" });
      expect(page.url()).toBe(`${pages.gateway.origin}/`);
      expect(await field(page).inputValue()).toBe("half a thou");
      await expect.poll(() => field(page).evaluate((element) => element === document.activeElement)).toBe(true);
      await page.goBack();
      await page.getByRole("heading", { name: "Usage" }).waitFor();
      await page.goBack();
      await view(page).waitFor({ state: "detached" });
    });

    test("a reload stays in the view, and a question that is asked meanwhile is seen there", async () => {
      const { page } = await openPage();
      await openView(page, "settings");
      await page.reload();
      await page.getByRole("heading", { name: "Settings" }).waitFor();
      pages.gateway.question(questionRecord({ id: "t-000001.0", question: "Which colour?" }));
      await page.getByRole("button", { name: "1 question waits" }).click();
      await page.getByRole("article").getByText("Which colour?").waitFor();
      expect(await view(page).count()).toBe(0);
    });

    test("nothing of a view is loaded before it is opened, and what is loaded first stays small", async () => {
      const { page } = await openPage();
      const before = pages.gateway.requests.filter((path) => path.endsWith(".js"));
      const sizes = await Promise.all(
        before.map(async (path) => gzipSync(await readFile(join(pages.dist, path))).length),
      );
      expect(sizes.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(SCRIPT_BYTES_MAX);
      const all = (await readdir(join(pages.dist, "assets"))).filter((name) => name.endsWith(".js"));
      expect(before.length).toBeLessThan(all.length - VIEWS.length);
      await openView(page, "audit");
      expect(pages.gateway.requests.filter((path) => path.includes("/audit-"))).not.toEqual([]);
    });

    test("says so when a part of the page cannot be loaded, and the rest goes on", async () => {
      const { page } = await openPage();
      await page.route("**/assets/usage-*.js", (route) => route.abort());
      await page.evaluate(() => {
        location.hash = "#/usage";
      });
      await page.getByRole("alert").filter({ hasText: "could not be loaded" }).waitFor();
      await page.keyboard.press("Escape");
      await field(page).fill("still here");
    });
  });

  describe("search", () => {
    const hit = (change: Partial<HistoryHit>): HistoryHit => ({
      id: "m-7",
      role: "user",
      at: "2026-11-20T08:00:00.000Z",
      text: "Water the tomatoes <b>daily</b>",
      score: 1,
      ...change,
    });

    test("marks what was looked for, as text, and teaches before anything is typed", async () => {
      pages.gateway.answers.set("/api/history/search", { hits: [hit({}), hit({ id: "m-8", text: "今天给番茄浇水" })] });
      const { page, mishaps } = await openPage();
      await openView(page, "search");
      await page.getByText("Everything that was ever said").waitFor();
      await page.getByLabel("Look for").fill("tomatoes 番茄浇");
      await page.locator('[data-hit="m-7"]').waitFor();
      expect(await page.locator("mark").allInnerTexts()).toEqual(["tomatoes", "番茄浇"]);
      expect(await page.locator('[data-hit="m-7"] .hit-text').innerText()).toBe("Water the tomatoes <b>daily</b>");
      expect(await page.locator(".hit-text b").count()).toBe(0);
      expect(mishaps).toEqual([]);
    });

    test("leads to the place where it was said, also far above what the page has loaded", async () => {
      pages.gateway.message(messageRecord({ id: "m-9", role: "user", text: "newest" }));
      pages.gateway.answers.set("/api/history/search", { hits: [hit({})] });
      pages.gateway.answers.set("/api/messages", ({ before }: { before: string }) => ({
        messages: before === "m-9" ? [messageRecord({ id: "m-7", role: "user", text: "Water the tomatoes" })] : [],
      }));
      const { page } = await openPage();
      await openView(page, "search/tomatoes");
      await page.getByRole("button", { name: "Show it in the conversation" }).click();
      const found = page.locator('.message[data-id="m-7"]');
      await expect.poll(() => found.evaluate((element) => element === document.activeElement)).toBe(true);
      expect(await page.locator(".message").evaluateAll((all) => all.map((one) => one.dataset.id))).toEqual([
        "m-7",
        "m-9",
      ]);
      await page.goBack();
      expect(await page.getByLabel("Look for").inputValue()).toBe("tomatoes");
    });

    test("shows what memory holds about it, with the name of its source, and asks what was typed as it is", async () => {
      const asked: string[] = [];
      pages.gateway.answers.set("/api/history/search", { hits: [] });
      pages.gateway.answers.set("/api/memory/search", ({ q }: { q: string }) => {
        asked.push(q);
        return {
          method: "bm25",
          hits: [{ source: "memory.md", text: "Beds & <b>roses</b>", score: 1, at: "2026-11-20" }],
        };
      });
      const { page, mishaps } = await openPage();
      await openView(page, `search/${encodeURIComponent("beds & roses")}`);
      const remembered = page.getByRole("region", { name: "What is remembered" });
      await remembered.locator('[data-source="memory.md"]').waitFor();
      expect(await remembered.locator(".hit-text").innerText()).toBe("Beds & <b>roses</b>");
      expect(await remembered.locator("mark").allInnerTexts()).toEqual(["Beds", "roses"]);
      expect(asked).toEqual(["beds & roses"]);
      expect(mishaps).toEqual([]);
    });

    test("says where nothing was found, and where it is too old to be shown around", async () => {
      pages.gateway.answers.set("/api/history/search", ({ q }: { q: string }) => ({
        hits: q === "old" ? [hit({})] : [],
      }));
      pages.gateway.answers.set("/api/messages", { messages: [] });
      const { page } = await openPage();
      await openView(page, "search/nothing");
      await page.getByText("Nobody has said anything like “nothing”.").waitFor();
      await openView(page, "search/old");
      await page.getByRole("button", { name: "Show it in the conversation" }).click();
      await page.getByText("It is older than what the page can show").waitFor();
    });
  });

  describe("the task board", () => {
    test("draws what waits for what, and follows what happens", async () => {
      fill();
      const { page, mishaps } = await openPage();
      await openView(page, "tasks");
      await page.locator('[data-needs="t-000001.0.1"]').waitFor({ state: "attached" });
      const left = (id: string) =>
        page.locator(`[data-node="${id}"]`).evaluate((element) => element.getBoundingClientRect().left);
      expect(await left("t-000001.0.0")).toBeLessThan(await left("t-000001.0.1"));
      pages.gateway.task(taskRecord({ id: "t-000001.0.1", title: "Second", state: "done", after: "t-000001.0.0" }));
      await page.locator('[data-node="t-000001.0.1"][data-state="done"]').waitFor();
      await page.getByRole("heading", { name: "Ended" }).waitFor();
      expect(mishaps).toEqual([]);
    });

    test.each([
      ["text", { text: "**3** lines", artifact: "runs/out.txt" }, ["3 lines", "In full: runs/out.txt"]],
      [
        "code_change",
        { files: [{ path: "src/a.ts", action: "modified", summary: "adds b" }], commitMessage: "Add b" },
        ["1 file", "modified", "src/a.ts", "adds b", "Add b"],
      ],
      ["analysis", { findings: ["It leaks"], recommendations: ["Close it"] }, ["Findings", "It leaks", "Close it"]],
      ["summary", { summary: "All is well", keyPoints: ["One", "Two"] }, ["All is well", "Key points", "One", "Two"]],
    ])("tells the story of a task with a result of type %s", async (resultType, result, said) => {
      const summary = taskRecord({ id: "t-000001.0.1", title: "Second", state: "done", prompt: "do it" });
      const detail: TaskDetail = {
        ...summary,
        resultType,
        result,
        upstream: [
          { id: "t-000001.0.0", title: "First", role: "worker", status: "done", resultType: "text", result: {} },
        ],
        timeline: [
          { at: "2026-11-22T08:00:00.000Z", event: "created" },
          { at: "2026-11-22T08:00:02.000Z", event: "attempt 1 started" },
          { at: "2026-11-22T08:01:02.000Z", event: "done" },
        ],
      };
      pages.gateway.task(summary);
      pages.gateway.answers.set("/api/tasks/t-000001.0.1", detail);
      const { page, mishaps } = await openPage();
      await page.locator('[data-task="t-000001.0.1"]').getByRole("link", { name: "Second" }).click();
      await page.locator(`[data-result="${resultType}"]`).waitFor();
      const text = await page.locator(".result").innerText();
      for (const words of said) expect(text).toContain(words);
      expect(await page.locator(".course li").allInnerTexts()).toHaveLength(3);
      expect(await page.locator(".course").innerText()).toContain("+1m 00s");
      await page.getByRole("link", { name: "First" }).waitFor();
      expect(mishaps).toEqual([]);
    });
  });

  describe("triggers", () => {
    test("are made by a form that says when in words and shows the next moments first", async () => {
      pages.gateway.answers.set("/api/triggers/upcoming", ({ cron, timezone }: Record<string, string>) => ({
        upcoming: cron === "0 30 7 * * 1-5" && timezone === "Asia/Tokyo" ? ["2126-12-02T22:30:00.000Z"] : [],
      }));
      const { page, mishaps } = await openPage({ timezoneId: "Asia/Tokyo", locale: "en-GB" });
      await page.getByRole("button", { name: "Triggers" }).click();
      await page.getByRole("button", { name: "New trigger" }).click();
      await page.getByLabel("What should be done?").fill("drink water");
      await page.getByRole("combobox", { name: "When" }).selectOption("On days of the week");
      await page.getByLabel("At", { exact: true }).fill("07:30");
      await page.locator(".upcoming", { hasText: "07:30" }).filter({ hasText: "Next:" }).waitFor();
      expect((await page.locator(".upcoming b").innerText()).trim()).toBe("Monday to Friday at 07:30.");
      await page.getByRole("button", { name: "Create" }).click();
      await page.getByRole("form").waitFor({ state: "detached" });
      expect(pages.gateway.wanted).toEqual([
        {
          method: "POST",
          path: "/",
          body: {
            prompt: "drink water",
            target: "teller",
            cron: "0 30 7 * * 1-5",
            timezone: "Asia/Tokyo",
            missed: "latest",
          },
        },
      ]);
      expect(mishaps).toEqual([]);
    });

    test("are changed by the same form, which knows what was ordered; a refusal is told and nothing is lost", async () => {
      const schedule = { cron: "0 0 9 * * *", timezone: "Europe/Berlin" };
      pages.gateway.trigger(triggerRecord({ id: "trg-1", title: "Stretch", prompt: "stretch", schedule }));
      const { page } = await openPage();
      await openView(page, "triggers");
      await page.getByRole("button", { name: "Change Stretch" }).click();
      await page.getByLabel("At", { exact: true }).fill("10:15");
      pages.gateway.refusal = "the calendar is full";
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("alert").filter({ hasText: "the calendar is full" }).waitFor();
      expect(await page.getByLabel("At", { exact: true }).inputValue()).toBe("10:15");
      pages.gateway.refusal = undefined;
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("form").waitFor({ state: "detached" });
      expect(pages.gateway.wanted.at(-1)).toEqual({
        method: "PATCH",
        path: "/trg-1",
        body: {
          prompt: "stretch",
          title: "Stretch",
          target: "teller",
          cron: "0 15 10 * * *",
          timezone: "Europe/Berlin",
          missed: "latest",
        },
      });
    });

    test("have a calendar of the days to come, with what collides and what nobody can know", async () => {
      fill();
      const { page } = await openPage();
      await openView(page, "triggers");
      const today = page.locator('.day[data-today="true"]');
      // A minute before midnight the next minute is tomorrow.
      const firing = page.locator('[data-firing="trg-1"]');
      await firing.waitFor();
      expect(await page.locator(".day").count()).toBe(7);
      expect(await today.count()).toBe(1);
      await firing.getByRole("img", { name: "at the same minute as another" }).waitFor();
      await page.getByText("On a condition, so nobody knows when: Rebuild").waitFor();
      await page.getByText("about 1,200 tokens").waitFor();
      await page.getByRole("button", { name: "A week on" }).click();
      await today.waitFor({ state: "detached" });
    });
  });

  describe("usage", () => {
    test("is drawn by day and summed by who has answered, in tokens or in money", async () => {
      const day = new Date().toISOString().slice(0, 10);
      pages.gateway.answers.set("/api/usage", {
        rows: [usageRow({ day, inputTokens: 900, outputTokens: 100 }), usageRow({ day, role: "worker", costUsd: 0.5 })],
      });
      const { page, mishaps } = await openPage();
      await openView(page, "usage");
      await page.locator(".part").first().waitFor();
      expect(await page.locator("[data-bar]").count()).toBe(30);
      expect(await page.locator(".totals tfoot").innerText()).toContain("$0.50");
      await page.getByRole("img", { name: new RegExp(`Tokens by day: ${day}: 1,120`) }).waitFor();
      await page.getByRole("button", { name: "Cost" }).click();
      await page.getByRole("img", { name: new RegExp(`Cost by day: ${day}: \\$0.50`) }).waitFor();
      await page.getByRole("button", { name: "7 days" }).click();
      await expect.poll(() => page.locator("[data-bar]").count()).toBe(7);
      expect(mishaps).toEqual([]);
    });

    test("that is nothing yet is explained", async () => {
      pages.gateway.answers.set("/api/usage", { rows: [] });
      const { page } = await openPage();
      await openView(page, "usage");
      await page.getByText("Nothing has cost anything yet.").waitFor();
    });
  });

  describe("the audit log", () => {
    test("shows the newest line first, is filtered by any word, and goes back page by page", async () => {
      pages.gateway.answers.set("/api/audit", ({ before, after }: Record<string, string>) => {
        if (before !== undefined) return { ...trailOf("role_started"), previous: null };
        return after === undefined ? { ...trailOf("task_queued", "task_done"), previous: "s1.w1.g1" } : trailOf();
      });
      const { page, mishaps } = await openPage();
      await openView(page, "audit");
      const events = page.locator("[data-event] .event");
      await events.first().waitFor();
      expect(await events.allInnerTexts()).toEqual(["task_done", "task_queued"]);
      await page.getByRole("button", { name: "Older lines" }).click();
      await page.locator('[data-event="role_started"]').waitFor();
      expect(await page.getByRole("button", { name: "Older lines" }).count()).toBe(0);
      await page.getByLabel("Filter").fill("QUEUED t-000001.0");
      await expect.poll(() => events.allInnerTexts()).toEqual(["task_queued"]);
      await page.getByLabel("Filter").fill("no such thing");
      await page.getByText("No line that is loaded fits.").waitFor();
      expect(mishaps).toEqual([]);
    });

    test("goes on while it is open", async () => {
      let hasMore = false;
      pages.gateway.answers.set("/api/audit", ({ after }: Record<string, string>) => {
        if (after === undefined) return trailOf("task_queued");
        if (!hasMore) return trailOf();
        hasMore = false;
        return trailOf("task_done");
      });
      const { page } = await openPage();
      await openView(page, "audit");
      await page.locator('[data-event="task_queued"]').waitFor();
      hasMore = true;
      await page.locator('[data-event="task_done"]').waitFor();
      expect(await page.locator("[data-event]").count()).toBe(2);
    });
  });

  describe("settings", () => {
    test("say who answers for each role, what was passed over, and try it with a harmless message", async () => {
      const { page } = await openPage();
      pages.gateway.setStatus({
        providers: { teller: "claude", planner: "claude", worker: "codex", reviewer: "codex" },
        passedOver: ["openai: OPENAI_API_KEY is not set"],
      });
      await openView(page, "settings");
      await view(page).getByRole("row", { name: "Worker Codex" }).waitFor();
      await view(page).getByText("OPENAI_API_KEY is not set").waitFor();
      await page.getByRole("button", { name: "Try it" }).click();
      await view(page).waitFor({ state: "detached" });
      expect((await pages.gateway.arrival("input")).text).toBe("In one sentence: who are you?");
    });

    test("notifications are shown only after the user has asked for them, and only for what is new and unasked", async () => {
      pages.gateway.question(questionRecord({ id: "q-old", question: "An old one?" }));
      const context = await pages.browser.newContext();
      atEnd(() => context.close());
      // Nobody looks at a page in a headless browser's notifications: what is shown is written down instead.
      await context.addInitScript(() => {
        const shown: string[] = [];
        class Recorder {
          static permission = "default";
          static async requestPermission(): Promise<string> {
            Recorder.permission = "granted";
            return Recorder.permission;
          }
          close(): void {}
          constructor(title: string, options: { body: string }) {
            shown.push(`${title}: ${options.body}`);
          }
        }
        Object.assign(window, { Notification: Recorder, shown });
        Object.defineProperty(document, "visibilityState", { get: () => "hidden" });
      });
      const page = await context.newPage();
      await page.goto(pages.gateway.pairingAddress());
      await page.getByRole("article").getByText("An old one?").waitFor();
      const shown = () => page.evaluate(() => (window as unknown as { shown: string[] }).shown);
      pages.gateway.message(messageRecord({ id: "t-000001.reply", role: "assistant", text: "Before consent." }));
      await page.locator(".message", { hasText: "Before consent." }).waitFor();
      expect(await shown()).toEqual([]);

      await openView(page, "settings");
      await view(page).getByRole("button", { name: "Allow notifications" }).click();
      await page.getByText("On for this browser").waitFor();
      pages.gateway.question(questionRecord({ id: "q-new", question: "Which colour?" }));
      pages.gateway.message(
        messageRecord({ id: "t-000002.reply", role: "assistant", text: "An answer.", answers: ["m-1"] }),
      );
      pages.gateway.message(messageRecord({ id: "t-000003.reply", role: "assistant", text: "Drink water." }));
      await expect.poll(shown).toEqual(["Questions: Which colour?", "Mimikit: Drink water."]);
      await page.getByRole("button", { name: "Turn off" }).click();
      await view(page).getByRole("button", { name: "Allow notifications" }).waitFor();
    });
  });

  describe("code", () => {
    test("is coloured by its language, and copied as it was written", async () => {
      const { page, mishaps } = await openPage({ permissions: ["clipboard-read", "clipboard-write"] });
      expect(pages.gateway.requests.filter((path) => path.includes("code-colours"))).toEqual([]);
      const text = "```ts\nconst a = '<img src=x onerror=alert(1)>';\n```\n\n```nosuch\nplain <b>\n```";
      pages.gateway.message(messageRecord({ id: "t-000001.reply", role: "assistant", text }));
      await page.locator(".hljs-keyword", { hasText: "const" }).waitFor();
      expect(await page.locator(".message img").count()).toBe(0);
      expect(await page.locator("pre").last().innerText()).toContain("plain <b>");
      await page.locator(".code-block").first().hover();
      await page.getByRole("button", { name: "Copy" }).first().click();
      await page.getByRole("button", { name: "Copied" }).waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
        "const a = '<img src=x onerror=alert(1)>';\n",
      );
      expect(mishaps).toEqual([]);
    });
  });

  test("earlier messages are brought on request, above what is there", async () => {
    for (let i = 50; i < 100; i++)
      pages.gateway.message(messageRecord({ id: `m-${i}`, role: "user", text: `line ${i}` }));
    pages.gateway.answers.set("/api/messages", ({ before }: { before: string }) => ({
      messages: before === "m-50" ? [messageRecord({ id: "m-49", role: "user", text: "line 49" })] : [],
    }));
    const { page } = await openPage();
    await page.getByRole("button", { name: "Earlier messages" }).click();
    await page.locator('[data-id="m-49"]').waitFor();
    expect(await page.locator(".message").first().innerText()).toContain("line 49");
    expect(await page.getByRole("button", { name: "Earlier messages" }).count()).toBe(0);
  });

  test("a real instance fills every view: a chain, its story, a trigger made by the form, and what was done", async () => {
    const mimikit = await Instance.start();
    atEnd(() => mimikit.dispose());
    const page = await openInstance(pages, mimikit);
    await field(page).fill("run `echo first` then `echo second`");
    await field(page).press("Enter");
    await page.getByText("All 2 tasks are done.").first().waitFor();

    await page.getByRole("link", { name: "Task board" }).click();
    await page.locator(".needs").waitFor({ state: "attached" });
    await page.locator(".graph-task", { hasText: "second" }).click();
    await page.locator('[data-result="text"]', { hasText: "second" }).waitFor();
    await page.locator(".course li", { hasText: "done" }).waitFor();

    await openView(page, "triggers/new");
    await page.getByLabel("What should be done?").fill("remind me to stretch");
    await page.getByRole("combobox", { name: "When" }).selectOption("By a cron pattern");
    await page.getByRole("textbox", { name: "Pattern" }).fill("not a calendar");
    await page.locator('.upcoming[data-problem="true"]').waitFor();
    await page.getByRole("textbox", { name: "Pattern" }).fill("0 0 9 * * *");
    await page.locator('.upcoming[data-problem="false"]').waitFor();
    await page.getByRole("button", { name: "Create" }).click();
    await page.locator("[data-trigger]", { hasText: "every day at 09:00" }).waitFor();
    await page.locator(".firing", { hasText: "stretch" }).first().waitFor();

    await openView(page, "search/second");
    await page.locator("mark", { hasText: "second" }).first().waitFor();
    await openView(page, "audit");
    await page.getByLabel("Filter").fill("task_done");
    await page.locator('[data-event="task_done"]').first().waitFor();
    await openView(page, "usage");
    await page.getByText("Nothing has cost anything yet.").waitFor();
    await openView(page, "settings");
    await page.getByRole("button", { name: "Try it" }).click();
    await page.locator(".message[data-role=user]", { hasText: "help" }).getByText("Answered").waitFor();
  });

  test("the page can be installed: its manifest names icons that are there", async () => {
    const manifest = JSON.parse(await readFile(join(pages.dist, "manifest.webmanifest"), "utf8")) as {
      icons: { src: string }[];
    };
    const files = await readdir(pages.dist);
    expect(manifest.icons.filter(({ src }) => !files.includes(src))).toEqual([]);
    const { page } = await openPage();
    const href = await page.locator('link[rel="manifest"]').evaluate((link) => (link as HTMLLinkElement).href);
    expect(new URL(href).pathname).toMatch(/^\/(assets\/)?manifest.*\.webmanifest$/);
  });

  const ADDRESSES = [
    "search/beds",
    "tasks",
    "tasks/t-000001.0.1",
    "triggers",
    "triggers/new",
    "changes",
    "usage",
    "audit",
    "settings",
  ];

  test.each(["light", "dark"] as const)("axe finds nothing serious in %s, in any view", async (colorScheme) => {
    fill();
    const { page } = await openPage({ colorScheme });
    const problems: string[] = [];
    const check = async (where: string) => {
      await page.evaluate(axe.source);
      const found = await page.evaluate(() => (window as unknown as { axe: typeof axe }).axe.run());
      for (const { id, impact, nodes } of found.violations)
        if (impact === "serious" || impact === "critical")
          problems.push(...nodes.map(({ html }) => `${where}: ${id}: ${html}`));
    };
    await check("the conversation");
    for (const address of ADDRESSES) {
      await openView(page, address);
      await page.getByText(/^(Looking…|Opening…)$/).waitFor({ state: "detached" });
      await check(address);
    }
    await page.keyboard.press("Control+k");
    await page.getByRole("option").first().waitFor();
    await check("the palette");
    expect(problems).toEqual([]);
  });

  test("every view fits a phone: nothing scrolls sideways", async () => {
    fill();
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
      await page.getByText(/^(Looking…|Opening…)$/).waitFor({ state: "detached" });
      const wide = await page.evaluate(() =>
        [document.documentElement, ...document.querySelectorAll(".view-body, .view-body > *, .header")]
          .filter((element) => element.scrollWidth > element.clientWidth || element.clientWidth > innerWidth)
          .map((element) => element.className || element.nodeName),
      );
      expect(wide, address).toEqual([]);
    }
  });

  test("every view speaks Chinese where the browser asks for it", async () => {
    fill();
    const { page } = await openPage({ locale: "zh-CN" });
    const titles = ["搜索", "任务板", "触发器", "最近的更改", "用量", "审计日志", "设置"];
    for (const [i, name] of VIEWS.entries()) {
      await openView(page, name);
      await page.getByRole("heading", { name: titles[i] ?? "", level: 2, exact: true }).waitFor();
    }
    await page.keyboard.press("Control+k");
    expect(await page.getByRole("option").first().innerText()).toContain("对话");
  });
});

function usageRow(change: Partial<UsageRow>): UsageRow {
  return {
    day: new Date().toISOString().slice(0, 10),
    role: "teller",
    provider: "claude",
    model: "a-model",
    runs: 1,
    inputTokens: 100,
    cachedTokens: 0,
    outputTokens: 20,
    costUsd: 0,
    ...change,
  };
}

let lines = 0;

/** An answer of the audit log with such lines, oldest first. */
function trailOf(...events: string[]): AuditAnswer {
  const entries = events.map((event) => ({
    timestamp: new Date(Date.UTC(2026, 10, 22, 8, 0, lines)).toISOString(),
    seq: ++lines,
    event,
    actor: "supervisor" as const,
    taskId: "t-000001.0",
    previousHash: "",
  }));
  return { entries, next: `s${lines}.w0.g0`, previous: null };
}
