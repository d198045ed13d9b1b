/** Every view says times, dates and counts as the rest of the page does. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { triggerRecord } from "../support/records.ts";
import { BROWSER_MS_MAX, hasChromium, usePages } from "../support/use-pages.ts";
import { VIEWS } from "../support/view-list.ts";
import { fill, openView, trailOf } from "../support/views.ts";

const DETAILS = ["search/beds", "tasks/timeline", "tasks/t-000001.0.1", "triggers/trg-1", "memory/memory.md"];
/** A date or a moment as records hold it; a name of a file may begin with a date. */
const OF_RECORDS = /(?<![\w/-])\d{4}-\d\d-\d\d(?!-?\w)|\d\dT\d\d:\d\d/g;
/** From 1,000 on, and no year; a name of a commit may begin with 0. */
const UNGROUPED = /(?<![\w.,/:#-])(?!0|20\d\d(?!\d))\d{4,}(?![\w,-])/g;
/** Of a task, a trigger, a message or a change; the words before it may stand close. */
const ID = /(?:t-\d{6}|trg-|m-\d|c-\d)[\w.]*/g;
const OF_24_HOURS = /(?<![\d:])\d{1,2}:\d\d(?![\d:]|\s?[AP]M)/g;
const OF_12_HOURS = /\d{1,2}:\d\d\s?[AP]M|[上下]午/g;
const ENGLISH_DAYS = /\b(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|today|tomorrow|yesterday)\b/gi;
const ENGLISH_UNITS = /(?<!\w)\d+(?:ms|s|m|h)\b/g;

describe.runIf(hasChromium)("what every view says of times and numbers", { timeout: 2 * BROWSER_MS_MAX }, () => {
  const pages = usePages();

  test.each([
    ["en-US", [OF_RECORDS, UNGROUPED, OF_24_HOURS]],
    ["en-GB", [OF_RECORDS, UNGROUPED, OF_12_HOURS]],
    ["zh-CN", [OF_RECORDS, UNGROUPED, OF_12_HOURS, ENGLISH_DAYS, ENGLISH_UNITS]],
  ])("is said in one way in %s", async (locale, others) => {
    fill(pages.gateway);
    const schedule = { cron: "0 0 9 * * 1-5", timezone: "UTC" };
    pages.gateway.trigger(
      triggerRecord({ id: "trg-2", title: "Stand-up", schedule, next: "2031-03-03T09:00:00.000Z" }),
    );
    pages.gateway.answers.set("/api/audit", trailOf("a word"));
    const { page } = await pages.openPage({ locale });
    const found: string[] = [];
    let times = 0;
    for (const address of ["", ...VIEWS, ...DETAILS]) {
      const text = await textOf(page, address);
      times += [...text.matchAll(/\d:\d\d/g)].length;
      for (const other of others) for (const [said] of text.matchAll(other)) found.push(`${address}: ${said}`);
    }
    expect(found).toEqual([]);
    expect(times).toBeGreaterThan(0);
  });

  test("names things by their titles: an id is read only where it is to be copied", async () => {
    fill(pages.gateway);
    pages.gateway.answers.set("/api/audit", trailOf("task_queued"));
    const { page } = await pages.openPage({ viewport: { width: 1600, height: 900 } });
    const found: string[] = [];
    for (const address of ["", ...VIEWS, ...DETAILS]) {
      await textOf(page, address);
      const said = await page.locator("body").evaluate((body) => {
        const copy = body.cloneNode(true) as HTMLElement;
        // The facts of a task, and what is logged of an action.
        for (const part of copy.querySelectorAll(".facts-list, .detail, script")) part.remove();
        return copy.textContent;
      });
      for (const [id] of said.matchAll(ID)) found.push(`${address}: ${id}`);
    }
    expect(found).toEqual([]);
    await openView(page, "audit");
    await page.locator('[data-event] [title="t-000001.0"]', { hasText: "Plan" }).waitFor();
  });

  async function textOf(page: Page, address: string): Promise<string> {
    if (address === "") return page.locator("body").innerText();
    await openView(page, address);
    await expect.poll(() => page.getByText(/^(Looking…|Opening…|正在查看…|正在打开…)$/).count()).toBe(0);
    return page.locator(".view").innerText();
  }
});
