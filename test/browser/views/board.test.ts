/** What the task board promises. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TaskDetail } from "@mimikit/protocol/wire/api";
import { describe, expect, test } from "vitest";
import { runCli } from "../../cli/run-cli.ts";
import { Instance } from "../../support/instance.ts";
import { call } from "../../support/main-job.ts";
import { ModelServer } from "../../support/model-server.ts";
import { openInstance } from "../support/open-instance.ts";
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
    pages.gateway.task(taskRecord({ id: "t-000001.0.1", title: "Second", state: "done", after: ["t-000001.0.0"] }));
    await page.locator('[data-node="t-000001.0.1"][data-state="done"]').waitFor();
    await page.getByRole("heading", { name: "Ended" }).waitFor();
    expect(mishaps).toEqual([]);
  });

  test("draws a line from each task that another waits for, and names them all, on the page and in the terminal", async () => {
    const titles = ["Measure the disk", "Count the files"];
    const idOf = (result = "") => /\bt-[\d.]+\d/.exec(result)?.[0] ?? "";
    const model = await ModelServer.start({
      teller: ({ turn, prompt }) =>
        turn === 0 && !prompt.includes("<M:results>") ? call("delegate", { prompt: "work" }) : { say: "I am on it." },
      planner: ({ results }) => {
        const title = titles[results.length];
        if (title !== undefined) return call("delegate", { title, prompt: "wait for the word" });
        if (results.length > titles.length) return { say: "" };
        const conditions = results.map((result) => ({ type: "task_done", params: { taskId: idOf(result) } }));
        return call("delegate", { title: "Compare", prompt: "compare", condition: { type: "and", conditions } });
      },
      worker: ({ turn }) =>
        turn === 0 ? { calls: [{ shell: "until [ -e go ]; do sleep 0.05; done" }] } : { say: "Done." },
    });
    pages.atEnd(() => model.close());
    const env = { MIMIKIT_PROVIDER: "openai", MIMIKIT_MODEL: "scripted", OPENAI_BASE_URL: model.baseUrl };
    const mimikit = await Instance.start({ env });
    pages.atEnd(() => mimikit.dispose());
    const page = await openInstance(pages, mimikit);
    await mimikit.send("please work");
    const [first = "", second = "", joined = ""] = ["t-000001.0.0", "t-000001.0.1", "t-000001.0.2"];
    const both = "after Measure the disk and Count the files";
    await page.locator(`[data-row="${joined}"]`, { hasText: both }).waitFor();
    await page.locator(`[data-task="${joined}"]`, { hasText: both }).waitFor();
    await openView(page, "tasks");
    for (const before of [first, second])
      await page.locator(`[data-needs="${joined}"][data-from="${before}"]`).waitFor({ state: "attached" });
    expect(await page.locator("[data-needs]").count()).toBe(2);
    const told = await runCli(mimikit, ["tasks", "show", joined]);
    expect(told.out).toContain(`waiting, attempts 0, priority 5, after ${first}, ${second}\n`);
    writeFileSync(join(mimikit.workDir, "go"), "");
    await page.locator(`[data-node="${joined}"][data-state="done"]`).waitFor();
    expect(await page.locator("[data-needs]").count()).toBe(2);
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

  test("a plan has a timeline: who waited, who ran how long, and what each has cost", async () => {
    const at = (sec: number) => new Date(Date.UTC(2026, 10, 22, 8, 0, sec)).toISOString();
    const usage = { inputTokens: 1_000, cachedTokens: 0, outputTokens: 234, costUsd: 0.02 };
    const times = (created: number, started: number, completed: number) => ({
      state: "done" as const,
      createdAt: at(created),
      startedAt: at(started),
      completedAt: at(completed),
    });
    const plan = taskRecord({ id: "t-000001.0", title: "Plan", role: "planner", ...times(0, 0, 10) });
    pages.gateway.task(plan);
    pages.gateway.task(taskRecord({ id: "t-000001.0.0", title: "First", ...times(10, 10, 40), usage }));
    pages.gateway.task(taskRecord({ id: "t-000001.0.1", title: "Second", ...times(10, 40, 100), usage }));
    pages.gateway.answers.set("/api/tasks/t-000001.0", { ...plan, result: null, upstream: [], timeline: [] });
    const { page, mishaps } = await openPage();
    await openView(page, "tasks");
    await page.locator('[data-plan="t-000001.0"]', { hasText: "2,468 tokens · $0.04" }).waitFor();
    await page.locator(".plan-title").click();
    const lane = page.locator('[data-lane="t-000001.0.1"]');
    await lane.getByText("1m 00s · 1,234 tokens · $0.02").waitFor();
    // Of 100 seconds it waited from the tenth, and ran from the fortieth to the end.
    const bar = (part: string) =>
      lane
        .locator(part)
        .evaluate((element) => [(element as HTMLElement).style.left, (element as HTMLElement).style.width]);
    expect(await bar(".lane-wait")).toEqual(["10%", "30%"]);
    expect(await bar(".lane-run")).toEqual(["40%", "60%"]);
    expect(mishaps).toEqual([]);
  });

  test("the timeline of the last day leaves out what was before, and has an address of its own", async () => {
    const hoursAgo = (n: number) => new Date(Date.now() - n * 3_600_000).toISOString();
    const ran = (id: string, from: number, to: number) =>
      taskRecord({
        id,
        title: id,
        state: "done",
        createdAt: hoursAgo(from),
        startedAt: hoursAgo(from),
        completedAt: hoursAgo(to),
      });
    pages.gateway.task(ran("t-000001.0", 40, 30));
    pages.gateway.task(ran("t-000002.0", 5, 4));
    const { page } = await openPage();
    await openView(page, "tasks");
    await page.getByRole("button", { name: "Timeline" }).click();
    await page.locator('[data-lane="t-000002.0"]').waitFor();
    expect(page.url()).toMatch(/#\/tasks\/timeline$/);
    expect(await page.locator("[data-lane]").count()).toBe(1);
    await page.goBack();
    await page.locator('[data-plan="t-000001.0"]').waitFor();
  });
});
