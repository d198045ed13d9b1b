/** Promises of code in the conversation. */

import { readFile } from "node:fs/promises";
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
    await expect.poll(() => page.locator("pre").last().innerText()).toContain("plain <b>");
    await page.getByRole("button", { name: "Copy" }).first().click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      "const a = '<img src=x onerror=alert(1)>';\n",
    );
    expect(mishaps).toEqual([]);
  });

  test("says its language, and is copied, wrapped and saved by the keyboard alone, under a name of its language", async () => {
    const { page, mishaps } = await openPage({ permissions: ["clipboard-read", "clipboard-write"] });
    const source = `print("${"long ".repeat(200)}")\n`;
    const text = `\`\`\`python\n${source}\`\`\`\n\n\`\`\`\nplain\n\`\`\``;
    pages.gateway.message(messageRecord({ id: "t-000001.reply", role: "assistant", text }));
    const block = page.locator(".code-block").first();
    await block.getByText("python", { exact: true }).waitFor();
    for (const name of ["Wrap lines", "Download", "Copy"]) {
      const button = block.getByRole("button", { name });
      expect(await button.evaluate((one) => getComputedStyle(one).opacity)).toBe("1");
    }
    const pre = block.locator("pre");
    const overflows = () => pre.evaluate((one) => one.scrollWidth > one.clientWidth);
    expect(await overflows()).toBe(true);
    await block.getByRole("button", { name: "Wrap lines" }).focus();
    await page.keyboard.press("Enter");
    await block.getByRole("button", { name: "Wrap lines", pressed: true }).waitFor();
    expect(await overflows()).toBe(false);
    await page.keyboard.press("Tab");
    const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")]);
    expect(download.suggestedFilename()).toBe("code.py");
    expect(await readFile(await download.path(), "utf8")).toBe(source);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await block.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(source);
    const plain = page.locator(".code-block").last();
    const [other] = await Promise.all([
      page.waitForEvent("download"),
      plain.getByRole("button", { name: "Download" }).click(),
    ]);
    expect(other.suggestedFilename()).toBe("code.txt");
    expect(mishaps).toEqual([]);
  });

  test("has its buttons in Chinese, too", async () => {
    const { page } = await openPage({ locale: "zh-CN" });
    pages.gateway.message(messageRecord({ id: "t-000001.reply", role: "assistant", text: "```sh\nls\n```" }));
    const buttons = page.locator(".code-block").getByRole("button");
    await buttons.first().waitFor();
    await expect.poll(() => buttons.allInnerTexts()).toEqual(["自动换行", "下载", "复制"]);
  });
});
