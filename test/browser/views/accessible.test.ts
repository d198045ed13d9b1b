/**
 * Every view can be used by everybody: axe looks at each, and at what lies over or before the views, at three widths, in both
 * colours and both languages, with all rules of WCAG 2.2 A and AA, the size of targets among them, and all of its good
 * practice: landmarks, headings, regions.
 */
import axe from "axe-core";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { ADDRESSES, fillAll } from "../support/fill-all.ts";
import { BROWSER_MS_MAX, connected, hasChromium, usePages } from "../support/use-pages.ts";
import { openView, settled } from "../support/views.ts";

/** All views at all widths, one after the other, on a busy machine. */
const AXE_MS_MAX = 8 * BROWSER_MS_MAX;

/** Of what has a fault, so much is told. */
const HTML_CHARS_MAX = 200;

/** A phone, a tablet, a screen: what is drawn changes at 640, 900 and 1,360 px. In pixels. */
const PHONE = { width: 390, height: 844 };
const TABLET = { width: 820, height: 1180 };
const SIZES = [{ width: 1440, height: 900 }, TABLET, PHONE];

const RULES: Record<"light" | "dark", axe.RunOptions> = {
  light: {
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    // Off by itself, although it is of WCAG 2.2 AA.
    rules: { "target-size": { enabled: true } },
    resultTypes: ["violations"],
  },
  // Dark changes colours and nothing else: what the other rules look at is the same.
  dark: { runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] }, resultTypes: ["violations"] },
};

describe.runIf(hasChromium)("what everybody can use", { timeout: AXE_MS_MAX }, () => {
  const pages = usePages();

  /** The faults that axe finds in the open view, drawn again at this size. */
  async function faultsAt(page: Page, size: { width: number; height: number }, rules: axe.RunOptions) {
    await page.setViewportSize(size);
    const found = await page.evaluate(async (options) => {
      // The second frame is drawn with what the first has learned of the new width.
      for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
      return (await (window as unknown as { axe: typeof axe }).axe.run(options)).violations;
    }, rules);
    return found.flatMap(({ id, nodes }) =>
      nodes.map(({ target, html }) => `${id}: ${target.join(" ")}: ${html.slice(0, HTML_CHARS_MAX)}`),
    );
  }

  describe.each(["light", "dark"] as const)("in %s", (colorScheme) => {
    test.each(["en-GB", "zh-CN"])("axe finds nothing anywhere, at no width, in %s", async (locale) => {
      /** Of each fault where it was found. */
      const faults: Record<string, string[]> = {};
      const look = async (where: string, sizes = SIZES) => {
        for (const size of sizes)
          for (const fault of await faultsAt(page, size, RULES[colorScheme]))
            faults[fault] = [...(faults[fault] ?? []), `${where} at ${size.width}`];
      };
      const { page } = await pages.newPage({ colorScheme, locale, reducedMotion: "reduce" });
      await page.goto(pages.gateway.origin);
      await page.locator(".pairing").waitFor();
      await page.evaluate(axe.source);
      await look("pairing");

      await page.goto(pages.gateway.pairingAddress());
      await connected(page);
      await page.locator(".welcome").waitFor();
      await look("the first page");

      fillAll(pages.gateway);
      await page.locator(".question").waitFor();
      await look("the conversation");

      await page.keyboard.press("Control+k");
      await page.locator(".palette").getByRole("option").first().waitFor();
      await look("the palette");
      await page.keyboard.press("Escape");

      await page.locator("[data-provider]").click();
      await page.locator(".overview h2").first().waitFor();
      await look("who answers");
      await page.keyboard.press("Escape");

      await page.setViewportSize(PHONE);
      await page.locator(".header [aria-haspopup=dialog].counted").click();
      await page.locator(".drawer .card").first().waitFor();
      await look("the drawer", [PHONE, TABLET]);
      await page.keyboard.press("Escape");
      await page.setViewportSize(PHONE);
      await page.locator(".rail [popovertarget]").click();
      await page.locator(".sheet.more a").first().waitFor();
      await look("more", [PHONE]);
      await page.keyboard.press("Escape");

      for (const address of ADDRESSES) {
        await openView(page, address);
        await settled(page);
        await look(address);
      }
      expect(faults).toEqual({});
    });
  });
});
