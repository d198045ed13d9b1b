/** Promises of the frame around the conversation: the rail, the top line, and the place of a view. */
import { describe, expect, test } from "vitest";
import { messageRecord, questionRecord, taskRecord } from "../support/records.ts";
import { BROWSER_MS_MAX, hasChromium, usePages } from "../support/use-pages.ts";
import { VIEWS } from "../support/view-list.ts";
import { field, fill, openView, view } from "../support/views.ts";

const SECTIONS = ["Chat", "Tasks", "Schedules", "Memory", "Skills", "Activity", "Settings"];
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
/** Phones on their side, and what the bars of a browser leave of one. */
const ON_ITS_SIDE = [
  { width: 844, height: 390 },
  { width: 667, height: 375 },
  { width: 740, height: 300 },
];

describe.runIf(hasChromium)("the frame", { timeout: BROWSER_MS_MAX }, () => {
  const pages = usePages();
  const { openPage } = pages;

  test("the rail names seven sections, says which one is open, and what waits there", async () => {
    const { page, mishaps } = await openPage();
    const rail = page.getByRole("navigation", { name: "Sections" });
    await rail
      .getByRole("link")
      .nth(SECTIONS.length - 1)
      .waitFor();
    await expect.poll(() => rail.getByRole("link").locator("span").allInnerTexts()).toEqual(SECTIONS);
    const here = rail.locator("[aria-current]");
    for (const section of SECTIONS.toReversed()) {
      await rail.getByRole("link", { name: section }).click();
      await here.filter({ hasText: section }).waitFor();
      expect(await here.count()).toBe(1);
    }
    await view(page).waitFor({ state: "detached" });
    pages.gateway.task(taskRecord({ id: "t-000001.0", title: "Count", state: "running" }));
    pages.gateway.question(questionRecord({ id: "t-000001.1", question: "Which colour?" }));
    await rail.getByRole("link", { name: "Tasks 1" }).waitFor();
    await rail.getByRole("link", { name: "Chat 1" }).waitFor();
    expect(mishaps).toEqual([]);
  });

  test("a view leads to those of its section", async () => {
    const { page } = await openPage();
    await openView(page, "usage");
    const siblings = page.getByRole("navigation", { name: "Activity" });
    await expect
      .poll(() => siblings.getByRole("link").allInnerTexts())
      .toEqual(["Recent changes", "Usage", "Audit log"]);
    await siblings.getByRole("link", { name: "Audit log" }).click();
    await page.getByRole("heading", { name: "Audit log" }).waitFor();
  });

  test("a phone has the sections along the bottom, and the rest behind More", async () => {
    const { page } = await openPage(PHONE);
    const rail = page.getByRole("navigation", { name: "Sections" });
    await rail.getByRole("link").nth(3).waitFor();
    await expect
      .poll(() => rail.locator(":scope > ul > li > .way").allInnerTexts())
      .toEqual([...SECTIONS.slice(0, 4), "More"]);
    const { y, height } = (await rail.boundingBox()) ?? { y: 0, height: 0 };
    expect(Math.round(y + height)).toBe(PHONE.viewport.height);
    for (const section of SECTIONS.slice(4)) {
      await rail.getByRole("button", { name: "More" }).tap();
      await rail.getByRole("link", { name: section }).tap();
      await view(page).waitFor();
      await rail.getByRole("link", { name: section }).waitFor({ state: "hidden" });
    }
    await rail.getByRole("link", { name: "Chat" }).tap();
    await view(page).waitFor({ state: "detached" });
    expect(page.url()).toBe(`${pages.gateway.origin}/`);
  });

  test("the menu behind More opens just above its button, no wider than it needs", async () => {
    const { page } = await openPage(PHONE);
    const rail = page.getByRole("navigation", { name: "Sections" });
    await rail.getByRole("button", { name: "More" }).tap();
    const menu = page.locator("#more");
    await menu.waitFor();
    const inner = (await menu.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const { y: bar } = (await rail.boundingBox()) ?? { y: 0 };
    const below = bar - (inner.y + inner.height);
    expect(below).toBeGreaterThanOrEqual(0);
    expect(below).toBeLessThan(24);
    expect(inner.width).toBeLessThan(PHONE.viewport.width / 2);
    expect(inner.x + inner.width).toBeLessThanOrEqual(PHONE.viewport.width);
    expect(inner.x).toBeGreaterThan(PHONE.viewport.width / 2);
  });

  test.each(ON_ITS_SIDE)(
    "a phone on its side, $width by $height, shows every section without scrolling",
    async (viewport) => {
      const { page } = await openPage({ ...PHONE, viewport });
      const rail = page.getByRole("navigation", { name: "Sections" });
      const bottoms = () =>
        rail.getByRole("link").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().bottom));
      await expect.poll(bottoms).toHaveLength(SECTIONS.length);
      expect(Math.max(...(await bottoms()))).toBeLessThanOrEqual(viewport.height);
      await rail.getByRole("link", { name: "Settings" }).tap();
      await page.getByRole("heading", { name: "Settings", level: 2 }).waitFor();
    },
  );

  test.each(["en-GB", "zh-CN"])(
    "on a phone no field cuts off its hint, and the palette no name, in %s",
    async (locale) => {
      fill(pages.gateway);
      const { page } = await openPage({ ...PHONE, locale });
      const cut: string[] = [];
      for (const address of VIEWS) {
        await openView(page, address);
        await page.locator(".view-body > :not(.view-wait)").first().waitFor();
        const found = await page.locator(".view input[placeholder]").evaluateAll((all) =>
          (all as HTMLInputElement[]).flatMap((input) => {
            input.value = input.placeholder;
            return input.checkVisibility() && input.scrollWidth > input.clientWidth ? [input.placeholder] : [];
          }),
        );
        cut.push(...found);
      }
      expect(cut).toEqual([]);
      await page.locator(".palette-button").tap();
      const names = page.getByRole("option").locator(".name");
      await names.first().waitFor();
      const cutNames = await names.evaluateAll((all) =>
        all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent),
      );
      expect(cutNames).toEqual([]);
    },
  );

  test("the top line names the model and what runs, and leads there", async () => {
    fill(pages.gateway);
    pages.gateway.setStatus({ models: { teller: "a-model", planner: null, worker: null, reviewer: null } });
    const { page } = await openPage();
    await page.locator(".header").getByRole("button", { name: "a-model" }).waitFor();
    await page.locator(".header").getByRole("link", { name: "Second" }).click();
    await page.locator('[data-story="t-000001.0.1"]').waitFor();
    pages.gateway.task(taskRecord({ id: "t-000003.0", title: "Another", state: "running" }));
    await page.locator(".header").getByRole("link", { name: "2 tasks run" }).waitFor();
  });

  test("a large screen has a task beside the conversation, which goes on; a smaller one has it over it", async () => {
    fill(pages.gateway);
    const { page } = await openPage({ viewport: { width: 1600, height: 900 } });
    await openView(page, "tasks/t-000001.0.1");
    await page.locator('[data-story="t-000001.0.1"]').waitFor();
    pages.gateway.message(messageRecord({ id: "t-000009.reply", role: "assistant", text: "Still talking." }));
    await page.locator(".message", { hasText: "Still talking." }).waitFor();
    await field(page).fill("hello beside");
    await field(page).press("Enter");
    expect((await pages.gateway.arrival("input")).text).toBe("hello beside");
    const edges = async () => [await page.locator(".column").boundingBox(), await view(page).boundingBox()];
    const [talk, task] = await edges();
    expect((talk?.x ?? 0) + (talk?.width ?? 0)).toBeLessThanOrEqual(task?.x ?? 0);
    await page.getByRole("button", { name: "Back to the conversation" }).click();
    await view(page).waitFor({ state: "detached" });
    await page.locator("aside.tasks").waitFor();

    await page.setViewportSize({ width: 1280, height: 800 });
    await openView(page, "tasks/t-000001.0.1");
    expect(await field(page).evaluate((element) => element.closest("[inert]") !== null)).toBe(true);
  });

  test("what went wrong in a view is said there, and goes with it", async () => {
    const { page } = await openPage();
    const error = { error: { code: "internal", message: "the book is closed" } };
    await page.route("**/api/usage*", (route) => route.fulfill({ status: 500, json: error }));
    await openView(page, "usage");
    await page.getByRole("alert").getByText("the book is closed").waitFor();
    await page.getByRole("link", { name: "Memory" }).click();
    await page.getByRole("heading", { name: "Memory" }).waitFor();
    await page.getByRole("alert").waitFor({ state: "detached" });
  });
});
