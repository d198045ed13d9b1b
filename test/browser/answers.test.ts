/** Promises of a shown reply: it stays as it is while the rest is written, and shows what was meant. */

import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { messageRecord, taskRecord } from "./support/records.ts";
import { BROWSER_MS_MAX, hasChromium, usePages } from "./support/use-pages.ts";

/** Diagrams come with megabytes of script. */
const DRAWN = { timeout: BROWSER_MS_MAX };

describe.runIf(hasChromium)("a reply that is being written", { timeout: BROWSER_MS_MAX }, () => {
  const pages = usePages();
  const { openPage } = pages;
  const taskId = "t-000042";
  const say = (text: string) => pages.gateway.pass({ type: "delta", taskId, text });

  /** Selects a text as a reader does, and counts from then on what changes in the block around it. */
  const select = (page: Page, selector: string) =>
    page.locator(selector).evaluate((element) => {
      const text = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode();
      if (text === null) throw new Error("there is no text");
      const range = document.createRange();
      range.setStart(text, 0);
      range.setEnd(text, 5);
      getSelection()?.removeAllRanges();
      getSelection()?.addRange(range);
      Object.assign(window, { changes: 0, kept: element });
      const count = (records: MutationRecord[]) => Object.assign(window, { changes: changes() + records.length });
      const changes = () => (window as unknown as { changes: number }).changes;
      new MutationObserver(count).observe(element, {
        subtree: true,
        childList: true,
        characterData: true,
        attributes: true,
      });
    });
  const selected = (page: Page) =>
    page.evaluate(() => {
      const { changes, kept } = window as unknown as { changes: number; kept: Element };
      return { text: String(getSelection()), changes, isThere: kept.isConnected };
    });

  test("leaves its finished blocks alone: what is selected there stays so, also when the reply is over", async () => {
    const { page, mishaps } = await openPage();
    const beginning = "First *paragraph* of it.\n\n```ts\nconst a = 1;\n```\n\n";
    say(`${beginning}- one`);
    await page.locator(".forming .hljs-keyword").waitFor();
    await select(page, ".forming p >> nth=0");
    const rest = ["\n- two", " and more", "\n\nLast", " paragraph"];
    for (const piece of rest) say(piece);
    await page.locator(".forming", { hasText: "Last paragraph" }).waitFor();
    expect(await selected(page)).toEqual({ text: "First", changes: 0, isThere: true });
    const text = `${beginning}- one${rest.join("")}.`;
    pages.gateway.message(messageRecord({ id: `${taskId}.reply`, role: "assistant", text }));
    await page.locator(".message:not(.forming)", { hasText: "Last paragraph." }).waitFor();
    expect(await selected(page)).toEqual({ text: "First", changes: 0, isThere: true });
    expect(mishaps).toEqual([]);
  });

  test("leaves alone what of a list or of code was written already, too", async () => {
    const { page } = await openPage();
    say("- first entry\n- second");
    await page.locator(".forming li >> nth=1").waitFor();
    await select(page, ".forming li >> nth=0");
    for (const piece of [" entry", "\n- third", " entry"]) say(piece);
    await page.locator(".forming li", { hasText: "third entry" }).waitFor();
    expect(await selected(page)).toEqual({ text: "first", changes: 0, isThere: true });
    say("\n\n```ts\nconst line = 1;\n");
    await page.locator(".forming code").waitFor();
    await select(page, ".forming code");
    for (const piece of ["const second = 2;\n", "const third = 3;\n"]) say(piece);
    await page.locator(".forming code", { hasText: "third" }).waitFor();
    expect(await selected(page)).toMatchObject({ text: "const", isThere: true });
  });
});

