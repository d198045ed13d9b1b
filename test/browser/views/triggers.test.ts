/** Promises of the view of the triggers. */

import type { Condition } from "@mimikit/protocol/triggers/condition";
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
    await page.getByRole("link", { name: "Schedules" }).click();
    await page.getByRole("button", { name: "New trigger" }).click();
    await page.getByLabel("What to do").fill("drink water");
    await page.getByRole("combobox", { name: "When" }).selectOption("On certain weekdays");
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

  test("are written in the colour of text: what is typed does not look like a placeholder", async () => {
    const { page } = await openPage();
    await openView(page, "triggers");
    await page.getByRole("button", { name: "New trigger" }).click();
    const colours = await page.getByRole("form").evaluate((form) => {
      const fields = [...form.querySelectorAll("input:not([type=checkbox]), select, textarea")];
      const empty = fields.filter((field) => field.hasAttribute("placeholder"));
      return {
        text: getComputedStyle(document.body).color,
        typed: fields.map((field) => getComputedStyle(field).color),
        placeholders: empty.map((field) => getComputedStyle(field, "::placeholder").color),
      };
    });
    expect(new Set(colours.typed)).toEqual(new Set([colours.text]));
    expect(colours.placeholders).not.toHaveLength(0);
    expect(colours.placeholders).not.toContain(colours.text);
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
    await expect.poll(() => page.getByLabel("At", { exact: true }).inputValue()).toBe("10:15");
    pages.gateway.refusal = undefined;
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("form").waitFor({ state: "detached" });
    expect(pages.gateway.wanted.at(-1)).toEqual({
      method: "PATCH",
      path: "/trg-1",
      body: { cron: "0 15 10 * * *", timezone: "Europe/Berlin" },
    });
  });

  test("say which schedule waits because the clock was ahead, and have it count from now", async () => {
    const schedule = { cron: "0 0 9 * * *", timezone: "Europe/Berlin" };
    const last = "2126-11-25T08:00:00.000Z";
    pages.gateway.trigger(triggerRecord({ id: "trg-1", title: "Stretch", prompt: "stretch", schedule, last }));
    pages.gateway.trigger(triggerRecord({ id: "trg-2", title: "Tea", prompt: "tea", schedule }));
    const { page } = await openPage();
    await openView(page, "triggers");
    const waiting = page.locator("[data-trigger=trg-1]");
    await waiting.getByText("waiting, because the clock was ahead").waitFor();
    expect(await page.getByRole("button", { name: /^Count from now/ }).count()).toBe(1);
    await waiting.getByRole("button", { name: "Count from now: Stretch" }).click();
    await expect
      .poll(() => pages.gateway.wanted.at(-1))
      .toEqual({ method: "PATCH", path: "/trg-1", body: { anew: true } });
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
    await firing.getByRole("img", { name: "in the same minute as another" }).waitFor();
    await page.getByText("Waiting for a condition: Rebuild").waitFor();
    await page.getByText("about 1,200 tokens").waitFor();
    await page.getByRole("button", { name: "Next week" }).click();
    await today.waitFor({ state: "detached" });
  });

  const RELEASE = {
    type: "and",
    conditions: [
      { type: "file_exists", params: { path: "build/done" } },
      { type: "not", condition: { type: "time", params: { weekdays: ["sat", "sun"], timezone: "Europe/Berlin" } } },
      {
        type: "or",
        conditions: [
          { type: "file_changed", params: { path: "src/**/*.ts", fireOnInit: true } },
          { type: "task_failed", params: { taskId: "t-000001.0" } },
          { type: "llm_eval", params: { prompt: "Does CHANGELOG.md announce a release?" } },
        ],
      },
    ],
  } satisfies Condition;

  /** A trigger that waits for it, in its form. */
  async function openForm(condition: Condition) {
    const trigger = triggerRecord({
      id: "trg-if",
      type: "conditional",
      title: "Announce",
      condition,
      cooldownSec: 300,
    });
    const { schedule: _, missed: __, ...rest } = trigger;
    pages.gateway.trigger({ ...rest, next: null });
    const opened = await openPage();
    await openView(opened.page, "triggers/trg-if");
    await opened.page.getByRole("form").waitFor();
    return opened;
  }

  test("a condition is built of groups in groups, with the focus on what was added, and read as a sentence", async () => {
    const { page, mishaps } = await openPage({ timezoneId: "Asia/Tokyo", locale: "en-GB" });
    await openView(page, "triggers/new");
    await page.getByLabel("What to do").fill("announce it");
    await page.getByRole("combobox", { name: "When" }).selectOption("When a condition is met");
    const kinds = page.getByRole("combobox", { name: "Kind of condition" });
    const create = page.getByRole("button", { name: "Create" });
    await page.getByLabel("File or glob in the workspace").fill("build/done");
    await page.getByRole("button", { name: "Add condition" }).press("Enter");
    // An added part has the focus: its kind is chosen by its first letters, as the browser has it.
    await expect.poll(() => kinds.nth(2).evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.type("any");
    await expect.poll(() => kinds.count()).toBe(4);
    await kinds.nth(3).selectOption("a model says yes");
    expect(await create.isDisabled()).toBe(true);
    await page.getByLabel("Question to a model").fill("Is it Friday?");
    await page.getByRole("button", { name: "Add alternative" }).press("Enter");
    await kinds.nth(4).selectOption("not this");
    await kinds.nth(5).selectOption("a time of the week");
    await page.getByLabel("From").fill("22:00");
    expect((await page.locator("[data-condition-words]").innerText()).trim()).toBe(
      "When build/done is there, and (a model says yes to “Is it Friday?”, or it is not Monday to Friday, after 22:00 (Asia/Tokyo)).",
    );
    await create.press("Enter");
    await page.getByRole("form").waitFor({ state: "detached" });
    expect(pages.gateway.wanted).toEqual([
      {
        method: "POST",
        path: "/",
        body: {
          prompt: "announce it",
          target: "teller",
          condition: {
            type: "and",
            conditions: [
              { type: "file_exists", params: { path: "build/done" } },
              {
                type: "or",
                conditions: [
                  { type: "llm_eval", params: { prompt: "Is it Friday?" } },
                  {
                    type: "not",
                    condition: {
                      type: "time",
                      params: {
                        weekdays: ["mon", "tue", "wed", "thu", "fri"],
                        timezone: "Asia/Tokyo",
                        after: "22:00",
                      },
                    },
                  },
                ],
              },
            ],
          },
          cooldown: 0,
          stableFor: 0,
        },
      },
    ]);
    expect(mishaps).toEqual([]);
  });

  test("a condition that stands is shown as it was ordered, and is not ordered anew where nobody touched it", async () => {
    const { page, mishaps } = await openForm(RELEASE);
    await page
      .locator(".trigger-when", {
        hasText:
          "When build/done is there, and it is not Saturday or Sunday (Europe/Berlin), and (src/**/*.ts changes, or t-000001.0 has failed, or a model says yes to “Does CHANGELOG.md announce a release?”).",
      })
      .waitFor();
    const kinds = page.getByRole("combobox", { name: "Kind of condition" });
    expect(await kinds.evaluateAll((all) => all.map((one) => (one as HTMLSelectElement).value))).toEqual([
      "and",
      "file_exists",
      "not",
      "time",
      "or",
      "file_changed",
      "task_failed",
      "llm_eval",
    ]);
    // A group of several parts cannot become one part, and lose the others; each part can become any other.
    const refused = (i: number) => kinds.nth(i).locator("option:disabled").count();
    expect([await refused(0), await refused(4), await refused(1)]).toEqual([6, 6, 0]);
    expect(await page.getByLabel("also for what is there already").isChecked()).toBe(true);
    expect(await page.getByRole("checkbox", { checked: true }).count()).toBe(3);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("form").waitFor({ state: "detached" });
    expect(pages.gateway.wanted).toEqual([]);

    // What else is changed leaves the condition, and what it has seen so far, alone.
    await openView(page, "triggers/trg-if");
    await page.getByLabel("What to do").fill("tell everybody");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("form").waitFor({ state: "detached" });
    expect(pages.gateway.wanted.map(({ body }) => body)).toEqual([{ prompt: "tell everybody" }]);
    expect(mishaps).toEqual([]);
  });

  test("a part is taken out of a condition, and the rest is saved as it was", async () => {
    const { page } = await openForm(RELEASE);
    await page.getByRole("button", { name: "Remove t-000001.0 has failed" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("form").waitFor({ state: "detached" });
    const [saved] = pages.gateway.wanted.map(({ body }) => (body as { condition: typeof RELEASE }).condition);
    expect(saved).toEqual({
      ...RELEASE,
      conditions: [
        RELEASE.conditions[0],
        RELEASE.conditions[1],
        {
          type: "or",
          conditions: [
            { type: "file_changed", params: { path: "src/**/*.ts", fireOnInit: true } },
            { type: "llm_eval", params: { prompt: "Does CHANGELOG.md announce a release?" } },
          ],
        },
      ],
    });
  });

  test("for how long a file must stay the same, and a condition hold, is chosen, read, and saved", async () => {
    const condition = { type: "file_changed", params: { path: "src/**/*.ts", settleSec: 30 } } satisfies Condition;
    const { page, mishaps } = await openForm(condition);
    const settle = page.getByLabel("Unchanged for so many seconds");
    expect(await settle.inputValue()).toBe("30");
    await settle.fill("4000");
    await page.getByText("At most 3600 seconds.").waitFor();
    expect(await page.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await settle.fill("");
    await page.getByText("More", { exact: true }).click();
    await page.getByLabel("Must stay true for this many seconds").fill("600");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("form").waitFor({ state: "detached" });
    expect(pages.gateway.wanted.map(({ body }) => body)).toEqual([
      { condition: { type: "file_changed", params: { path: "src/**/*.ts" } }, stableFor: 600 },
    ]);
    expect(mishaps).toEqual([]);
  });

  test("what is wrong with a condition is said at its field, and nothing is saved until it is right", async () => {
    const { page } = await openForm(RELEASE);
    const save = page.getByRole("button", { name: "Save" });
    const path = page.getByLabel("File or glob in the workspace").first();
    await path.fill("../elsewhere");
    expect(await path.getAttribute("aria-invalid")).toBe("true");
    const id = await path.getAttribute("aria-describedby");
    await expect
      .poll(() => page.locator(`[id="${id}"]`).innerText())
      .toBe("Name a file or a glob in the workspace, without “..”.");
    expect(await save.isDisabled()).toBe(true);
    await path.fill("build/ready");
    expect(await path.getAttribute("aria-invalid")).toBe("false");
    await page.getByLabel("From").fill("25:00");
    await page.getByText("A time like 22:30, or a moment with its zone").waitFor();
    await page.getByLabel("From").fill("");
    await page.getByRole("checkbox", { name: "Saturday" }).uncheck();
    await page.getByRole("checkbox", { name: "Sunday" }).uncheck();
    await page.getByText("Choose days, or say from when or until when.").waitFor();
    expect(await save.isDisabled()).toBe(true);
    await page.getByRole("checkbox", { name: "Monday" }).check();
    expect(await save.isEnabled()).toBe(true);
  });
});
