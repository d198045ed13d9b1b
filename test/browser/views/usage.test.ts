/** Promises of the view of the usage. */

import { describe, expect, test } from "vitest";
import { BROWSER_MS_MAX, hasChromium, usePages } from "../support/use-pages.ts";
import { openView, usageRow } from "../support/views.ts";

describe.runIf(hasChromium)("the usage", { timeout: BROWSER_MS_MAX }, () => {
  const pages = usePages();
  const { openPage } = pages;

  test("is drawn by day and summed by who has answered, in tokens or in money", async () => {
    const day = new Date().toISOString().slice(0, 10);
    const said = new Intl.DateTimeFormat("en-US", { month: "short", day: "numeric" }).format(new Date(`${day}T00:00`));
    pages.gateway.answers.set("/api/usage", {
      rows: [usageRow({ day, inputTokens: 900, outputTokens: 100 }), usageRow({ day, role: "worker", costUsd: 0.5 })],
    });
    const { page, mishaps } = await openPage();
    await openView(page, "usage");
    await page.locator(".part").first().waitFor();
    expect(await page.locator("[data-bar]").count()).toBe(30);
    await expect.poll(() => page.locator(".totals tfoot").innerText()).toContain("$0.50");
    await page.getByRole("img", { name: new RegExp(`Tokens by day: ${said}: 1,120`) }).waitFor();
    await page.getByRole("button", { name: "Cost" }).click();
    await page.getByRole("img", { name: new RegExp(`Cost by day: ${said}: \\$0.50`) }).waitFor();
    await page.getByRole("button", { name: "7 days" }).click();
    await expect.poll(() => page.locator("[data-bar]").count()).toBe(7);
    expect(mishaps).toEqual([]);
  });

  test("that is nothing yet is explained", async () => {
    pages.gateway.answers.set("/api/usage", { rows: [] });
    const { page } = await openPage();
    await openView(page, "usage");
    await page.getByText("No cost yet.").waitFor();
  });
});
