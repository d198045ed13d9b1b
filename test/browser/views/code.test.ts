/** What code in the conversation promises. */

import { describe, expect, test } from "vitest";
import { messageRecord } from "../support/records.ts";
import { BROWSER_MS_MAX, hasChromium, usePages } from "../support/use-pages.ts";

describe.runIf(hasChromium)("code in the conversation", { timeout: BROWSER_MS_MAX }, () => {
  const pages = usePages();
  const { openPage } = pages;

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
