/** What the task board promises. */
import type { TaskDetail } from "@mimikit/protocol/api";
import { describe, expect, test } from "vitest";
import { taskRecord } from "../support/records.ts";
import { BROWSER_MS_MAX, hasChromium, usePages } from "../support/use-pages.ts";
import { fill, openView } from "../support/views.ts";

describe.runIf(hasChromium)("the task board", { timeout: BROWSER_MS_MAX }, () => {
  const pages = usePages();
  const { openPage } = pages;

  test("draws what waits for what, and follows what happens", async () => {
    fill(pages.gateway);
    const { page, mishaps } = await openPage();
    await openView(page, "tasks");
    await page.locator('[data-needs="t-000001.0.1"]').waitFor({ state: "attached" });
    const left = (id: string) =>
      page.locator(`[data-node="${id}"]`).evaluate((element) => element.getBoundingClientRect().left);
    expect(await left("t-000001.0.0")).toBeLessThan(await left("t-000001.0.1"));
    pages.gateway.task(taskRecord({ id: "t-000001.0.1", title: "Second", state: "done", after: "t-000001.0.0" }));
    await page.locator('[data-node="t-000001.0.1"][data-state="done"]').waitFor();
    await page.getByRole("heading", { name: "Ended" }).waitFor();
    expect(mishaps).toEqual([]);
  });

  test.each([
    ["text", { text: "**3** lines", artifact: "runs/out.txt" }, ["3 lines", "In full: runs/out.txt"]],
    [
      "code_change",
      { files: [{ path: "src/a.ts", action: "modified", summary: "adds b" }], commitMessage: "Add b" },
      ["1 file", "modified", "src/a.ts", "adds b", "Add b"],
    ],
    ["analysis", { findings: ["It leaks"], recommendations: ["Close it"] }, ["Findings", "It leaks", "Close it"]],
    ["summary", { summary: "All is well", keyPoints: ["One", "Two"] }, ["All is well", "Key points", "One", "Two"]],
  ])("tells the story of a task with a result of type %s", async (resultType, result, said) => {
    const summary = taskRecord({ id: "t-000001.0.1", title: "Second", state: "done", prompt: "do it" });
    const detail: TaskDetail = {
      ...summary,
      resultType,
      result,
      upstream: [
        { id: "t-000001.0.0", title: "First", role: "worker", status: "done", resultType: "text", result: {} },
      ],
      timeline: [
        { at: "2026-11-22T08:00:00.000Z", event: "created" },
        { at: "2026-11-22T08:00:02.000Z", event: "attempt 1 started" },
        { at: "2026-11-22T08:01:02.000Z", event: "done" },
      ],
    };
    pages.gateway.task(summary);
    pages.gateway.answers.set("/api/tasks/t-000001.0.1", detail);
    const { page, mishaps } = await openPage();
    await page.locator('[data-task="t-000001.0.1"]').getByRole("link", { name: "Second" }).click();
    await page.locator(`[data-result="${resultType}"]`).waitFor();
    const text = await page.locator(".result").innerText();
    for (const words of said) expect(text).toContain(words);
    expect(await page.locator(".course li").allInnerTexts()).toHaveLength(3);
    expect(await page.locator(".course").innerText()).toContain("+1m 00s");
    await page.getByRole("link", { name: "First" }).waitFor();
    expect(mishaps).toEqual([]);
  });
});