describe.runIf(hasChromium)("a formula in a reply", { timeout: BROWSER_MS_MAX }, () => {
  const pages = usePages();
  const { openPage } = pages;
  const reply = (text: string, id = "t-000001.reply") =>
    pages.gateway.message(messageRecord({ id, role: "assistant", text }));

  test("is drawn once it is written, in a line and apart, with what draws it loaded only then", async () => {
    const { page, mishaps } = await openPage();
    pages.gateway.message(messageRecord({ id: "m-1", role: "user", text: "$x^2$" }));
    reply("It costs $5 or $6, `$HOME` and $HOME:$PATH.", "t-000009.reply");
    await page.locator(".message", { hasText: "or $6" }).waitFor();
    expect(pages.gateway.requests.filter((path) => /formulas|KaTeX/.test(path))).toEqual([]);
    expect(await page.locator("code[class^=math]").count()).toBe(0);
    const taskId = "t-000001";
    pages.gateway.pass({ type: "delta", taskId, text: "Inline $e^{i\\pi}" });
    await page.locator(".forming", { hasText: "Inline" }).waitFor();
    pages.gateway.pass({ type: "delta", taskId, text: "$ and \\(a_1\\).\n\n$$\n\\frac{a}{b}\n$$\n\nAnd so" });
    await page.locator(".forming span.math-display mfrac").waitFor({ state: "attached" });
    expect(await page.locator(".forming span.math-inline").count()).toBe(2);
    reply("Inline $e^{i\\pi}$ and \\(a_1\\).\n\n\\[\n\\sum_{i=1}^n i\n\\]\n\n| a |\n|---|\n| $b$ |", "t-000001.reply");
    await page.locator("td span.math-inline .katex").waitFor();
    await page.locator("span.math-display .katex").waitFor();
    expect(await page.evaluate(() => document.fonts.check("16px KaTeX_Math"))).toBe(true);
    expect(pages.gateway.requests.filter((path) => /KaTeX.*\.(ttf|woff)$/.test(path))).toEqual([]);
    expect(mishaps).toEqual([]);
  });

  test("that is none, or that defines its own words, is shown as it was written", async () => {
    const { page, mishaps } = await openPage();
    const odd = [
      "$\\frac{a}$",
      "$\\nosuchword$",
      "$$\\def\\a{\\a\\a}\\a$$",
      `$${"{".repeat(1_900)}a${"}".repeat(1_900)}$`,
    ];
    reply(`${odd.join("\n\n")}\n\n$the_{last}$`);
    await page.locator("span.math-inline", { hasText: "last" }).waitFor();
    await expect.poll(() => page.locator("code[class^=math]").allInnerTexts()).toEqual(odd);
    expect(mishaps).toEqual([]);
  });

  test("runs nothing, loads nothing and covers nothing, with the content security policy switched off", async () => {
    const { page, mishaps } = await openPage({ bypassCSP: true });
    const hostile = [
      "\\href{javascript:window.hacked=1}{x}",
      "\\url{http://tracker.example/a}",
      "\\includegraphics{http://tracker.example/pixel.png}",
      "\\htmlData{x=1}{x}\\htmlStyle{position:fixed}{x}\\htmlClass{view}{x}\\htmlId{message}{x}",
      "\\text{<img src=x onerror=window.hacked=1>}",
      '\\class{x" onclick="window.hacked=1}{y}',
      "\\color{red;background:url(http://tracker.example/b)}{x}",
      "\\rule{99999em}{99999em}",
      "\\raisebox{99999em}{x}\\kern{-99999em}x",
      '\\unicode{x3c}\\char"3C script>',
    ];
    reply(hostile.map((tex) => `a $${tex}$ b\n\n$$${tex}$$`).join("\n\n"));
    reply("$the_{last}$", "t-000002.reply");
    await page.locator("span.math-inline", { hasText: "last" }).waitFor();
    const found = await page.evaluate(() => ({
      hacked: "hacked" in window,
      elements: document.querySelectorAll(
        ".messages :is(script, img, iframe, object, style, link, [href], [src], [id], [style*=url], [style*=fixed])",
      ).length,
      handlers: [...document.querySelectorAll(".messages *")].flatMap((element) =>
        element.getAttributeNames().filter((name) => name.startsWith("on") || name.startsWith("data-x")),
      ),
      widest: Math.max(...[...document.querySelectorAll(".markdown")].map((one) => one.scrollWidth)),
    }));
    expect(found).toMatchObject({ hacked: false, elements: 0, handlers: [] });
    expect(found.widest).toBeLessThan(2_000);
    expect(mishaps).toEqual([]);
  });
});

