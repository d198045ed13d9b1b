/** Promises of the audit log. */

import { describe, expect, test } from "vitest";
import { BROWSER_MS_MAX, hasChromium, usePages } from "../support/use-pages.ts";
import { openView, trailOf } from "../support/views.ts";

describe.runIf(hasChromium)("the audit log", { timeout: BROWSER_MS_MAX }, () => {
  const pages = usePages();
  const { openPage } = pages;

  test("shows the newest line first, is filtered by any word, and goes back page by page", async () => {
    pages.gateway.answers.set("/api/audit", ({ before, after }: Record<string, string>) => {
      if (before !== undefined) return { ...trailOf("role_started"), previous: null };
      return after === undefined ? { ...trailOf("task_queued", "task_done"), previous: "s1.w1.g1" } : trailOf();
    });
    const { page, mishaps } = await openPage();
    await openView(page, "audit");
    const events = page.locator("[data-event] .event");
    await events.first().waitFor();
    await expect.poll(() => events.allInnerTexts()).toEqual(["task_done", "task_queued"]);
    await page.getByRole("button", { name: "Older lines" }).click();
    await page.locator('[data-event="role_started"]').waitFor();
    expect(await page.getByRole("button", { name: "Older lines" }).count()).toBe(0);
    await page.getByLabel("Filter").fill("QUEUED t-000001.0");
    await expect.poll(() => events.allInnerTexts()).toEqual(["task_queued"]);
    await page.getByLabel("Filter").fill("no such thing");
    await page.getByText("No loaded line matches.").waitFor();
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

  test("is filtered by what happened, and a link leads to the lines about something", async () => {
    pages.gateway.answers.set("/api/audit", ({ after }: Record<string, string>) =>
      after === undefined ? trailOf("task_queued", "task_done", "task_queued") : trailOf(),
    );
    const { page } = await openPage();
    await openView(page, "audit/done");
    const events = page.locator("[data-event] .event");
    await events.first().waitFor();
    await expect.poll(() => page.getByLabel("Filter").inputValue()).toBe("done");
    await expect.poll(() => events.allInnerTexts()).toEqual(["task_done"]);
    await page.getByLabel("Filter").fill("");
    await expect.poll(() => page.url()).toMatch(/#\/audit$/);
    expect(await events.count()).toBe(3);
    await page.getByLabel("Event", { exact: true }).selectOption("task_queued");
    await expect.poll(() => events.allInnerTexts()).toEqual(["task_queued", "task_queued"]);
    await page.getByLabel("Filter").fill("t-000001.0");
    await expect.poll(() => page.url()).toMatch(/#\/audit\/t-000001\.0$/);
  });
});
