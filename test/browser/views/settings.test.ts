/** Promises of the settings. */

import { byRole } from "@mimikit/protocol/base/kind";
import { describe, expect, test } from "vitest";
import { findWholeChromium } from "../support/chromium.ts";
import { messageRecord, questionRecord } from "../support/records.ts";
import { BROWSER_MS_MAX, usePages } from "../support/use-pages.ts";
import { openView, view } from "../support/views.ts";

describe.runIf(findWholeChromium() !== undefined)("the settings", { timeout: BROWSER_MS_MAX }, () => {
  const pages = usePages(findWholeChromium());
  const { openPage, atEnd } = pages;

  test("say who answers for each role, what was passed over, and try it with a harmless message", async () => {
    const { page } = await openPage();
    pages.gateway.setStatus({
      providers: { ...byRole(() => "codex"), teller: "claude", planner: "claude" },
      passedOver: ["openai: OPENAI_API_KEY is not set"],
    });
    await openView(page, "settings");
    await view(page).getByRole("row", { name: "Worker Codex" }).waitFor();
    await view(page).getByText("OPENAI_API_KEY is not set").waitFor();
    await page.getByRole("button", { name: "Try it" }).click();
    await view(page).waitFor({ state: "detached" });
    expect((await pages.gateway.arrival("input")).text).toBe("In one sentence: who are you?");
  });

  test("say each machine in both languages, and nothing of machines where no engine is set up", async () => {
    const { page } = await openPage();
    await openView(page, "settings");
    await view(page).getByText("Worker pool", { exact: true }).waitFor();
    expect(await view(page).getByText("Dispatcher").count()).toBe(0);
    const invitedAt = "2026-11-26T12:00:00.000Z";
    const common = { slots: 2, invitedAt };
    pages.gateway.setStatus({
      pools: {
        process: { alive: true, pid: 7 },
        each: [
          {
            ...common,
            name: "box",
            labels: ["gpu", "big"],
            state: "there",
            since: invitedAt,
            tasks: [{ id: "t-000001.0.0", title: "train it" }],
          },
          { ...common, name: "attic", labels: [], state: "away", seenAt: invitedAt },
          { ...common, name: "spare", labels: [], state: "invited" },
        ],
      },
    });
    const said = async (name: string, state: RegExp) => {
      const row = view(page).locator("dl.facts-list > div").filter({ hasText: name });
      await expect.poll(() => row.textContent()).toMatch(state);
    };
    await said("Dispatcher", /7/);
    await said("Machine box (gpu, big)", /connected since .+, running train it$/);
    await said("Machine attic", /last seen /);
    await said("Machine spare", /has not joined yet$/);
    await page.getByRole("button", { name: "中文" }).click();
    await said("机器 box（gpu、big）", /已连接，始于 .+，正在运行：train it$/);
    await said("机器 attic", /最后一次出现：/);
    await said("机器 spare", /尚未加入$/);
  });

  test("say of a process that hangs for how long it has not responded, in both languages", async () => {
    const { page } = await openPage();
    await openView(page, "settings");
    const row = (name: string) => view(page).locator("dl.facts-list > div").filter({ hasText: name }).locator("dd");
    await expect.poll(() => row("Supervisor").getAttribute("class")).toBe("good");
    const { processes } = pages.gateway.status;
    pages.gateway.setStatus({
      processes: { ...processes, supervisor: { ...processes.supervisor, silentSec: 42 } },
    });
    await expect.poll(() => row("Supervisor").textContent()).toBe("has not responded for 42 s");
    expect(await row("Supervisor").getAttribute("class")).toBe("bad");
    expect(await row("Worker pool").getAttribute("class")).toBe("good");
    await page.getByRole("button", { name: "中文" }).click();
    await view(page).getByText("已卡住 42 秒", { exact: true }).waitFor();
  });

  test("notifications are shown only after the user has asked for them, and only for what is new and unasked", async () => {
    pages.gateway.question(questionRecord({ id: "q-old", question: "An old one?" }));
    const context = await pages.browser.newContext();
    atEnd(() => context.close());
    // Notifications of a headless browser cannot be seen: those that are shown are written down instead.
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
    pages.gateway.message(
      messageRecord({ id: "t-000001.reply", role: "assistant", text: "Before consent.", answers: [] }),
    );
    await page.locator(".message", { hasText: "Before consent." }).waitFor();
    expect(await shown()).toEqual([]);

    await openView(page, "settings");
    await view(page).getByRole("button", { name: "Only while the page is open" }).click();
    await page.getByText("On while the page is open").waitFor();
    pages.gateway.question(questionRecord({ id: "q-new", question: "Which colour?" }));
    pages.gateway.message(
      messageRecord({ id: "t-000002.reply", role: "assistant", text: "An answer.", answers: ["m-1"] }),
    );
    // As the gateway says it: a reply that answers nothing has answers all the same, none.
    pages.gateway.message(
      messageRecord({ id: "t-000003.reply", role: "assistant", text: "Drink water.", answers: [] }),
    );
    await expect.poll(shown).toEqual(["Questions: Which colour?", "Mimikit: Drink water."]);
    await page.getByRole("button", { name: "Turn off" }).click();
    await view(page).getByRole("button", { name: "Only while the page is open" }).waitFor();
  });

  test("colours and language are chosen for this browser, and stay chosen", async () => {
    const { page } = await openPage({ colorScheme: "light" });
    await openView(page, "settings");
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await ground();
    await page.getByRole("button", { name: "Dark", exact: true }).click();
    const dark = await ground();
    expect(dark).not.toBe(light);
    await page.getByRole("button", { name: "中文" }).click();
    await page.getByRole("heading", { name: "设置", level: 2 }).waitFor();
    expect(await ground()).toBe(dark);
    expect(await page.evaluate(() => document.documentElement.lang)).toBe("zh");
    await page.getByRole("button", { name: "跟随浏览器" }).click();
    await page.getByRole("heading", { name: "Settings", level: 2 }).waitFor();
    await page.getByRole("button", { name: "Same as device" }).click();
    expect(await ground()).toBe(light);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await ground()).toBe(dark);
  });

  test("where a page may show no notification itself, its worker does", async () => {
    const context = await pages.browser.newContext({ permissions: ["notifications"] });
    atEnd(() => context.close());
    // The behaviour of Android's Chromium with notifications that come from a page.
    await context.addInitScript(() => {
      const { Notification } = window;
      const refusing = new Proxy(Notification, {
        construct() {
          throw new TypeError("Illegal constructor. Use ServiceWorkerRegistration.showNotification() instead.");
        },
      });
      Object.assign(window, { Notification: refusing });
      Object.defineProperty(document, "visibilityState", { get: () => "hidden" });
    });
    const page = await context.newPage();
    await page.goto(pages.gateway.pairingAddress());
    await page.locator("[data-provider]").waitFor();
    await openView(page, "settings");
    await view(page).getByRole("button", { name: "Only while the page is open" }).click();
    await page.getByText("On while the page is open").waitFor();
    pages.gateway.question(questionRecord({ id: "q-new", question: "Which colour?" }));
    const shown = () =>
      page.evaluate(async () => {
        const registration = await navigator.serviceWorker.getRegistration();
        const all = (await registration?.getNotifications()) ?? [];
        return all.map(({ title, body }) => `${title}: ${body}`);
      });
    await expect.poll(shown).toEqual(["Questions: Which colour?"]);
    expect(await view(page).getByText("On while the page is open").count()).toBe(1);
  });
});