describe.runIf(hasChromium)("a diagram in a reply", { timeout: BROWSER_MS_MAX }, () => {
  const pages = usePages();
  const { openPage } = pages;
  const reply = (text: string, id = "t-000001.reply") =>
    pages.gateway.message(messageRecord({ id, role: "assistant", text }));
  const fenced = (source: string) => `\`\`\`mermaid\n${source}\n\`\`\``;
  const isDrawn = (page: Page, name = "Diagram") =>
    page
      .getByRole("img", { name })
      .last()
      .evaluate((image) => {
        const { complete, naturalWidth, naturalHeight } = image as HTMLImageElement;
        return complete && naturalWidth > 50 && naturalHeight > 50;
      });

  /** Counts what the frame answers from now on, a drawing or none. */
  const answersOfTheFrame = async (page: Page) => {
    const answered = await page.evaluateHandle(() => {
      const ids: number[] = [];
      addEventListener("message", (event) => ids.push(event.data.id));
      return ids;
    });
    return () => answered.evaluate((ids) => ids.length);
  };

  test("is drawn once it is written, its source one button away, with what draws it loaded only then", async () => {
    const { page, mishaps } = await openPage();
    const taskId = "t-000001";
    pages.gateway.pass({ type: "delta", taskId, text: "```mermaid\ngraph TD; A[Sow]-->B" });
    await page.locator(".forming code", { hasText: "Sow" }).waitFor();
    expect(pages.gateway.requests.filter((path) => path.includes("diagrams"))).toEqual([]);
    pages.gateway.pass({ type: "delta", taskId, text: "[Reap];\n```\n\nAnd so" });
    await expect.poll(() => isDrawn(page), DRAWN).toBe(true);
    const block = page.locator(".code-block");
    expect(await block.locator("pre").isVisible()).toBe(false);
    await block.getByRole("button", { name: "Source" }).click();
    await block.locator("pre", { hasText: "A[Sow]-->B[Reap];" }).waitFor();
    expect(await page.locator(".messages iframe").count()).toBe(0);
    expect(mishaps).toEqual([]);
  });

  test("of each kind is drawn, in the colours of the page, and what is none stays as it was written", async () => {
    const { page, mishaps } = await openPage({ colorScheme: "dark" });
    const kinds = [
      "sequenceDiagram\n  Anna->>Bert: Is it ready?\n  Bert-->>Anna: Tomorrow",
      'pie title Time\n  "Work" : 3\n  "Rest" : 5',
      "gantt\n  dateFormat YYYY-MM-DD\n  section Garden\n  Dig :a1, 2026-03-01, 3d\n  Sow :after a1, 2d",
      "stateDiagram-v2\n  [*] --> Idle\n  Idle --> Busy",
      "classDiagram\n  Animal <|-- Duck",
      "erDiagram\n  CUSTOMER ||--o{ ORDER : places",
      "mindmap\n  root((Home))\n    Kitchen\n    Garden",
      'flowchart LR\n  A["a<br>b & c"] --> B{{Café 猫}}',
    ];
    for (const [i, kind] of kinds.entries()) reply(fenced(kind), `t-00010${i}.reply`);
    reply(fenced("graph TD; A[never closed"), "t-000200.reply");
    await expect.poll(() => page.getByRole("img", { name: "Diagram" }).count(), DRAWN).toBe(kinds.length);
    expect(await page.locator("img[data-colours=dark]").count()).toBe(kinds.length);
    for (const drawn of await page.getByRole("img", { name: "Diagram" }).all())
      await expect
        .poll(() => drawn.evaluate((one) => (one as HTMLImageElement).naturalWidth), DRAWN)
        .toBeGreaterThan(50);
    await page.locator(".code-block pre", { hasText: "never closed" }).waitFor();
    expect(mishaps).toEqual([]);
  });

  test("runs nothing and loads nothing, whatever it says", async () => {
    let asked = 0;
    const elsewhere = createServer((_request, response) => {
      asked += 1;
      response.end();
    }).listen(0, "127.0.0.1");
    await once(elsewhere, "listening");
    pages.atEnd(async () => elsewhere.close());
    const tracker = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
    const hostile = [
      `graph TD; A["<img src=${tracker}/a onerror=parent.hacked=1>"]-->B`,
      `graph TD; A-->B; click A "javascript:parent.hacked=1"; click B call alert()`,
      `graph TD; A["<script>parent.hacked=1</script>"]-->B["<iframe src=${tracker}/b></iframe>"]`,
      `%%{init: {"securityLevel": "loose", "htmlLabels": true, "themeCSS": "@import url(${tracker}/c)"}}%%\ngraph TD; A["<img src=x onerror=parent.hacked=1>"]-->B`,
      `%%{init: {"theme": "base", "themeVariables": {"primaryColor": "red;} @import url(${tracker}/d); {"}}}%%\ngraph TD; A-->B`,
      `graph TD; A-->B\nstyle A fill:url(${tracker}/e)\nclassDef x background:url(${tracker}/f)`,
      `graph TD; A@{ img: "${tracker}/g.png", label: "x" }-->B`,
      `---\nconfig:\n  fontFamily: "x; } @import url(${tracker}/h); {"\n---\nsequenceDiagram\n  A->>B: <svg onload=parent.hacked=1>\n  link A: x @ javascript:parent.hacked=1`,
    ];
    const { page, mishaps } = await openPage();
    const answers = await answersOfTheFrame(page);
    for (const [i, one] of hostile.entries()) reply(fenced(one), `t-00010${i}.reply`);
    await expect.poll(answers, DRAWN).toBe(hostile.length);
    expect(await page.evaluate(() => "hacked" in window)).toBe(false);
    const kinds = await page
      .locator(".messages img")
      .evaluateAll((all) => all.map((one) => (one as HTMLImageElement).src));
    expect(kinds.filter((address) => !address.startsWith("data:image/svg+xml,"))).toEqual([]);
    expect(
      await page.locator(".messages :is(script, iframe, svg:not(.icon), style, [onerror], [onload])").count(),
    ).toBe(0);
    expect(asked).toBe(0);
    // The frame has tried, and the console tells of its policy.
    expect(mishaps.filter((one) => !one.includes("Content Security Policy"))).toEqual([]);
  });

  test("is drawn whatever one before it said", async () => {
    const { page } = await openPage();
    const answers = await answersOfTheFrame(page);
    const colour = `%%{init: {"theme": "base", "themeVariables": {"primaryColor": "no colour"}}}%%`;
    reply(fenced(`${colour}\ngraph TD; A-->B`));
    await expect.poll(answers, DRAWN).toBe(1);
    reply(fenced("graph TD; Next-->One"), "t-000002.reply");
    await expect.poll(answers, DRAWN).toBe(2);
    await page.locator('[data-id="t-000002.reply"] img').waitFor();
  });

  test("is drawn in a document that has no origin, reads nothing of the page, and runs no other script", async () => {
    const { page } = await openPage();
    reply(fenced("graph TD; A-->B"));
    await expect.poll(() => isDrawn(page), DRAWN).toBe(true);
    const frame = page.frames().find((one) => one.url().includes("diagrams"));
    const tried = await frame?.evaluate(async () => {
      const attempt = async (act: () => unknown) => {
        try {
          return String(await act());
        } catch (error) {
          return (error as Error).name;
        }
      };
      const script = document.createElement("script");
      script.textContent = "window.ran = 1";
      document.body.append(script);
      const button = document.createElement("div");
      button.setAttribute("onclick", "window.ran = 1");
      button.click();
      return {
        origin: self.origin,
        parent: await attempt(() => parent.document.title),
        storage: await attempt(() => localStorage.length),
        loaded: await attempt(() => fetch("/api/status")),
        ran: "ran" in window,
      };
    });
    expect(tried).toEqual({
      origin: "null",
      parent: "SecurityError",
      storage: "SecurityError",
      loaded: "TypeError",
      ran: false,
    });
  });
});

