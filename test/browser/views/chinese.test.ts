/** A reader of Chinese finds no English sentence: not in a view, and not in what the real processes say when something fails. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { englishIn } from "../../support/english-in.ts";
import { freePort } from "../../support/free-port.ts";
import { Instance } from "../../support/instance.ts";
import { openInstance } from "../support/open-instance.ts";
import { BROWSER_MS_MAX, hasChromium, usePages } from "../support/use-pages.ts";
import { VIEWS } from "../support/view-list.ts";
import { openView } from "../support/views.ts";

/** Names, and what stands in a field as it is typed. */
const NAMES = ["Google Gemini", "LM Studio", "Azure OpenAI", "Together AI", "Debian, Ubuntu"];

/** A busy machine takes its time to answer. */
const SLOW = { timeout: 20_000 };

describe.runIf(hasChromium)("the page in Chinese", { timeout: 3 * BROWSER_MS_MAX }, () => {
  const pages = usePages();

  /** An instance whose model cannot be reached, whose stand-in lacks a key, and whose settings file has a mistake. */
  async function opened(): Promise<{ mimikit: Instance; page: Page }> {
    const mimikit = await Instance.start({
      env: {
        MIMIKIT_PROVIDER: "openai",
        MIMIKIT_MODEL: "scripted",
        MIMIKIT_FALLBACK: "mistral",
        OPENAI_BASE_URL: `http://127.0.0.1:${await freePort()}/v1`,
      },
    });
    pages.atEnd(() => mimikit.dispose());
    await mimikit.ready();
    writeFileSync(join(mimikit.home, "config.yaml"), "timeoutSec:\n  worker: 0\n");
    return { mimikit, page: await openInstance(pages, mimikit, { locale: "zh-CN", timezoneId: "Asia/Shanghai" }) };
  }

  const english = async (page: Page) => englishIn(await page.locator("body").innerText(), NAMES);

  test("has no English sentence in any view of an instance where much is wrong", async () => {
    const { page } = await opened();
    await page.getByLabel("消息", { exact: true }).fill("你好");
    await page.getByLabel("消息", { exact: true }).press("Enter");
    await page.getByText("现在无法回答").first().waitFor();
    const problems = page.locator("#problems");
    await page.locator(".problems-button").click();
    for (const said of ["现在用的是上一份正确的文件", "无法连接负责对话的服务商", "备用“mistral”缺少模型"])
      await problems.getByText(said).first().waitFor();
    const found: Record<string, string[]> = { conversation: await english(page) };
    await page.keyboard.press("Escape");
    // The description of a skill comes from its own file, and the audit log shows records as they are.
    for (const address of VIEWS.filter((one) => one !== "skills" && one !== "audit")) {
      await openView(page, address);
      await expect.poll(() => page.getByText(/^正在(查看|打开)…$/).count(), SLOW).toBe(0);
      found[address] = await english(page);
    }
    expect(Object.entries(found).filter(([, sentences]) => sentences.length > 0)).toEqual([]);
  });

  test("says in Chinese why the gateway refuses: a cron, a setting, a file, a connection, an id", async () => {
    const { page } = await opened();
    const told: string[] = [];
    const tell = async (said: ReturnType<Page["locator"]>) => {
      await said.first().waitFor();
      told.push(await said.first().innerText());
    };

    await openView(page, "triggers/new");
    await page.getByLabel("要做什么？").fill("喝水");
    await page.getByRole("combobox", { name: "什么时候" }).selectOption("按 cron 表达式");
    await page.getByLabel(/^表达式/).fill("0 61 9 * * *");
    await tell(page.locator('.upcoming[data-problem="true"]', { hasText: "不是 cron" }));

    // A pattern that is refused means no time.
    expect(told[0]).not.toContain("每天");

    await openView(page, "settings/budget");
    const day = page.getByLabel("budget.day.costUsd", { exact: true });
    await day.fill("0");
    await day.press("Enter");
    await tell(page.locator('[data-setting="budget.day.costUsd"]').getByRole("alert"));

    await openView(page, "tasks/t-000099.0");
    await tell(page.getByText("没有这个任务"));

    await page.evaluate(() => {
      location.hash = "";
    });
    const file = { name: "empty.bin", mimeType: "application/octet-stream", buffer: Buffer.alloc(0) };
    await page.locator('input[type="file"]').setInputFiles(file);
    await tell(page.locator(".file .refused", { hasText: "空的" }));

    expect(told.flatMap((text) => englishIn(text, NAMES))).toEqual([]);
    expect(told.join("\n")).toMatch(/分钟不能是 61[\s\S]*应大于 0[\s\S]*没有这个任务[\s\S]*空的/);
  });
});
