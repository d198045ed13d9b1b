/** Promises of the task board. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TaskDetail } from "@mimikit/protocol/wire/api";
import type { TaskFile } from "@mimikit/protocol/wire/task-files";
import type { TranscriptLine } from "@mimikit/protocol/wire/transcript";
import { describe, expect, test } from "vitest";
import { runCli } from "../../cli/run-cli.ts";
import { Instance } from "../../support/instance.ts";
import { call } from "../../support/main-job.ts";
import { ModelServer } from "../../support/model-server.ts";
import { openInstance } from "../support/open-instance.ts";
import { taskRecord } from "../support/records.ts";
import { BROWSER_MS_MAX, hasChromium, usePages } from "../support/use-pages.ts";
import { fill, openView } from "../support/views.ts";

const NOON = "2026-11-22T12:00:00.000Z";
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

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
    ["plan", { tasks: ["t-000001.0.0", "t-000001.0.1"] }, ["Created 2 tasks:", "t-000001.0.0", "Second"]],
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
    await expect.poll(() => page.locator(".course li").allInnerTexts()).toHaveLength(3);
    await expect.poll(() => page.locator(".course").innerText()).toContain("+1m 00s");
    await page.getByRole("link", { name: "First" }).waitFor();
    expect(mishaps).toEqual([]);
  });

  test("a task is told step by step: each call with its input and what came of it, while it runs and after", async () => {
    const at = "2026-11-22T08:00:00.000Z";
    const running = taskRecord({ id: "t-000001.0.1", title: "Second", state: "running", attempts: 1 });
    const told: TranscriptLine[] = [
      { type: "begin", at, attempt: 1 },
      { type: "thought", at, text: "It may be empty." },
      { type: "call", at, id: "1", tool: "bash", input: "ls beds" },
      { type: "output", at, id: "1", ok: false, text: "ls: no such folder\n" },
      { type: "said", at, text: "There are **no** beds." },
      { type: "call", at, id: "2", tool: "bash", input: "mkdir beds" },
    ];
    const say = (lines: TranscriptLine[]) =>
      pages.gateway.answers.set(`/api/tasks/${running.id}/transcript`, { lines, next: lines.length, isCut: false });
    pages.gateway.task(running);
    pages.gateway.answers.set(`/api/tasks/${running.id}`, { ...running, result: null, upstream: [], timeline: [] });
    say(told);
    const { page, mishaps } = await openPage();
    await openView(page, `tasks/${running.id}`);
    const steps = page.locator(".transcript > ol > li");
    await steps.filter({ hasText: "mkdir beds" }).getByText("Running…").waitFor();
    expect(await steps.evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset.line))).toEqual([
      "thought",
      "call",
      "said",
      "call",
    ]);
    expect(await steps.filter({ hasText: "ls beds" }).getAttribute("data-state")).toBe("failed");
    await expect.poll(() => steps.filter({ hasText: "ls beds" }).locator("pre").innerText()).toBe("ls: no such folder");
    await steps.locator("strong", { hasText: "no" }).waitFor();
    const long = Array.from({ length: 40 }, (_, i) => `line ${i}`).join("\n");
    say([...told, { type: "output", at, id: "2", ok: true, text: long }]);
    pages.gateway.task({ ...running, state: "done" });
    await steps.getByText("40 lines of output").click();
    await steps.getByText("line 39").waitFor();
    expect(mishaps).toEqual([]);
  });

  test("the files of a task are opened, compared and downloaded: texts with colours, pictures as pictures", async () => {
    const task = taskRecord({ id: "t-000001.0.1", title: "Second", state: "done", attempts: 1 });
    const file = (path: string, more: Partial<TaskFile> = {}): TaskFile => ({
      ...{ path, change: "made", bytes: 9, edits: [] },
      ...more,
    });
    const edits = [{ before: "const a = 1;", after: "const a = 2;" }];
    const page = { type: "text/plain", body: Buffer.from("<script>alert(1)</script>") };
    pages.gateway.task(task);
    pages.gateway.answers.set(`/api/tasks/${task.id}`, { ...task, result: null, upstream: [], timeline: [] });
    pages.gateway.answers.set(`/api/tasks/${task.id}/files`, {
      files: [
        file("beds/report.md"),
        file("a.ts", { change: "changed", edits }),
        ...[file("page.html"), file("a.png"), file("a.bin"), file("old.md", { change: "deleted", bytes: null })],
      ],
    });
    pages.gateway.files.set("beds/report.md", { type: "text/plain", body: Buffer.from("# Beds\n\n- ten") });
    pages.gateway.files.set("a.ts", { type: "text/plain", body: Buffer.from("const a = 2; // ```\n") });
    pages.gateway.files.set("page.html", page);
    pages.gateway.files.set("a.png", { type: "image/png", body: PNG });
    pages.gateway.files.set("a.bin", { type: "application/octet-stream", body: Buffer.from([0, 1]) });
    const { page: browser, mishaps } = await openPage();
    await openView(browser, `tasks/${task.id}`);
    const row = (path: string) => browser.locator(`[data-path="${path}"]`);
    await row("beds/report.md").getByRole("button", { name: "Open report.md" }).click();
    await row("beds/report.md").getByRole("heading", { name: "Beds" }).waitFor();
    await row("beds/report.md").getByRole("button", { name: "Close report.md" }).click();
    await row("beds/report.md").getByRole("heading", { name: "Beds" }).waitFor({ state: "detached" });
    await row("a.ts").getByRole("button", { name: "Open a.ts" }).click();
    await row("a.ts").locator("pre .hljs-keyword", { hasText: "const" }).waitFor();
    await row("a.ts").getByRole("button", { name: "Changes of a.ts" }).click();
    await row("a.ts").locator("pre", { hasText: "-const a = 1;\n+const a = 2;" }).waitFor();
    await row("page.html").getByRole("button", { name: "Open page.html" }).click();
    await row("page.html").locator("pre", { hasText: "<script>alert(1)</script>" }).waitFor();
    await row("a.png").getByRole("button", { name: "Open a.png" }).click();
    await row("a.png").getByRole("img", { name: "a.png" }).waitFor();
    await row("a.bin").getByRole("button", { name: "Open a.bin" }).click();
    await row("a.bin").getByText("This kind of file cannot be shown.").waitFor();
    expect(await row("old.md").getByRole("button").count()).toBe(0);
    const saving = browser.waitForEvent("download");
    await row("beds/report.md").getByRole("button", { name: "Download report.md" }).click();
    expect((await saving).suggestedFilename()).toBe("report.md");
    expect(mishaps).toEqual([]);
  });

  test("an ended task is tried again, as it was or in other words, and the page goes to the new one", async () => {
    const first = taskRecord({ id: "t-000001.0", title: "Count", state: "failed", attempts: 1, completedAt: NOON });
    const anew = taskRecord({ id: "t-000001-0--again-1", title: "Count", state: "queued", againOf: first.id });
    const rest = { result: null, upstream: [], timeline: [] };
    pages.gateway.task(first);
    for (const task of [first, anew]) pages.gateway.answers.set(`/api/tasks/${task.id}`, { ...task, ...rest });
    const { page, mishaps } = await openPage();
    const wanted = () => pages.gateway.wanted.map(({ path, body }) => [path, body]);
    await openView(page, `tasks/${first.id}`);
    await page.getByRole("button", { name: "Try again: Count" }).click();
    await page.getByText("Started again.").waitFor();
    expect(wanted()).toEqual([[`/api/tasks/${first.id}/again`, {}]]);
    pages.gateway.task(anew);
    await page.locator(`[data-story="${anew.id}"]`).getByRole("link", { name: "Count" }).click();
    await page.locator(`[data-story="${first.id}"]`).waitFor();
    await page.getByRole("button", { name: "Edit and try again" }).click();
    const text = page.getByLabel("What to do");
    await expect.poll(() => text.inputValue()).toBe(first.prompt);
    await text.fill("count twice");
    await page.getByRole("button", { name: "Try again", exact: true }).click();
    await expect.poll(wanted).toEqual([
      [`/api/tasks/${first.id}/again`, {}],
      [`/api/tasks/${first.id}/again`, { text: "count twice" }],
    ]);
    expect(mishaps).toEqual([]);
  });

  test("tasks are found by words, state and role, and those that are open are cancelled together", async () => {
    const tasks = [
      taskRecord({ id: "t-000001.0", title: "Water the beds", state: "running", attempts: 1 }),
      taskRecord({ id: "t-000002.0", title: "Weed the beds", state: "queued" }),
      taskRecord({ id: "t-000003.0", title: "Dig the beds", state: "done", completedAt: NOON }),
      taskRecord({ id: "t-000004.0", title: "Buy seed", state: "queued" }),
      taskRecord({ id: "t-000005.0", title: "Plan the beds", state: "queued", role: "planner" }),
    ];
    for (const task of tasks) pages.gateway.task(task);
    const { page, mishaps } = await openPage();
    await openView(page, "tasks");
    const found = page.locator("[data-found]");
    const ids = () => found.evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset.found).sort());
    await page.getByRole("searchbox", { name: "Find a task" }).fill("BEDS");
    await page.getByText("4 tasks", { exact: true }).waitFor();
    await page.getByLabel("Role").selectOption("Worker");
    await expect.poll(ids).toEqual(["t-000001.0", "t-000002.0", "t-000003.0"]);
    await page.getByLabel("State").selectOption("queued");
    await expect.poll(ids).toEqual(["t-000002.0"]);
    await page.getByLabel("State").selectOption("Any state");
    expect(await page.getByLabel("Select Dig the beds").isDisabled()).toBe(true);
    await page.getByLabel("Select all 2 open ones").check();
    await page.clock.install();
    await page.getByRole("button", { name: "Cancel 2 tasks" }).click();
    await page.locator(".said", { hasText: "Cancelling 2 tasks" }).waitFor();
    await page.clock.fastForward(60_000);
    await pages.gateway.arrival("cancel", ({ taskId }) => taskId === "t-000001.0");
    await pages.gateway.arrival("cancel", ({ taskId }) => taskId === "t-000002.0");
    expect(pages.gateway.received.filter(({ frame }) => frame.type === "cancel")).toHaveLength(2);
    expect(mishaps).toEqual([]);
  });

  test("a queue is paused and resumed, and what waits there says so", async () => {
    pages.gateway.task(taskRecord({ id: "t-000001.0", title: "Water", state: "queued" }));
    const { page, mishaps } = await openPage();
    await openView(page, "tasks");
    await page.getByRole("button", { name: "Pause the queue of the Worker" }).click();
    await page.locator('[data-queue="worker"][data-paused="true"]').waitFor();
    await page.locator('[data-plan="t-000001.0"]').getByText("The queue of the Worker is paused.").waitFor();
    await page.getByRole("button", { name: "Resume the queue of the Worker" }).click();
    await page.locator('[data-queue="worker"][data-paused="false"]').waitFor();
    await page.getByText("The queue of the Worker is paused.").waitFor({ state: "detached" });
    expect(pages.gateway.wanted.map(({ path }) => path)).toEqual([
      "/api/queues/worker/pause",
      "/api/queues/worker/resume",
    ]);
    expect(mishaps).toEqual([]);
  });

  test("a phone begins with the tasks, and has the queues below those that are open; a wide page has them above", async () => {
    pages.gateway.task(taskRecord({ id: "t-000001.0", title: "Water", state: "queued" }));
    pages.gateway.task(taskRecord({ id: "t-000002.0", title: "Dig", state: "done", completedAt: NOON }));
    const { page } = await openPage({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
    await openView(page, "tasks");
    const parts = page.locator("[data-plan], .queues");
    const order = () =>
      parts.evaluateAll((all) =>
        all
          .toSorted((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)
          .map((one) => (one as HTMLElement).dataset.plan ?? "queues"),
      );
    await expect.poll(order).toEqual(["t-000001.0", "queues", "t-000002.0"]);
    pages.gateway.task(taskRecord({ id: "t-000001.0", title: "Water", state: "done", completedAt: NOON }));
    await expect.poll(order).toEqual(["t-000001.0", "t-000002.0", "queues"]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await expect.poll(order).toEqual(["queues", "t-000001.0", "t-000002.0"]);
  });

  test("a task's running step stays within the page of a phone, however long it is", async () => {
    const width = 390;
    const running = taskRecord({ id: "t-000001.0", title: "Water", state: "running", attempts: 1 });
    pages.gateway.task(running);
    pages.gateway.answers.set(`/api/tasks/${running.id}`, { ...running, result: null, upstream: [], timeline: [] });
    const { page } = await openPage({ viewport: { width, height: 844 }, isMobile: true, hasTouch: true });
    await openView(page, `tasks/${running.id}`);
    const step = `bash: ${"for bed in north south; do water; done; ".repeat(4)}`;
    await page.locator(`[data-story="${running.id}"]`).waitFor();
    pages.gateway.pass({ type: "progress", taskId: running.id, step });
    const box = page.locator(".story .steps");
    await box.waitFor();
    expect(await box.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
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