describe.runIf(hasChromium)("what a reply cites", { timeout: BROWSER_MS_MAX }, () => {
  const pages = usePages();
  const { openPage } = pages;

  test("is a link: a file of memory and a task to its view, a message to its place in the conversation", async () => {
    const { page } = await openPage();
    pages.gateway.answers.set("/api/memory/file", {
      name: "memory/2026-11-22-release-window.md",
      bytes: 20,
      changedAt: "2026-11-22T10:00:00.000Z",
      text: "Kept. See t-000001.reply.",
    });
    pages.gateway.task(taskRecord({ id: "t-000003.0", title: "Measure the disk" }));
    pages.gateway.message(messageRecord({ id: "t-000001.reply", role: "assistant", text: "On Friday." }));
    const text =
      "From `memory/2026-11-22-release-window.md` (also user_profile.md), t-000003.0 and t-000001.reply; " +
      "not x/memory/a.md, t-000003.0.md or [memory/b.md](https://example.org/).";
    pages.gateway.message(messageRecord({ id: "t-000004.reply", role: "assistant", text }));
    const links = page.locator('[data-id="t-000004.reply"] .markdown a');
    await links.nth(4).waitFor();
    expect(await links.evaluateAll((all) => all.map((one) => [one.textContent, one.getAttribute("href")]))).toEqual([
      ["memory/2026-11-22-release-window.md", "#/memory/memory%2F2026-11-22-release-window.md"],
      ["user_profile.md", "#/memory/user_profile.md"],
      ["t-000003.0", "#/tasks/t-000003.0"],
      ["t-000001.reply", "#/said/t-000001.reply"],
      ["memory/b.md", "https://example.org/"],
    ]);
    await links.nth(2).click();
    await page.locator('[data-view="tasks"]', { hasText: "Measure the disk" }).waitFor();
    await page.goBack();
    await links.nth(0).click();
    // From a view, too, a message is shown where it was said.
    await page.locator('[data-view="memory"] article').getByRole("link", { name: "t-000001.reply" }).click();
    await page.locator('[data-id="t-000001.reply"].pointed-out').waitFor();
    expect(await page.locator(".view").count()).toBe(0);
  });
});

