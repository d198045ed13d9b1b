/** Promises of the search. */
import type { HistoryHit } from "@mimikit/protocol/wire/api";
import { describe, expect, test } from "vitest";
import { messageRecord } from "../support/records.ts";
import { BROWSER_MS_MAX, hasChromium, usePages } from "../support/use-pages.ts";
import { openView } from "../support/views.ts";

describe.runIf(hasChromium)("the search", { timeout: BROWSER_MS_MAX }, () => {
  const pages = usePages();
  const { openPage } = pages;

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
    await page.getByText("All conversations are kept").waitFor();
    await page.getByLabel("Search for").fill("tomatoes 番茄浇");
    await page.locator('[data-hit="m-7"]').waitFor();
    await expect.poll(() => page.locator("mark").allInnerTexts()).toEqual(["tomatoes", "番茄浇"]);
    await expect
      .poll(() => page.locator('[data-hit="m-7"] .hit-text').innerText())
      .toBe("Water the tomatoes <b>daily</b>");
    expect(await page.locator(".hit-text b").count()).toBe(0);
    expect(mishaps).toEqual([]);
  });

  test("who stops between two words still has the space that they typed", async () => {
    pages.gateway.answers.set("/api/history/search", { hits: [] });
    const { page } = await openPage();
    await openView(page, "search");
    await page.getByLabel("Search for").pressSequentially("water ");
    await expect.poll(() => page.evaluate(() => location.hash)).toBe("#/search/water");
    await page.getByLabel("Search for").pressSequentially("beds");
    await expect.poll(() => page.evaluate(() => location.hash)).toBe("#/search/water%20beds");
  });

  test("leads to the place where it was said, also far above what the page has loaded", async () => {
    pages.gateway.message(messageRecord({ id: "m-9", role: "user", text: "newest" }));
    pages.gateway.answers.set("/api/history/search", { hits: [hit({})] });
    pages.gateway.answers.set("/api/messages", ({ around }: { around?: string }) => ({
      messages: around === "m-7" ? [messageRecord({ id: "m-7", role: "user", text: "Water the tomatoes" })] : [],
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
    await expect.poll(() => page.getByLabel("Search for").inputValue()).toBe("tomatoes");
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
    const remembered = page.getByRole("region", { name: "In memory" });
    await remembered.locator('[data-source="memory.md"]').waitFor();
    await expect.poll(() => remembered.locator(".hit-text").innerText()).toBe("Beds & <b>roses</b>");
    await expect.poll(() => remembered.locator("mark").allInnerTexts()).toEqual(["Beds", "roses"]);
    expect(asked).toEqual(["beds & roses"]);
    pages.gateway.answers.set("/api/memory/file", {
      name: "memory.md",
      bytes: 9,
      changedAt: new Date().toISOString(),
      text: "Beds, all",
    });
    await remembered.getByRole("link", { name: "memory.md" }).click();
    await page.locator('[data-file="memory.md"]', { hasText: "Beds, all" }).waitFor();
    expect(mishaps).toEqual([]);
  });

  test("says where nothing was found, and where it is gone from the conversation", async () => {
    pages.gateway.answers.set("/api/history/search", ({ q }: { q: string }) => ({
      hits: q === "old" ? [hit({})] : [],
    }));
    pages.gateway.answers.set("/api/messages", { messages: [] });
    const { page } = await openPage();
    await openView(page, "search/nothing");
    await page.getByText("Nothing like “nothing” was found.").waitFor();
    await openView(page, "search/old");
    await page.getByRole("button", { name: "Show it in the conversation" }).click();
    await page.getByText("It could not be found in the conversation").waitFor();
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
    await expect.poll(() => page.locator(".message").first().innerText()).toContain("line 49");
    expect(await page.getByRole("button", { name: "Earlier messages" }).count()).toBe(0);
  });
});
