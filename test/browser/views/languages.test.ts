/** A browser loads what the page says in one language. */
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { STOP_WORDS } from "@mimikit/memory/text/stop-words";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { BROWSER_MS_MAX, hasChromium, usePages } from "../support/use-pages.ts";
import { VIEWS } from "../support/view-list.ts";
import { fill, openView } from "../support/views.ts";

const ENGLISH = join(import.meta.dirname, "../../../apps/web/src/i18n/en");
/** The name of the language itself, which is the same in all. */
const OWN_NAME = "中文";
/** Of so many words no name or command is made, only what is said to people. */
const SENTENCE = /(?:\S+ ){3}/;

describe.runIf(hasChromium)("the language of the page", { timeout: 2 * BROWSER_MS_MAX }, () => {
  const pages = usePages();

  /** All that a browser loads of the page when every part of it is shown. */
  async function scriptsOf(locale: string): Promise<string> {
    fill(pages.gateway);
    pages.gateway.requests.length = 0;
    const { page } = await pages.openPage({ locale });
    for (const view of [...VIEWS, "triggers/new", "settings/budget", "settings/connect", "tasks/t-000001.0"])
      await openView(page, view);
    await openParts(page);
    const paths = new Set(pages.gateway.requests.filter((path) => path.endsWith(".js")));
    const texts = await Promise.all([...paths].map((path) => readFile(join(pages.dist, path), "utf8")));
    return texts.join("\n");
  }

  async function openParts(page: Page): Promise<void> {
    await page.locator("[data-provider]").click();
    await page.locator(".overview > *").first().waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await page.getByRole("option").first().waitFor();
    await page.waitForLoadState("networkidle");
  }

  test("an English browser downloads no Chinese", async () => {
    const han = [...(await scriptsOf("en-US")).matchAll(/\p{Script=Han}+/gu)].map(([word]) => word);
    // Memory is searched in both languages, whatever the page speaks.
    expect(han.filter((word) => word !== OWN_NAME && !STOP_WORDS.has(word))).toEqual([]);
    expect(han).toContain(OWN_NAME);
  });

  test("a Chinese browser downloads no English that the page says", async () => {
    const sentences = await englishSentences();
    const scripts = await scriptsOf("zh-CN");
    expect(sentences.filter((text) => scripts.includes(text))).toEqual([]);
    expect(scripts).toMatch(/\p{Script=Han}{10}/u);
    const english = await scriptsOf("en-US");
    expect(sentences.filter((text) => english.includes(text)).length).toBeGreaterThan(sentences.length / 2);
  });
});

async function englishSentences(): Promise<string[]> {
  const modules = await Promise.all(readdirSync(ENGLISH).map((name) => import(join(ENGLISH, name))));
  return modules.flatMap(textsOf).filter((text) => SENTENCE.test(text));
}

function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}