describe.runIf(hasChromium)("a picture in a reply", { timeout: BROWSER_MS_MAX }, () => {
  const pages = usePages();
  const { openPage } = pages;
  const PNG = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
    "base64",
  );

  test("is shown if it came with a message or is of the workspace, and saved whole by a click", async () => {
    const { page, mishaps } = await openPage();
    const id = "a".repeat(64);
    pages.gateway.attachments.set(id, { type: "image/png", body: PNG });
    pages.gateway.files.set("plots/out 1.png", { type: "image/png", body: PNG });
    const attachments = [{ id, name: "shot.png", type: "image/png" as const, bytes: PNG.length }];
    pages.gateway.message(messageRecord({ id: "m-1", role: "user", text: "look", attachments }));
    const text = "![Yours](shot.png) as ![of the Worker](attachments/shot.png), and ![the plot](<plots/out 1.png>)";
    pages.gateway.message(messageRecord({ id: "t-000001.reply", role: "assistant", text }));
    const reply = page.locator('[data-id="t-000001.reply"] .markdown');
    for (const name of ["Yours", "of the Worker", "the plot"])
      expect(await reply.getByRole("img", { name }).getAttribute("src")).toMatch(/^data:image\//);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      reply.getByRole("button", { name: "the plot" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("out 1.png");
    expect(await readFile(await download.path())).toEqual(PNG);
    expect(mishaps).toEqual([]);
  });

  test("is a link if it is elsewhere, and a name if it is not there or is none; nothing outside is asked for", async () => {
    const { page, mishaps } = await openPage({ bypassCSP: true });
    pages.gateway.files.set("page.png", { type: "text/plain", body: Buffer.from("<svg onload=alert(1)>") });
    const text =
      "![a](http://tracker.example/a.png) ![b](//tracker.example/b.png) ![c](data:image/png;base64,AAAA) " +
      "![d](missing.png) ![e](page.png) ![f](\\\\tracker.example\\f.png) ![g](/api/sign-out)";
    pages.gateway.message(messageRecord({ id: "t-000001.reply", role: "assistant", text }));
    await expect.poll(() => pages.gateway.requests.filter((path) => path === "/api/files").length, DRAWN).toBe(2);
    const reply = page.locator('[data-id="t-000001.reply"] .markdown');
    await expect.poll(() => reply.locator("a").allInnerTexts()).toEqual(["a", "b", "c", "f", "g"]);
    await expect.poll(() => reply.locator("code").allInnerTexts()).toEqual(["d", "e"]);
    expect(await reply.locator("img").count()).toBe(0);
    expect(mishaps.filter((one) => !one.includes("404"))).toEqual([]);
  });
});
