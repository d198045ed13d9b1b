/** The promises of a long conversation, in counts, never in times. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { messageRecord } from "./support/records.ts";
import { BROWSER_MS_MAX, hasChromium, usePages } from "./support/use-pages.ts";

const MANY = 5_000;
/** Of some ten on a screen, and some screens more. */
const LAID_OUT_MAX = 400;
/** Without the conversation there are some hundred. */
const ELEMENTS_MAX = 12_000;
const SNAPSHOT = 50;
const AT = "2026-11-22T08:00:00.000Z";

const idOf = (i: number) => `m-${String(i).padStart(6, "0")}`;
const textOf = (i: number) =>
  i % 2 === 0
    ? `Question ${i}?`
    : `Answer **${i}**\n\n1. one\n2. two\n\n\`\`\`ts\nconst n = ${i};\n\`\`\`\n\nThe end of ${i}.`;
const messageOf = (i: number) =>
  messageRecord({ id: idOf(i), role: i % 2 === 0 ? "user" : "assistant", at: AT, text: textOf(i) });

describe.runIf(hasChromium)("a long conversation", { timeout: BROWSER_MS_MAX }, () => {
  const pages = usePages();

  interface Asked {
    before?: string;
    around?: string;
    limit: string;
  }

  /** A gateway whose snapshot has the end of a conversation of so many messages. @returns the pages that were asked for. */
  function converse(many = 800): Asked[] {
    const asked: Asked[] = [];
    for (let i = many - SNAPSHOT; i < many; i++) pages.gateway.message(messageOf(i));
    pages.gateway.answers.set("/api/messages", (query: Asked) => {
      asked.push(query);
      const { before, around = "", limit } = query;
      const half = Math.ceil(Number(limit) / 2);
      const end = before === undefined ? Math.min(many, Number(around.slice(2)) + half) : Number(before.slice(2));
      const first = Math.max(0, end - Number(limit));
      return { messages: Array.from({ length: end - first }, (_, i) => messageOf(first + i)) };
    });
    return asked;
  }

  const laidOut = (page: Page) =>
    page.evaluate(
      () =>
        [...document.querySelectorAll(".message")].filter((item) =>
          [...item.children].some((part) => part.checkVisibility({ contentVisibilityAuto: true })),
        ).length,
    );

  /** How far below the upper edge of the conversation a message begins, px. */
  const topOf = (page: Page, i: number) =>
    page.evaluate((id) => {
      const top = (selector: string) => document.querySelector(selector)?.getBoundingClientRect().top ?? Number.NaN;
      return Math.round(top(`[data-id="${id}"]`) - top(".scroller"));
    }, idOf(i));

  const inSight = async (page: Page, i: number) => {
    const top = await topOf(page, i);
    return top >= 0 && top < 800;
  };

  /** The place of a message once it has stayed the same over some frames. */
  async function settledTop(page: Page, i: number): Promise<number> {
    const FRAMES = 20;
    for (let top = await topOf(page, i), same = 0; ; ) {
      await page.evaluate(() => new Promise(requestAnimationFrame));
      const next = await topOf(page, i);
      same = next === top ? same + 1 : 0;
      top = next;
      if (same === FRAMES) return top;
    }
  }

  test("of 5,000 messages lays out and draws those near its reader, at its end and at its beginning", async () => {
    for (let i = 0; i < MANY; i++) pages.gateway.message(messageOf(i));
    const { page, mishaps } = await pages.openPage();
    const bounded = async () => {
      await expect.poll(() => laidOut(page)).toBeLessThan(LAID_OUT_MAX);
      expect(await laidOut(page)).toBeGreaterThan(0);
      await expect.poll(() => page.evaluate(() => document.querySelectorAll("*").length)).toBeLessThan(ELEMENTS_MAX);
    };
    await page.locator(`[data-id="${idOf(MANY - 1)}"]`).waitFor();
    await bounded();
    await expect.poll(() => page.locator(".message").count()).toBe(MANY);
    expect(await inSight(page, MANY - 1)).toBe(true);
    await page.locator(".scroller").evaluate((scroller) => scroller.scrollTo({ top: 0 }));
    await page.locator(`[data-id="${idOf(1)}"] .code-block`).waitFor();
    await bounded();
    expect(await page.locator(`[data-id="${idOf(0)}"]`).innerText()).toContain("Question 0?");
    expect(mishaps).toEqual([]);
  });

  const toTop = (page: Page) => page.locator(".scroller").evaluate((scroller) => scroller.scrollTo({ top: 0 }));

  test("brings earlier messages as its reader comes near, who stays where they are, down to the very first", async () => {
    const asked = converse(1_450);
    const { page } = await pages.openPage();
    await page.locator(`[data-id="${idOf(1_449)}"]`).waitFor();
    expect(asked).toEqual([]);
    for (const first of [1_400, 1_200, 1_000, 800, 600, 400, 200]) {
      await toTop(page);
      await page.locator(`[data-id="${idOf(first - 200)}"]`).waitFor({ state: "attached" });
      await page.locator(`[data-id="${idOf(first - 1)}"] .code-block`).waitFor({ state: "attached" });
      await settledTop(page, first);
      expect(await inSight(page, first)).toBe(true);
    }
    await toTop(page);
    await page.getByText("This is the beginning of the conversation.").waitFor();
    expect(await page.getByRole("button", { name: "Earlier messages" }).count()).toBe(0);
    expect(await page.locator(".message").count()).toBe(1_450);
    expect(asked.map(({ before }) => before)).toEqual([1_400, 1_200, 1_000, 800, 600, 400, 200, 0].map(idOf));
  });

  test("leads to a message of any age in one step, and fills the hole from the side that its reader comes from", async () => {
    const asked = converse(60_000);
    const { page } = await pages.openPage();
    await page.evaluate((id) => {
      location.hash = `#/said/${id}`;
    }, idOf(1_121));
    const item = page.locator(`[data-id="${idOf(1_121)}"]`);
    await item.locator(".code-block").waitFor();
    await settledTop(page, 1_121);
    expect(await inSight(page, 1_121)).toBe(true);
    expect(await item.evaluate((element) => element === document.activeElement)).toBe(true);
    // One page above what was there, in case it is near, and the messages around it.
    expect(asked.map(({ before, around }) => before ?? around)).toEqual([idOf(59_950), idOf(1_121)]);
    const ids = () => page.locator(".message").evaluateAll((all) => all.map((one) => Number(one.dataset.id?.slice(2))));
    const range = (first: number, end: number) => Array.from({ length: end - first }, (_, i) => first + i);
    expect(await ids()).toEqual([...range(1_071, 1_171), ...range(59_750, 60_000)]);

    const hole = page.getByRole("button", { name: "Messages in between" });
    await page.getByRole("button", { name: "Jump to newest" }).click();
    await expect.poll(() => inSight(page, 59_999)).toBe(true);
    // From above: it goes on below, and its reader stays.
    await page.locator(`[data-id="${idOf(1_168)}"]`).evaluate((last) => last.scrollIntoView({ block: "center" }));
    await page.locator(`[data-id="${idOf(1_269)}"]`).waitFor({ state: "attached" });
    await settledTop(page, 1_168);
    expect(await inSight(page, 1_168)).toBe(true);
    expect(await ids()).toEqual([...range(1_070, 1_270), ...range(59_750, 60_000)]);
    // From below: it goes on above.
    await page.locator(`[data-id="${idOf(59_752)}"]`).evaluate((first) => first.scrollIntoView({ block: "center" }));
    await page.locator(`[data-id="${idOf(59_550)}"]`).waitFor({ state: "attached" });
    await settledTop(page, 59_752);
    expect(await inSight(page, 59_752)).toBe(true);
    expect(await ids()).toEqual([...range(1_070, 1_270), ...range(59_550, 60_000)]);
    expect(asked).toHaveLength(4);
    await expect.poll(() => hole.count()).toBeLessThanOrEqual(1);
  });

  test("has its words found by the browser, also far up; what is found stays in sight when it is drawn", async () => {
    for (let i = 0; i < 2_000; i++) pages.gateway.message(messageOf(i));
    const { page } = await pages.openPage();
    await page.locator(`.far[data-id="${idOf(201)}"]`).waitFor({ state: "attached" });
    const find = (text: string) =>
      (window as unknown as Record<"find", (text: string, ...how: boolean[]) => boolean>).find(text, true, false, true);
    expect(await page.evaluate(find, "The end of 201.")).toBe(true);
    // To show what it has found is up to the browser's own find, which no script can open.
    await page.evaluate(() => getSelection()?.anchorNode?.parentElement?.scrollIntoView({ block: "center" }));
    await page.locator(`[data-id="${idOf(201)}"] .code-block`).waitFor();
    await settledTop(page, 201);
    expect(await inSight(page, 201)).toBe(true);
  });

  test("does not move who reads above when something new is said, and tells of it", async () => {
    for (let i = 0; i < 1_000; i++) pages.gateway.message(messageOf(i));
    const { page } = await pages.openPage();
    await page.locator(".far").first().waitFor({ state: "attached" });
    await page.locator(".scroller").evaluate((scroller) => scroller.scrollTo({ top: scroller.scrollHeight / 2 }));
    await page.getByRole("button", { name: "Jump to newest" }).waitFor();
    await page.locator(".past:not(:has(.far)) .message").first().waitFor({ state: "attached" });
    const seen = await page.evaluate(() => {
      const { left, top, width } = document.querySelector(".scroller")?.getBoundingClientRect() ?? new DOMRect();
      for (let down = 100; down < 700; down += 20) {
        const item = document.elementFromPoint(left + width / 2, top + down)?.closest<HTMLElement>(".message");
        if (item?.dataset.id !== undefined) return item.dataset.id;
      }
      return "";
    });
    const i = Number(seen.slice(2));
    const before = await settledTop(page, i);
    for (let next = 1_000; next < 1_120; next++) pages.gateway.message(messageOf(next));
    await page.getByRole("button", { name: "New messages" }).waitFor();
    await page.locator(`[data-id="${idOf(1_119)}"]`).waitFor({ state: "attached" });
    expect(await settledTop(page, i)).toBe(before);
  });

  test("follows the newest while it grows long, and keeps what is being written where it is", async () => {
    for (let i = 0; i < 99; i++) pages.gateway.message(messageOf(i));
    const { page } = await pages.openPage();
    expect(pages.gateway.requests.filter((path) => /\/past-[^/]+\.js$/.test(path))).toEqual([]);
    pages.gateway.pass({ type: "delta", taskId: "t-000001", text: "Half of" });
    const forming = page.locator(".forming");
    await forming.waitFor();
    await forming.evaluate((element) => Object.assign(element, { mark: "same" }));
    for (let i = 99; i < 260; i++) pages.gateway.message(messageOf(i));
    await page.locator(".past").nth(2).waitFor({ state: "attached" });
    await expect.poll(() => inSight(page, 259)).toBe(true);
    expect(await forming.evaluate((element) => (element as unknown as { mark?: string }).mark)).toBe("same");
    const fromBottom = () =>
      page.locator(".scroller").evaluate((el) => Math.round(el.scrollHeight - el.scrollTop - el.clientHeight));
    await expect.poll(fromBottom).toBe(0);
  });

  test("follows the newest over a change above it in the same moment, and stops when its reader scrolls up", async () => {
    for (let i = 0; i < 60; i++) pages.gateway.message(messageOf(i));
    const { page } = await pages.openPage();
    const scroller = page.locator(".scroller");
    const fromBottom = () => scroller.evaluate((el) => Math.round(el.scrollHeight - el.scrollTop - el.clientHeight));
    await expect.poll(() => inSight(page, 59)).toBe(true);
    const above = await scroller.evaluateHandle((el) => {
      const block = Object.assign(document.createElement("div"), { style: "height: 2000px" });
      el.querySelector(".content")?.prepend(block);
      return block;
    });
    await expect.poll(fromBottom).toBe(0);
    await above.evaluate((block) => {
      block.style.height = "0";
      block.parentElement?.append(Object.assign(document.createElement("div"), { style: "height: 300px" }));
      block.closest(".scroller")?.dispatchEvent(new Event("scroll"));
    });
    await expect.poll(fromBottom).toBe(0);
    await scroller.hover();
    await page.mouse.wheel(0, -400);
    await expect.poll(fromBottom).toBeGreaterThan(48);
    pages.gateway.message(messageOf(60));
    await page.locator(".to-newest[data-unseen=true]").waitFor();
  });
});
