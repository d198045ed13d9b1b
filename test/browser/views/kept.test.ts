/** Promises of the views of the backlog, of memory, of skills and of improvements. */
import type { BacklogEntry, MemoryFiles } from "@mimikit/protocol/wire/api";
import { describe, expect, test } from "vitest";
import { Instance } from "../../support/instance.ts";
import { openInstance } from "../support/open-instance.ts";
import { changeRecord, improvementRecord } from "../support/records.ts";
import { BROWSER_MS_MAX, hasChromium, usePages } from "../support/use-pages.ts";
import { field, fill, openView, view } from "../support/views.ts";

describe.runIf(hasChromium)("what is kept", { timeout: BROWSER_MS_MAX }, () => {
  const pages = usePages();
  const { openPage } = pages;

  test("an item is added to the backlog, ticked off and removed by the keyboard alone", async () => {
    let items: BacklogEntry[] = [{ number: 1, item: "read <b>it</b>", done: false }];
    // Commands are carried out, as the supervisor does it.
    pages.gateway.answers.set("/api/backlog", () => {
      for (const { body } of pages.gateway.wanted.splice(0)) {
        const { op, item } = body as { op: string; item: string };
        if (op === "add") items = [...items, { number: items.length + 1, item, done: false }];
        if (op === "done") items = items.map((one) => (one.item === item ? { ...one, done: true } : one));
        if (op === "remove") items = items.filter((one) => one.item !== item);
      }
      return { items };
    });
    const { page, mishaps } = await openPage();
    await openView(page, "backlog");
    await page.locator(".item", { hasText: "read <b>it</b>" }).waitFor();
    await page.keyboard.type("buy compost");
    await page.keyboard.press("Enter");
    const bought = page.getByRole("checkbox", { name: "buy compost" });
    await bought.waitFor();
    await expect.poll(() => page.getByLabel("Add something for later").inputValue()).toBe("");
    await bought.focus();
    await page.keyboard.press("Space");
    await page.locator('.item[data-done="true"]', { hasText: "buy compost" }).waitFor();
    expect(await bought.isChecked()).toBe(true);
    // A row that is gone hands the focus on to the one that has come into its place, or to the last that is left.
    const hasFocus = (name: string) => page.locator(`button[aria-label="${name}"]:focus`).waitFor();
    await hasFocus("Remove buy compost");
    await page.getByRole("button", { name: "Remove read <b>it</b>" }).focus();
    await page.keyboard.press("Enter");
    await page.locator(".item", { hasText: "read" }).waitFor({ state: "detached" });
    expect(items).toEqual([{ number: 2, item: "buy compost", done: true }]);
    await hasFocus("Remove buy compost");
    await page.keyboard.press("Enter");
    await page.getByLabel("Add something for later").and(page.locator(":focus")).waitFor();
    expect(items).toEqual([]);
    expect(mishaps).toEqual([]);
  });

  test("a refused item is told, and what was typed is still there", async () => {
    const { page } = await openPage();
    await openView(page, "backlog");
    await page.getByText("Say “put … on my backlog”").waitFor();
    await page.route("**/api/backlog", (route) => {
      if (route.request().method() !== "POST") return route.continue();
      return route.fulfill({ status: 507, json: { error: { code: "disk_full", message: "the disk is full" } } });
    });
    await page.keyboard.type("buy compost");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").filter({ hasText: "the disk is full" }).waitFor();
    await expect.poll(() => page.getByLabel("Add something for later").inputValue()).toBe("buy compost");
  });

  test("what is typed while an item is being added stays, and so does what is removed of two that read alike", async () => {
    const items: BacklogEntry[] = [
      { number: 1, item: "buy milk", done: true },
      { number: 2, item: "buy milk", done: false },
    ];
    pages.gateway.answers.set("/api/backlog", { items });
    const { page } = await openPage();
    await openView(page, "backlog");
    await page.locator(".item").nth(1).waitFor();
    const release = Promise.withResolvers<void>();
    await page.route("**/api/backlog", async (route) => {
      if (route.request().method() === "POST") await release.promise;
      await route.continue();
    });
    await page.keyboard.type("buy compost");
    await page.keyboard.press("Enter");
    await page.keyboard.type("mend the fence");
    release.resolve();
    await expect.poll(() => pages.gateway.wanted.length).toBe(1);
    await page.getByRole("alert").filter({ hasText: "done in a moment" }).waitFor();
    await expect.poll(() => page.getByLabel("Add something for later").inputValue()).toBe("mend the fence");
    await page.getByRole("button", { name: "Remove buy milk" }).first().click();
    await expect.poll(() => pages.gateway.wanted.at(-1)?.body).toEqual({ op: "remove", item: "1" });
  });

  test.each([
    ["permanently", { content: "I like pnpm", longTerm: true }],
    ["in today’s note", { content: "I like pnpm", longTerm: false }],
    ["about me", { content: "I like pnpm", longTerm: false, target: "profile" }],
    ["about Mimikit", { content: "I like pnpm", longTerm: false, target: "persona" }],
  ])("what is to be remembered goes where it was said: %s", async (place, body) => {
    fill(pages.gateway);
    const { page } = await openPage();
    await openView(page, "memory");
    await page.locator('[data-change="c-1"]').waitFor();
    await page.getByLabel("Something to remember").fill("I like pnpm");
    await page.getByLabel("Where to keep it").selectOption(place);
    await page.getByRole("button", { name: "Remember", exact: true }).click();
    await expect.poll(() => pages.gateway.wanted).toEqual([{ method: "POST", path: "/api/memory", body }]);
    pages.gateway.changes = [changeRecord({ id: "c-9", title: "I like pnpm" }), ...pages.gateway.changes];
    await page.locator('[data-change="c-9"]', { hasText: "I like pnpm" }).waitFor();
    await expect.poll(() => page.getByLabel("Something to remember").inputValue()).toBe("");
  });

  test("memory says how much is where, and leads to the search", async () => {
    fill(pages.gateway);
    const { page, mishaps } = await openPage();
    await openView(page, "memory");
    await page.locator('[data-source="memory/"]', { hasText: "12 files · 40 KB" }).waitFor();
    // A change of the backlog is none of memory.
    expect(await page.locator("[data-change]").count()).toBe(1);
    await page.getByLabel("Search memory and conversations").fill("beds");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Search" }).waitFor();
    await expect.poll(() => page.getByLabel("Search for", { exact: true }).inputValue()).toBe("beds");
    expect(mishaps).toEqual([]);
  });

  test("a file of memory is read as the Markdown that it is, and what somebody else wrote into it does nothing", async () => {
    fill(pages.gateway);
    const text =
      "# Beds\n\n- in the **north** <!-- t-1.0 -->\n- <img src=x onerror=alert(1)>\n<!-- t-1.1 --> <!-- t-1.2 -->\n";
    const { files } = pages.gateway.answers.get("/api/memory/files") as MemoryFiles;
    pages.gateway.answers.set("/api/memory/file", ({ name }: { name?: string }) => ({ ...files[0], name, text }));
    const { page, mishaps } = await openPage();
    await openView(page, "memory");
    const notes = page.locator('[data-source="memory/"]');
    await notes.locator("summary").focus();
    await page.keyboard.press("Enter");
    await notes.getByRole("link").first().waitFor();
    await expect.poll(() => notes.getByRole("link").allInnerTexts()).toEqual(["memory/2026-11-20-the-beds.md"]);
    await notes.getByRole("link").click();
    const file = page.locator('[data-file="memory/2026-11-20-the-beds.md"]');
    await file.getByRole("heading", { name: "Beds", exact: true }).waitFor();
    await expect
      .poll(() => file.locator("li").allInnerTexts())
      .toEqual(["in the north", "<img src=x onerror=alert(1)>"]);
    expect(await file.locator("img").count()).toBe(0);
    // The link is gone with the list, so the reader is led to the beginning of what came.
    await page.locator("#view-title:focus").waitFor();
    await file.getByRole("link", { name: "All of memory" }).click();
    await notes.waitFor();
    expect(mishaps).toEqual([]);
  });

  test("a file of memory that is gone says so, and the way back is there", async () => {
    fill(pages.gateway);
    pages.gateway.answers.delete("/api/memory/file");
    const { page } = await openPage();
    await openView(page, "memory/memory.md");
    await page.getByText("It no longer exists").waitFor();
    await page.getByRole("link", { name: "All of memory" }).click();
    await page.locator('[data-source="memory/"]').waitFor();
  });

  test("an entry of memory leads to where it was said, is changed, forgotten, and taken back", async () => {
    const mimikit = await Instance.start();
    pages.atEnd(() => mimikit.dispose());
    const page = await openInstance(pages, mimikit);
    await field(page).fill("remember that the beds are in the north");
    await field(page).press("Enter");
    await page.locator(".message[data-id$='.reply']").waitFor();
    await openView(page, "memory/memory.md");
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    const entries = page.locator(".entries > li");
    await entries.filter({ hasText: "the beds are in the north" }).waitFor();
    await page.getByRole("button", { name: /^Change .*the north/ }).click();
    await page.getByLabel("Remembered text").fill("the beds are in the south");
    await page.getByRole("button", { name: "Save" }).click();
    await entries.filter({ hasText: "the south" }).getByText("changed since by you").waitFor();
    await page.getByRole("button", { name: /^Forget .*the south/ }).click();
    await entries.filter({ hasText: "the south" }).waitFor({ state: "detached" });

    await page.getByRole("link", { name: "Activity" }).click();
    await page.locator(".change", { hasText: "forgotten" }).getByRole("button", { name: /^Undo/ }).click();
    await page.locator(".change", { hasText: "forgotten" }).getByText("undone").waitFor();
    await openView(page, "memory/memory.md");
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await entries.filter({ hasText: "the south" }).getByRole("button", { name: "from the conversation" }).click();
    await view(page).waitFor({ state: "detached" });
    await page.locator(".message.pointed-out").waitFor();
  });

  test("skills are listed with what they may do, and folders that are none with the reason", async () => {
    fill(pages.gateway);
    const { page } = await openPage();
    await openView(page, "skills");
    const skill = page.locator('[data-skill="release-notes"]');
    await skill.getByText("writes files here").waitFor();
    await skill.getByText("comes with Mimikit").waitFor();
    await page.getByText("its name is not that of its folder").waitFor();
  });

  test("an improvement says why, what the review and the checks say, what it has cost, and shows its diff as text", async () => {
    const diff = "@@ -1 +1 @@\n-old <img src=x onerror=alert(1)>\n+new\n";
    const { change } = improvementRecord({ number: 12 });
    if (change === undefined) throw new Error("the record has a change");
    pages.gateway.answers.set("/api/improvements", {
      improvements: [
        improvementRecord({ number: 12, change: { ...change, diff } }),
        improvementRecord({ number: 11, state: "failed", error: "the checks could not be started" }),
      ],
    });
    const { page, mishaps } = await openPage();
    await openView(page, "improvements");
    const row = page.locator('[data-improvement="imp-000012"]');
    await row.getByText("waits on its branch").waitFor();
    const said = await row.innerText();
    for (const words of ["since October", "The command is there", "npm test exit code 0", "41,900 tokens", "$0.12"])
      expect(said).toContain(words);
    await row.getByText("Diff of 1 file").click();
    await expect.poll(() => row.locator('[data-line="added"]').innerText()).toContain("+new");
    await expect.poll(() => row.locator('[data-line="removed"]').innerText()).toContain("<img src=x");
    expect(await row.locator("img").count()).toBe(0);
    await page.locator('[data-improvement="imp-000011"]', { hasText: "the checks could not be started" }).waitFor();
    expect(mishaps).toEqual([]);
  });

  test("where nothing is kept yet, each view says what to say", async () => {
    const { page } = await openPage();
    for (const [address, words] of [
      ["backlog", "what is on my backlog?"],
      ["memory", "remember that …"],
      ["skills", "review this repository"],
      ["improvements", "mimikit improve now"],
    ] as const) {
      await openView(page, address);
      await view(page).getByText(words).waitFor();
    }
  });
});
