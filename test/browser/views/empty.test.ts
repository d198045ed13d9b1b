/** An empty view has a sentence on what will be here, and one action that makes the first of it. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findSkills, skillPlacesOf } from "@mimikit/agent/skills/skills";
import type { AuditAnswer } from "@mimikit/protocol/wire/api";
import { describeSettings } from "@mimikit/runtime/config/describe-settings";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { taskRecord } from "../support/records.ts";
import { BROWSER_MS_MAX, hasChromium, usePages } from "../support/use-pages.ts";
import { VIEWS } from "../support/view-list.ts";
import { field, openView, trailOf, view } from "../support/views.ts";

type View = (typeof VIEWS)[number];

const NO_LINES: AuditAnswer = { entries: [], next: "s0.w0.g0", previous: null };

/** The elements to be seen once the action was pressed. The settings and the keys are never empty, and a file needs a look of its own. */
const ACTS: Record<Exclude<View, "settings" | "keys" | "skills">, (page: Page) => Promise<unknown>> = {
  search: atMessageField,
  tasks: async (page) => {
    await atMessageField(page);
    expect(await field(page).inputValue()).toBe("run `date` then `df -h .`");
  },
  triggers: (page) => page.getByRole("form").waitFor(),
  backlog: (page) => hasFocus(page, "Add something for later"),
  memory: (page) => hasFocus(page, "Something to remember"),
  improvements: (page) => page.locator('details[data-section="selfImprove"][open]').waitFor(),
  changes: (page) => page.getByRole("heading", { name: "Memory", level: 2 }).waitFor(),
  usage: (page) => page.locator('details[data-section="budget"][open]').waitFor(),
  audit: atMessageField,
};

async function atMessageField(page: Page): Promise<void> {
  await view(page).waitFor({ state: "detached" });
  await expect.poll(() => field(page).evaluate((element) => element === document.activeElement)).toBe(true);
}

async function hasFocus(page: Page, label: string): Promise<void> {
  await expect.poll(() => page.getByLabel(label).evaluate((one) => one === document.activeElement)).toBe(true);
}

describe.runIf(hasChromium)("an empty view", { timeout: BROWSER_MS_MAX }, () => {
  const pages = usePages();

  const empty = (page: Page) => view(page).locator(".empty");
  const actions = (page: Page) => empty(page).locator("a, button");

  /** Opens a view in which there is nothing; its action has the focus. */
  async function openEmpty(page: Page, address: string): Promise<void> {
    await openView(page, address);
    await empty(page).waitFor();
    expect(await empty(page).count()).toBe(1);
    expect((await empty(page).locator("p").first().innerText()).length).toBeGreaterThan(20);
    expect(await actions(page).count()).toBe(1);
    await actions(page).focus();
  }

  test.each(VIEWS.filter((name) => name !== "settings" && name !== "keys" && name !== "skills"))(
    "%s says what will be here, and offers exactly one action, which works",
    async (name) => {
      pages.gateway.answers.set("/api/usage", { rows: [] }).set("/api/audit", NO_LINES);
      pages.gateway.answers.set("/api/settings", { settings: describeSettings("/there/is/none", {}), missing: [] });
      const { page, mishaps } = await pages.openPage();
      await openEmpty(page, name);
      await page.keyboard.press("Enter");
      await ACTS[name as keyof typeof ACTS](page);
      expect(mishaps).toEqual([]);
    },
  );

  test.each(["en-GB", "zh-CN"])("skills offers a whole skill to begin with, and nothing else (%s)", async (locale) => {
    const { page } = await pages.openPage({ locale });
    await openEmpty(page, "skills");
    const download = page.waitForEvent("download");
    await page.keyboard.press("Enter");
    const home = await mkdtemp(join(tmpdir(), "mimikit-skill-"));
    pages.atEnd(() => rm(home, { recursive: true }));
    await (await download).saveAs(join(home, "skills/changelog-style/SKILL.md"));
    const { skills, problems } = await findSkills(skillPlacesOf({ home, workDir: home }, { HOME: home }));
    expect(problems).toEqual([]);
    expect(skills.map(({ name }) => name)).toContain("changelog-style");
  });

  test("a day in which nothing ran leads to the plans of before", async () => {
    const at = "2026-01-01T08:00:00.000Z";
    pages.gateway.task(taskRecord({ id: "t-000001.0", title: "Old", state: "done", createdAt: at, completedAt: at }));
    const { page } = await pages.openPage();
    await openEmpty(page, "tasks/timeline");
    await page.keyboard.press("Enter");
    await page.locator('[data-plan="t-000001.0"]').waitFor();
  });

  test("a search that finds nothing offers other words, and a filter that lets nothing through all lines", async () => {
    pages.gateway.answers.set("/api/history/search", { hits: [] }).set("/api/audit", trailOf("task_queued"));
    const { page } = await pages.openPage();
    await openEmpty(page, "search/roses");
    await page.keyboard.press("Enter");
    await hasFocus(page, "Search for");
    expect(await page.getByLabel("Search for").inputValue()).toBe("");
    await openEmpty(page, "audit/roses");
    await page.keyboard.press("Enter");
    await page.locator('[data-event="task_queued"]').waitFor();
    await expect.poll(() => page.url()).toBe(`${pages.gateway.origin}/#/audit`);
  });
});
