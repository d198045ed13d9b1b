/** Promises about boxes: what may scroll, and what the controls look like, in every view. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { describeProviders } from "../support/connections.ts";
import { ADDRESSES, fillAll } from "../support/fill-all.ts";
import { messageRecord } from "../support/records.ts";
import { BROWSER_MS_MAX, hasChromium, usePages } from "../support/use-pages.ts";
import { openView, settled } from "../support/views.ts";

/** Several screens of conversation. */
const MESSAGES = 60;
/** A phone upright and on its side, a tablet, a window at 200 %, a screen; in CSS pixels. */
const SIZES = [
  { width: 390, height: 844 },
  { width: 844, height: 390 },
  { width: 820, height: 1180 },
  { width: 720, height: 450 },
  { width: 1440, height: 900 },
];
/** A box to tick, with its frame. */
const TICK_PX_MAX = 24;

describe.runIf(hasChromium)("the boxes of the page", { timeout: 4 * BROWSER_MS_MAX }, () => {
  const pages = usePages();

  test("the document never scrolls: no view and no conversation is longer than the window at any size", async () => {
    fillAll(pages.gateway);
    for (let i = 0; i < MESSAGES; i++)
      pages.gateway.message(messageRecord({ id: `m-1${i}`, role: "user", text: `Bed ${i} is dry` }));
    const { page } = await pages.openPage();
    await page.locator(".message", { hasText: `Bed ${MESSAGES - 1} is dry` }).waitFor();
    const tooLong: string[] = [];
    const measure = async (where: string) => {
      for (const size of SIZES) {
        await page.setViewportSize(size);
        const { length, top, moved } = await page.evaluate(async () => {
          await new Promise(requestAnimationFrame);
          // As the browser's find and links to a place do.
          scrollTo(0, 1_000_000);
          for (const part of document.querySelectorAll(".page, .chat, .column")) part.scrollTop = 1_000_000;
          const parts = [...document.querySelectorAll(".page, .chat, .column")].filter((part) => part.scrollTop > 0);
          return {
            length: document.documentElement.scrollHeight - innerHeight,
            top: scrollY,
            moved: parts.map(({ className }) => className),
          };
        });
        if (length > 0 || top > 0 || moved.length > 0)
          tooLong.push(`${where} at ${size.width}×${size.height}: ${length} px too long, ${moved}`);
      }
    };
    await measure("the conversation");
    for (const address of ADDRESSES) {
      await openView(page, address);
      await settled(page);
      await measure(address);
    }
    expect(tooLong).toEqual([]);
  });

  /** The controls that are seen and look as the browser makes them, or are wider than their place. */
  const oddControls = (page: Page) =>
    page.evaluate(async (tickPxMax) => {
      // The second frame is drawn with what the first has learned of the new width.
      for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
      const frameOf = (element: Element) => {
        const { borderTopWidth, borderTopStyle, borderTopColor } = getComputedStyle(element);
        return borderTopStyle === "none" ? "none" : `${borderTopWidth} ${borderTopStyle} ${borderTopColor}`;
      };
      /** The frame of such a control without any style sheet. */
      const ownFrameOf = (element: Element) => {
        const plain = element.cloneNode() as HTMLElement;
        plain.removeAttribute("class");
        plain.style.all = "revert";
        element.after(plain);
        const frame = frameOf(plain);
        plain.remove();
        return frame;
      };
      return [...document.querySelectorAll("input, select, textarea, button, fieldset")].flatMap((element) => {
        if (!element.checkVisibility() || element.closest(".unseen") !== null) return [];
        const name = `${element.nodeName} ${element.getAttribute("type") ?? ""} ${element.className}`;
        const { width, right } = element.getBoundingClientRect();
        const row = element.parentElement?.getBoundingClientRect();
        const found = [];
        const frame = frameOf(element);
        if (frame !== "none" && frame === ownFrameOf(element)) found.push(`${name}: ${frame}`);
        if (element.matches("[type=radio], [type=checkbox]") && width > tickPxMax) found.push(`${name}: ${width} px`);
        if (row !== undefined && right > row.right + 1) found.push(`${name}: wider than its row`);
        return found;
      });
    }, TICK_PX_MAX);

  test("no control has the browser's own frame or is wider than its row", async () => {
    fillAll(pages.gateway);
    describeProviders(pages.gateway, { openai: { missing: null, model: "a-model" }, ollama: { missing: null } });
    const { page } = await pages.openPage();
    const odd: Record<string, string[]> = {};
    const look = async (where: string) => {
      for (const width of [390, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        for (const fault of await oddControls(page)) odd[fault] = [...(odd[fault] ?? []), `${where} at ${width}`];
      }
    };
    await page.locator(".options").first().waitFor();
    await look("the conversation");
    await page.locator(".hint [popovertarget]").click();
    await page.locator("[type=radio]").first().waitFor();
    await look("who answers the next message");
    await page.keyboard.press("Escape");
    for (const address of ADDRESSES) {
      await openView(page, address);
      await settled(page);
      await look(address);
    }
    expect(odd).toEqual({});
  });
});
