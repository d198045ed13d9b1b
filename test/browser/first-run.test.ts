/** The first minutes on the page: four steps that lead, and that may all be passed over. */
import axe from "axe-core";
import type { BrowserContextOptions, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { messageRecord, statusRecord } from "./support/records.ts";
import { BROWSER_MS_MAX, connected, hasChromium, usePages } from "./support/use-pages.ts";
import { field } from "./support/views.ts";

const MODEL_OF = { teller: "a-model", planner: null, worker: null, reviewer: null };

describe.runIf(hasChromium)("the first steps", { timeout: BROWSER_MS_MAX }, () => {
  const pages = usePages();

  const steps = (page: Page) => page.getByRole("region", { name: "First steps" });
  const step = (page: Page, name: string) => steps(page).locator(`[data-step="${name}"]`);
  const stateOf = (page: Page, name: string) => step(page, name).getAttribute("data-state");
  const button = (page: Page, step: string, name: string) =>
    steps(page).locator(`[data-step="${step}"]`).getByRole("button", { name, exact: true });

  /** A browser that answers a request for leave so; undefined: it has no notifications. */
  async function open(leave: NotificationPermission | undefined, options?: BrowserContextOptions): Promise<Page> {
    const { page } = await pages.newPage(options);
    await page.addInitScript((answer) => {
      const kept = "test.leave";
      const Answering = Object.create(null, {
        permission: { get: () => localStorage.getItem(kept) ?? "default" },
        requestPermission: { value: async () => localStorage.setItem(kept, answer ?? "default") },
      });
      if (answer === undefined) Reflect.deleteProperty(globalThis, "Notification");
      else Object.assign(globalThis, { Notification: Answering });
    }, leave);
    await page.goto(pages.gateway.pairingAddress());
    await connected(page);
    return page;
  }

  const focusedIn = (page: Page) => page.evaluate(() => document.activeElement?.textContent);

  test("an empty page leads through four steps, and ticks what is done", async () => {
    const page = await open("granted");
    await step(page, "phone").waitFor();
    const names = await steps(page)
      .locator("[data-step]")
      .evaluateAll((all) => all.map((one) => one.getAttribute("data-step")));
    expect(names).toEqual(["model", "ask", "notifications", "phone"]);
    for (const name of names) expect(await stateOf(page, name ?? "")).toBe("open");
    await step(page, "model").getByText("offline engine").waitFor();
    await button(page, "phone", "Add a device").waitFor();

    await button(page, "notifications", "Allow notifications").click();
    pages.gateway.setStatus({ providers: { ...statusRecord().providers, teller: "openai" }, models: MODEL_OF });
    for (const name of ["model", "notifications"])
      await step(page, name).and(page.locator('[data-state="done"]')).waitFor();
    expect(await stateOf(page, "phone")).toBe("open");
    // A step that has just been done still shows its outcome.
    await step(page, "model").getByRole("region", { name: "Connect a model" }).waitFor();

    const { devices } = pages.gateway.answers.get("/api/devices") as { devices: object[] };
    const phone = { ...devices[0], id: "e".repeat(64), isThis: false };
    pages.gateway.answers.set("/api/devices", { devices: [...devices, phone] });
    await page.reload();
    for (const name of ["model", "notifications", "phone"])
      await step(page, name).and(page.locator('[data-state="done"]')).waitFor();
    await step(page, "model").getByText("a-model").waitFor();
    expect(await step(page, "model").getByRole("button").count()).toBe(0);
    expect(await stateOf(page, "ask")).toBe("open");
  });

  test("an empty page is read from its beginning, also where the steps do not fit", async () => {
    const page = await open("granted", { viewport: { width: 390, height: 600 } });
    await step(page, "phone").waitFor();
    await page.waitForLoadState("networkidle");
    const scroller = page.locator(".scroller");
    // The page follows its growth in the next frame.
    const seen = await scroller.evaluate(async (element) => {
      for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
      return { top: element.scrollTop, isLonger: element.scrollHeight > element.clientHeight };
    });
    expect(seen).toEqual({ top: 0, isLonger: true });
  });

  test("each step can be passed over, and taken after all; this browser remembers it", async () => {
    const page = await open("granted");
    const passing = { model: "Continue without", ask: "Not now", notifications: "Not now", phone: "Not now" };
    for (const [name, words] of Object.entries(passing)) {
      await button(page, name, words).click();
      await step(page, name).and(page.locator('[data-state="passed"]')).waitFor();
    }
    expect(await steps(page).locator(".example").count()).toBe(0);
    await page.reload();
    await step(page, "phone").waitFor();
    for (const name of Object.keys(passing)) expect(await stateOf(page, name)).toBe("passed");
    await button(page, "ask", "Do it now").click();
    await steps(page).locator(".example").first().waitFor();
    expect(await stateOf(page, "model")).toBe("passed");
  });

  test("hidden steps stay hidden, and the palette brings them back, with the keyboard alone", async () => {
    const page = await open("granted");
    const tabTo = async (name: string) => {
      for (let tabs = 0; (await focusedIn(page)) !== name; tabs++) {
        expect(tabs, `${name} is reached by Tab`).toBeLessThan(12);
        await page.keyboard.press("Tab");
      }
    };
    const bring = async () => {
      await page.keyboard.press("Control+k");
      await page.getByRole("option", { name: /^First steps/ }).waitFor();
      await page.keyboard.type("first steps");
      await page.getByRole("option").first().filter({ hasText: "First steps" }).waitFor();
      await page.keyboard.press("Enter");
      await expect.poll(() => focusedIn(page)).toBe("First steps");
    };
    await steps(page).waitFor();
    await bring();
    await tabTo("Hide this");
    await page.keyboard.press("Enter");
    await steps(page).waitFor({ state: "detached" });
    expect(await field(page).evaluate((element) => element === document.activeElement)).toBe(true);
    await page.reload();
    await page.getByRole("heading", { name: "What can I do for you?" }).waitFor();
    await page.waitForLoadState("networkidle");
    expect(await steps(page).count()).toBe(0);

    await bring();
    await tabTo("Continue without");
    await page.keyboard.press("Enter");
    await step(page, "model").and(page.locator('[data-state="passed"]')).waitFor();
    expect(await focusedIn(page)).toBe("Do it now");
    await steps(page).locator(".example").first().press("Enter");
    const text = await steps(page).locator(".example code").first().innerText();
    expect(await field(page).inputValue()).toBe(text);
    await page.keyboard.press("Enter");
    expect((await pages.gateway.arrival("input")).text).toBe(text);
    await steps(page).waitFor({ state: "detached" });
  });

  test("where there is a conversation they are gone; the palette shows them below it until the next message", async () => {
    pages.gateway.message(messageRecord({ id: "m-1", role: "user", text: "water the beds" }));
    const page = await open("granted");
    await page.locator(".message").waitFor();
    expect(await steps(page).count()).toBe(0);
    await page.keyboard.press("Control+k");
    await page.keyboard.type("first steps");
    await page.keyboard.press("Enter");
    await step(page, "ask").and(page.locator('[data-state="done"]')).waitFor();
    await field(page).fill("and the roses");
    await field(page).press("Enter");
    await steps(page).waitFor({ state: "detached" });
  });

  test("a refusal of notifications is respected, and is said with how to undo it", async () => {
    const page = await open("denied");
    await button(page, "notifications", "Allow notifications").click();
    await step(page, "notifications").getByText("You can change that in its site settings.").waitFor();
    expect(await button(page, "notifications", "Allow notifications").count()).toBe(0);
    expect(await stateOf(page, "notifications")).toBe("open");
  });

  test("what is on its way is said only when it takes its time, so that nothing flickers", async () => {
    const { page } = await pages.newPage();
    const debug = await page.context().newCDPSession(page);
    await debug.send("Animation.enable");
    await debug.send("Animation.setPlaybackRate", { playbackRate: 0 });
    const held: (() => void)[] = [];
    await page.route("**/assets/first-steps-*.js", (route) => held.push(() => void route.continue()));
    await page.goto(pages.gateway.pairingAddress());
    await page.getByRole("heading", { name: "What can I do for you?" }).waitFor();
    const wait = page.locator(".content .view-wait");
    await wait.waitFor({ state: "attached" });
    expect(await wait.isVisible()).toBe(false);
    await debug.send("Animation.setPlaybackRate", { playbackRate: 1 });
    await wait.waitFor({ state: "visible" });
    for (const go of held) go();
    await steps(page).waitFor();
    await wait.waitFor({ state: "detached" });
  });

  test("a browser without notifications is not asked for any", async () => {
    const page = await open(undefined);
    await step(page, "phone").waitFor();
    expect(await step(page, "notifications").count()).toBe(0);
  });

  test.each([
    ["127.0.0.1", 1],
    ["0.0.0.0", 0],
  ])("whether a phone can reach a gateway on %s is said honestly", async (host, count) => {
    const setting = { name: "host", group: null, description: "", schema: {}, source: "file", needsRestart: true };
    const settings = [{ ...setting, default: "127.0.0.1", value: host }];
    pages.gateway.answers.set("/api/settings", { settings, missing: [] });
    const page = await open(undefined);
    await step(page, "phone").waitFor();
    await page.waitForLoadState("networkidle");
    expect(pages.gateway.requests).toContain("/api/settings");
    await expect.poll(() => step(page, "phone").getByText("only this computer can reach it").count()).toBe(count);
  });

  test.each(["light", "dark"] as const)("axe finds nothing in them in %s, also in Chinese", async (colorScheme) => {
    const page = await open("granted", { colorScheme, locale: "zh-CN" });
    await page.getByRole("region", { name: "快速上手" }).waitFor();
    await page.evaluate(axe.source);
    const found = await page.evaluate(() => (window as unknown as { axe: typeof axe }).axe.run(".first-steps"));
    expect(found.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    const said = await page.locator(".first-steps").innerText();
    expect(said.replaceAll(/Mimikit|mimikit pair --qr|df -h \./g, "")).not.toMatch(/[A-Za-z]{3}/);
  });
});
