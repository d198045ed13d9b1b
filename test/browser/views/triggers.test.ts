/** What the view of the triggers promises. */

import { describe, expect, test } from "vitest";
import { triggerRecord } from "../support/records.ts";
import { BROWSER_MS_MAX, hasChromium, usePages } from "../support/use-pages.ts";
import { fill, openView } from "../support/views.ts";

describe.runIf(hasChromium)("the triggers", { timeout: BROWSER_MS_MAX }, () => {
  const pages = usePages();
  const { openPage } = pages;

  test("are made by a form that says when in words and shows the next moments first", async () => {
    pages.gateway.answers.set("/api/triggers/upcoming", ({ cron, timezone }: Record<string, string>) => ({
      upcoming: cron === "0 30 7 * * 1-5" && timezone === "Asia/Tokyo" ? ["2126-12-02T22:30:00.000Z"] : [],
    }));
    const { page, mishaps } = await openPage({ timezoneId: "Asia/Tokyo", locale: "en-GB" });
    await page.getByRole("button", { name: "Triggers" }).click();
    await page.getByRole("button", { name: "New trigger" }).click();
    await page.getByLabel("What should be done?").fill("drink water");
    await page.getByRole("combobox", { name: "When" }).selectOption("On days of the week");
    await page.getByLabel("At", { exact: true }).fill("07:30");
    await page.locator(".upcoming", { hasText: "07:30" }).filter({ hasText: "Next:" }).waitFor();
    expect((await page.locator(".upcoming b").innerText()).trim()).toBe("Monday to Friday at 07:30.");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("form").waitFor({ state: "detached" });
    expect(pages.gateway.wanted).toEqual([
      {
        method: "POST",
        path: "/",
        body: {
          prompt: "drink water",
          target: "teller",
          cron: "0 30 7 * * 1-5",
          timezone: "Asia/Tokyo",
          missed: "latest",
        },
      },
    ]);
    expect(mishaps).toEqual([]);
  });

  test("are changed by the same form, which knows what was ordered; a refusal is told and nothing is lost", async () => {
    const schedule = { cron: "0 0 9 * * *", timezone: "Europe/Berlin" };
    pages.gateway.trigger(triggerRecord({ id: "trg-1", title: "Stretch", prompt: "stretch", schedule }));
    const { page } = await openPage();
    await openView(page, "triggers");
    await page.getByRole("button", { name: "Change Stretch" }).click();
    await page.getByLabel("At", { exact: true }).fill("10:15");
    pages.gateway.refusal = "the calendar is full";
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").filter({ hasText: "the calendar is full" }).waitFor();
    expect(await page.getByLabel("At", { exact: true }).inputValue()).toBe("10:15");
    pages.gateway.refusal = undefined;
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("form").waitFor({ state: "detached" });
    expect(pages.gateway.wanted.at(-1)).toEqual({
      method: "PATCH",
      path: "/trg-1",
      body: { cron: "0 15 10 * * *", timezone: "Europe/Berlin" },
    });
  });

  test("have a calendar of the days to come, with what collides and what nobody can know", async () => {
    fill(pages.gateway);
    const { page } = await openPage();
    await openView(page, "triggers");
    const today = page.locator('.day[data-today="true"]');
    // A minute before midnight the next minute is tomorrow.
    const firing = page.locator('[data-firing="trg-1"]');
    await firing.waitFor();
    expect(await page.locator(".day").count()).toBe(7);
    expect(await today.count()).toBe(1);
    await firing.getByRole("img", { name: "at the same minute as another" }).waitFor();
    await page.getByText("On a condition, so nobody knows when: Rebuild").waitFor();
    await page.getByText("about 1,200 tokens").waitFor();
    await page.getByRole("button", { name: "A week on" }).click();
    await today.waitFor({ state: "detached" });
  });
});
