/** No message is lost to its reader: neither behind a new beginning, nor in a saved file. */
import { readFile } from "node:fs/promises";
import type { ChatMessage } from "@mimikit/protocol/wire/api";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { Instance } from "../support/instance.ts";
import { openInstance } from "./support/open-instance.ts";
import { BROWSER_MS_MAX, hasChromium, usePages } from "./support/use-pages.ts";
import { field, openView } from "./support/views.ts";

const FACT = "the beds are watered on Thursdays";

describe.runIf(hasChromium)("a new conversation", { timeout: 2 * BROWSER_MS_MAX }, () => {
  const pages = usePages();

  async function say(page: Page, text: string): Promise<void> {
    await field(page).fill(text);
    await field(page).press("Enter");
    await page.locator(".message[data-role=user]", { hasText: text }).getByText("Answered", { exact: true }).waitFor();
  }

  /** A real instance in which something was said, and then a conversation started over by the button below the field. */
  async function begunAnew(): Promise<{ mimikit: Instance; page: Page }> {
    const mimikit = await Instance.start();
    pages.atEnd(() => mimikit.dispose());
    const page = await openInstance(pages, mimikit);
    await say(page, `remember that ${FACT}`);
    await page.getByRole("button", { name: "New conversation" }).click();
    await page.locator(".beginning", { hasText: "New conversation" }).waitFor();
    return { mimikit, page };
  }

  /** The file that a button of the search saves. */
  async function saved(page: Page, button: string, name: string): Promise<string> {
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: button }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe(name);
    return readFile(await file.path(), "utf8");
  }

  test("begins by the button below the message field: what was said is folded, found and opened; memory stays", async () => {
    const { mimikit, page } = await begunAnew();
    expect(await page.locator(".message").count()).toBe(0);
    // There is nothing to start over now.
    expect(await page.getByRole("button", { name: "New conversation" }).count()).toBe(0);
    await page.getByRole("button", { name: /^Show the earlier conversation/ }).click();
    await page.locator(".message[data-role=user]", { hasText: FACT }).waitFor();

    await openView(page, "memory/memory.md");
    await page.locator('[data-file="memory.md"] li', { hasText: FACT }).waitFor();
    await openView(page, "search/watered");
    await page.locator(".hit[data-role=user]", { hasText: FACT }).waitFor();
    expect((await mimikit.messages()).map(({ text }) => text)).toContain(`remember that ${FACT}`);
  });

  test("is saved together with what was before it, as Markdown and as JSON", async () => {
    const { mimikit, page } = await begunAnew();
    await say(page, "and what now?");
    const said = await mimikit.messages();
    expect(said.length).toBeGreaterThanOrEqual(5);

    await openView(page, "search");
    const told = await saved(page, "Save the whole conversation (Markdown)", "mimikit-conversation.md");
    const places = said.map(({ text }) => told.indexOf(text));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    const all = await saved(page, "Save it with all details (JSON)", "mimikit-conversation.json");
    const { messages } = JSON.parse(all) as { messages: ChatMessage[] };
    expect(messages.map(({ id, text }) => ({ id, text }))).toEqual(said.map(({ id, text }) => ({ id, text })));
  });
});
