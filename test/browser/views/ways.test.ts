/** Promises of the ways between the conversation and the views. */

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { questionRecord } from "../support/records.ts";
import { entriesOf, laterScripts, scriptsOf } from "../support/scripts.ts";
import { BROWSER_MS_MAX, connected, hasChromium, usePages } from "../support/use-pages.ts";
import { VIEWS } from "../support/view-list.ts";
import { field, fill, openView, view } from "../support/views.ts";

/** Of what is loaded before the first thing is drawn, compressed: 1 KB of it for messages of any age, cancellations that can be undone, and drafts that stay when storage is full. */
const SCRIPT_BYTES_MAX = 61 * 1024;
/** The names of the view scripts, without their hashes. */
const VIEW_SCRIPTS = VIEWS.map((name) => (name === "tasks" ? "board" : name));
const TITLES = [
  "Search",
  "Task board",
  "Schedules",
  "Backlog",
  "Memory",
  "Skills",
  "Improvements",
  "Recent changes",
  "Usage",
  "Audit log",
  "Settings",
  "Keyboard shortcuts",
];

describe.runIf(hasChromium)("finding one's way", { timeout: BROWSER_MS_MAX }, () => {
  const pages = usePages();
  const { newPage, openPage } = pages;

  test("Ctrl+K finds every view and action by name, with the keyboard alone", async () => {
    fill(pages.gateway);
    const { page, mishaps } = await openPage();
    await page.keyboard.press("Control+k");
    const options = page.getByRole("option");
    await options.first().waitFor();
    expect((await options.locator(".name").allInnerTexts()).slice(0, TITLES.length)).toEqual(TITLES);
    await page.keyboard.type("audit");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Audit log" }).waitFor();
    expect(page.url()).toBe(`${pages.gateway.origin}/#/audit`);

    await page.keyboard.press("Control+k");
    await page.keyboard.type("seco");
    await options.filter({ hasText: "Second" }).waitFor();
    await page.keyboard.press("Enter");
    await page.locator('[data-story="t-000001.0.1"]').waitFor();

    await page.keyboard.press("Control+k");
    await page.keyboard.type("roses");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Search" }).waitFor();
    await expect.poll(() => page.getByLabel("Search for").inputValue()).toBe("roses");
    expect(mishaps).toEqual([]);
  });

  test("what is typed before the palette knows what there is goes nowhere else, and is found then", async () => {
    const { page } = await openPage();
    await field(page).fill("half a thou");
    const { promise: release, resolve } = Promise.withResolvers<void>();
    await page.route("**/assets/palette-entries-*.js", async (route) => {
      await release;
      await route.continue();
    });
    await page.keyboard.press("Control+k");
    await page.keyboard.type("usage");
    await page.keyboard.press("Enter");
    resolve();
    await page.getByRole("heading", { name: "Usage" }).waitFor();
    await expect.poll(() => field(page).inputValue()).toBe("half a thou");
    expect(pages.gateway.received.filter(({ frame }) => frame.type === "input")).toEqual([]);
  });

  test("Enter in a palette that has just opened ends nothing, whatever runs", async () => {
    fill(pages.gateway);
    const { page } = await openPage();
    pages.gateway.pass({ type: "delta", taskId: "t-000002", text: "Half of" });
    await page.getByRole("button", { name: "Stop" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").press("Enter");
    await page.getByRole("heading", { name: "Search" }).waitFor();
    expect(pages.gateway.received.filter(({ frame }) => frame.type === "stop")).toEqual([]);
  });

  test("a draft is still there after a view, Escape leads back to it, and so does the browser's way back", async () => {
    const { page } = await openPage();
    await field(page).fill("half a thou");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("usage");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Usage" }).waitFor();
    expect(await field(page).evaluate((element) => element.closest("[inert]") !== null)).toBe(true);
    await page.keyboard.press("Escape");
    await view(page).waitFor({ state: "detached" });
    expect(page.url()).toBe(`${pages.gateway.origin}/`);
    await expect.poll(() => field(page).inputValue()).toBe("half a thou");
    await expect.poll(() => field(page).evaluate((element) => element === document.activeElement)).toBe(true);
    await page.goBack();
    await page.getByRole("heading", { name: "Usage" }).waitFor();
    await page.goBack();
    await view(page).waitFor({ state: "detached" });
  });

  test("a reload stays in the view, and a question that is asked meanwhile is seen there", async () => {
    const { page } = await openPage();
    await openView(page, "settings");
    await page.reload();
    await page.getByRole("heading", { name: "Settings", exact: true }).waitFor();
    pages.gateway.question(questionRecord({ id: "t-000001.0", question: "Which colour?" }));
    await page.getByRole("button", { name: "1 open question" }).click();
    await page.getByRole("article").getByText("Which colour?").waitFor();
    expect(await view(page).count()).toBe(0);
  });

  test("what is loaded first stays small, and is no view", async () => {
    const first = await scriptsOf(pages.dist, await entriesOf(pages.dist));
    const sizes = await Promise.all(
      [...first].map(async (name) => gzipSync(await readFile(join(pages.dist, "assets", name))).length),
    );
    expect(sizes.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(SCRIPT_BYTES_MAX);
    const views = await laterScripts(pages.dist, first, VIEW_SCRIPTS);
    expect(views.filter((name) => first.has(name))).toEqual([]);
  });

  test("views are loaded before anybody opens them, so they open while the gateway is away", async () => {
    const { page } = await newPage();
    const loaded = new Set<string>();
    page.on("requestfinished", (request) => loaded.add(request.url().split("/assets/")[1] ?? ""));
    await page.goto(pages.gateway.pairingAddress());
    await connected(page);
    const first = await scriptsOf(pages.dist, await entriesOf(pages.dist));
    const needed = await scriptsOf(pages.dist, await laterScripts(pages.dist, first, VIEW_SCRIPTS));
    await expect.poll(() => [...needed].filter((name) => !loaded.has(name))).toEqual([]);
    await pages.gateway.stop();
    for (const [section, title] of [
      ["Skills", "Skills"],
      ["Memory", "Memory"],
    ] as const) {
      await page.getByRole("link", { name: section, exact: true }).click();
      await page.getByRole("heading", { name: title, level: 2 }).waitFor();
      await page.locator(".view-body > :not(.view-wait)").first().waitFor();
    }
    await page.getByRole("button", { name: "Back to the conversation" }).click();
    await view(page).waitFor({ state: "detached" });
  });

  test("a part that cannot be loaded says so, in a view that Escape and Back leave, and the rest goes on", async () => {
    const { page } = await newPage();
    await page.route("**/assets/usage-*.js", (route) => route.abort());
    await page.goto(pages.gateway.pairingAddress());
    await connected(page);
    for (const leave of [
      () => page.keyboard.press("Escape"),
      () => page.getByRole("button", { name: "Back to the conversation" }).click(),
    ]) {
      await page.evaluate(() => {
        location.hash = "#/usage";
      });
      await page.getByRole("alert").filter({ hasText: "could not be loaded" }).waitFor();
      await page.getByRole("heading", { name: "Usage" }).waitFor();
      await leave();
      await view(page).waitFor({ state: "detached" });
    }
    await field(page).fill("still here");
  });

  test("? shows the keys, but in a field it is a letter like any other", async () => {
    const { page } = await openPage();
    await field(page).press("?");
    await expect.poll(() => field(page).inputValue()).toBe("?");
    await page.getByRole("button", { name: "Search or do something" }).focus();
    await page.keyboard.press("?");
    await page.getByRole("heading", { name: "Keyboard shortcuts" }).waitFor();
    await view(page).getByText("finds every view, action and task").waitFor();
    await page.keyboard.press("Escape");
    await view(page).waitFor({ state: "detached" });
    await page.keyboard.press("Control+k");
    await page.keyboard.type("keyboard");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Keyboard shortcuts" }).waitFor();
  });

  test("the page can be installed: its manifest names icons that are there", async () => {
    const manifest = JSON.parse(await readFile(join(pages.dist, "manifest.webmanifest"), "utf8")) as {
      icons: { src: string }[];
    };
    const files = await readdir(pages.dist);
    expect(manifest.icons.filter(({ src }) => !files.includes(src))).toEqual([]);
    const { page } = await openPage();
    const href = await page.locator('link[rel="manifest"]').evaluate((link) => (link as HTMLLinkElement).href);
    expect(new URL(href).pathname).toMatch(/^\/(assets\/)?manifest.*\.webmanifest$/);
  });
});
