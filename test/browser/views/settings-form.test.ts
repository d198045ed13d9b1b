/** The form of the settings, on a real instance. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Status } from "@mimikit/protocol/wire/api";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { Instance } from "../../support/instance.ts";
import { openInstance } from "../support/open-instance.ts";
import { BROWSER_MS_MAX, connected, hasChromium, usePages } from "../support/use-pages.ts";
import { fill, openView, view } from "../support/views.ts";

const COMMENTED = "# ours\nretryDelaySec: 7 # patience\n";

describe.runIf(hasChromium)("the form of the settings", { timeout: 2 * BROWSER_MS_MAX }, () => {
  const pages = usePages();

  async function opened(env: Record<string, string> = {}) {
    const mimikit = await Instance.start({
      env,
      prepare: async (home) => {
        mkdirSync(home);
        writeFileSync(join(home, "config.yaml"), COMMENTED);
      },
    });
    pages.atEnd(() => mimikit.dispose());
    const noticed = join(mimikit.home, "config.noticed.yaml");
    await mimikit.until("the settings, noticed", () => readFileSync(noticed, "utf8") === COMMENTED || undefined);
    const page = await openInstance(pages, mimikit);
    return { mimikit, page, text: () => readFileSync(join(mimikit.home, "config.yaml"), "utf8") };
  }

  const section = (page: Page, name: string) => page.locator(`[data-section="${name}"]`);
  const labelled = (page: Page, name: string) => page.getByLabel(name, { exact: true });
  const setting = (page: Page, name: string) => page.locator(`[data-setting="${name}"]`);

  test("a budget is set, counts at once, is there after a reload, and is taken back", async () => {
    const { mimikit, page, text } = await opened();
    await openView(page, "settings/budget");
    const day = labelled(page, "budget.day.costUsd");
    await day.fill("0");
    await day.press("Enter");
    await setting(page, "budget.day.costUsd")
      .getByRole("alert")
      .getByText(/must be more than 0/)
      .waitFor();
    expect(text()).toBe(COMMENTED);
    await day.fill("2.5");
    await day.press("Enter");
    await section(page, "budget").getByRole("status").getByText("Saved. It takes effect now.").waitFor();
    expect(text()).toBe(`${COMMENTED}budget:\n  day:\n    costUsd: 2.5\n`);
    const limit = await mimikit.until("the limit", async () => {
      const { usage } = await mimikit.api<Status>("/api/status");
      return usage.budget.day?.limit;
    });
    expect(limit).toEqual({ costUsd: 2.5 });

    await page.reload();
    await connected(page);
    await expect.poll(() => labelled(page, "budget.day.costUsd").inputValue()).toBe("2.5");
    await openView(page, "changes");
    await page.getByRole("button", { name: "Undo budget" }).click();
    // A busy machine takes longer than the view looks by itself: it looks again when it is opened.
    const undone = async () => {
      await openView(page, "usage");
      await openView(page, "changes");
      return page.locator('.change[data-state="undone"]', { hasText: "budget" }).count();
    };
    await expect.poll(undone, { timeout: 40_000, interval: 500 }).toBe(1);
    expect(text()).toBe(COMMENTED);
    await openView(page, "settings/budget");
    await expect.poll(() => labelled(page, "budget.day.costUsd").inputValue()).toBe("");
  });

  test("each kind of setting has its field, what a variable has set is locked, and only what was changed is saved", async () => {
    const { page, text } = await opened({ MIMIKIT_MAX_CONCURRENCY: "2" });
    await openView(page, "settings");
    // All of it is found by a word of its name or its description; nothing is open before.
    await labelled(page, "Find a setting").fill("concurrency");
    const locked = labelled(page, "maxConcurrency");
    expect(await locked.isDisabled()).toBe(true);
    await expect.poll(() => locked.inputValue()).toBe("2");
    await setting(page, "maxConcurrency").getByText("From the variable MIMIKIT_MAX_CONCURRENCY").waitFor();
    await labelled(page, "Find a setting").fill("no such words");
    await page.getByText("No setting has that").waitFor();
    await labelled(page, "Find a setting").fill("");

    await section(page, "selfImprove").locator("summary").click();
    await page.getByRole("switch", { name: "selfImprove.merge" }).check();
    await page.getByRole("button", { name: "Add to selfImprove.checks" }).click();
    await labelled(page, "selfImprove.checks, entry 1").fill("npm test");
    await page.getByRole("button", { name: "Add to selfImprove.checks" }).click();
    await labelled(page, "selfImprove.checks, entry 2").fill("npm run lint");
    await page.getByRole("button", { name: "Remove selfImprove.checks, entry 1" }).click();
    await section(page, "selfImprove").getByText("2 changes are not saved").waitFor();
    // Changes that are not saved are still there when the view is opened again.
    await openView(page, "changes");
    await openView(page, "settings/selfImprove");
    await expect.poll(() => labelled(page, "selfImprove.checks, entry 1").inputValue()).toBe("npm run lint");
    await section(page, "selfImprove").getByRole("button", { name: "Save" }).click();
    await section(page, "selfImprove").getByText("Saved.").waitFor();

    await section(page, "prices").locator("summary").click();
    await page.getByRole("button", { name: "Add to prices" }).click();
    expect(await section(page, "prices").getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await labelled(page, "Model").fill("gpt-5");
    await labelled(page, "Input").fill("1.25");
    await labelled(page, "Output").fill("10");
    await section(page, "prices").getByRole("button", { name: "Save" }).click();
    await section(page, "prices").getByText("Saved.").waitFor();

    await section(page, "others").locator("summary").click();
    await labelled(page, "openai.vision").selectOption("no");
    await labelled(page, "logLevel").selectOption("warn");
    await section(page, "others").getByRole("button", { name: "Save" }).click();
    await section(page, "others").getByText("take effect after “mimikit restart”").waitFor();

    await section(page, "time").locator("summary").click();
    await page.getByRole("button", { name: "Use the default of retryDelaySec" }).click();
    await labelled(page, "timeoutSec.worker").fill("90");
    await section(page, "time").getByRole("button", { name: "Discard" }).click();
    await expect.poll(() => labelled(page, "retryDelaySec").inputValue()).toBe("7");
    expect(text()).toBe(
      `${COMMENTED}selfImprove:\n  checks: [ npm run lint ]\n  merge: true\nprices:\n  gpt-5: { input: 1.25, cached: 0, output: 10 }\nopenai:\n  vision: false\nlogLevel: warn\n`,
    );
    await page.getByRole("button", { name: "Use the default of retryDelaySec" }).click();
    await section(page, "time").getByRole("button", { name: "Save" }).click();
    await section(page, "time").getByText("Saved.").waitFor();
    expect(text()).not.toContain("retryDelaySec");
    expect(text()).toMatch(/^# ours\n/);
  });

  test("whoever only talks, or reads English, does not load what the form says in Chinese", async () => {
    fill(pages.gateway);
    const loaded = () => pages.gateway.requests.filter((path) => /settings-form|zh-descriptions/.test(path));
    const { page } = await pages.openPage();
    expect(loaded()).toEqual([]);
    await openView(page, "settings/budget");
    await page.getByText("US dollars that may be spent in a month").waitFor();
    expect(loaded().some((path) => path.includes("zh-descriptions"))).toBe(false);
    const chinese = await pages.openPage({ locale: "zh-CN" });
    await openView(chinese.page, "settings/budget");
    await chinese.page.getByText("一个月最多花多少美元。").waitFor();
    await view(chinese.page).getByText("预算", { exact: true }).waitFor();
  });
});
