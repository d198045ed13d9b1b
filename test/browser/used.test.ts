/** The memories that a reply has used, as its reader finds them below the reply. */
import axe from "axe-core";
import { describe, expect, test } from "vitest";
import { Instance } from "../support/instance.ts";
import { openInstance } from "./support/open-instance.ts";
import { messageRecord } from "./support/records.ts";
import { BROWSER_MS_MAX, hasChromium, usePages } from "./support/use-pages.ts";
import { field } from "./support/views.ts";

describe.runIf(hasChromium)("what a reply has used", { timeout: BROWSER_MS_MAX }, () => {
  const pages = usePages();

  test("is listed below it, and leads to the entry, where it is forgotten, and to where it was said", async () => {
    const mimikit = await Instance.start();
    pages.atEnd(() => mimikit.dispose());
    const page = await openInstance(pages, mimikit);
    const say = async (text: string) => {
      await field(page).fill(text);
      await field(page).press("Enter");
    };
    await say("remember that the beds are in the north");
    const first = page.locator(".message[data-id='t-000001.reply']");
    await first.waitFor();
    expect(await first.locator(".used").count()).toBe(0);
    await say("search beds");
    const used = page.locator(".message[data-id='t-000002.reply'] .used");
    await used.getByText(/^Used: \d+ memor(y|ies)$/).click();
    const entry = used.locator("li", { hasText: "memory" }).filter({ hasText: "the beds are in the north" }).first();
    await entry.getByRole("link", { name: "from the conversation" }).click();
    await page.locator(".message.pointed-out[data-id='t-000001.reply']").waitFor();

    await entry.locator("a").first().click();
    const meant = page.locator(".entries > li.pointed-out");
    await meant.filter({ hasText: "the beds are in the north" }).waitFor();
    await meant.getByRole("button", { name: /^Forget/ }).click();
    await page.locator(".entries > li", { hasText: "the north" }).waitFor({ state: "detached" });
    await page.goBack();
    const summary = used.locator("summary");
    await summary.click();
    await entry.waitFor({ state: "hidden" });
    await summary.click();
    await entry.getByText("changed or forgotten since").waitFor();
  });

  test.each([
    { locale: "en-GB", count: "Used: 2 memories", always: "always shown", changed: "changed or forgotten since" },
    { locale: "zh-CN", count: "用到 2 条记忆", always: "每次都会提供", changed: "之后已修改或忘记" },
  ])("is told in the language of the page: $locale", async ({ locale, count, always, changed }) => {
    const { page, mishaps } = await pages.openPage({ locale });
    const hostile = "<img src=x onerror=alert(1)> the beds";
    pages.gateway.answers.set("/api/messages/t-000001.reply/used", {
      id: "t-000001.reply",
      used: [
        { source: "user_profile.md", text: "Prefers short answers.", always: true, isAsShown: true },
        { source: "memory.md", text: hostile, at: "2026-11-20", isAsShown: false },
      ],
    });
    pages.gateway.message(messageRecord({ id: "t-000001.reply", role: "assistant", text: "In the north.", used: 2 }));
    const asked = () => pages.gateway.requests.filter((path) => path.endsWith("/used"));
    const summary = page.locator(".used summary", { hasText: count });
    await summary.waitFor();
    expect(asked()).toEqual([]);
    await summary.focus();
    await page.keyboard.press("Enter");
    await page.locator(".used li", { hasText: "Prefers" }).getByText(always).waitFor();
    await page.locator(".used li", { hasText: hostile }).getByText(changed).waitFor();
    expect(asked()).toHaveLength(1);
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
    expect(violations.map(({ id }) => id)).toEqual([]);
    expect(mishaps).toEqual([]);
  });
});
