/** The jobs, triggers and questions as a prompt shows them: one line each, with what a model needs to act on them. */
import { renderPrompt } from "@mimikit/agent/prompt/prompt";
import { endingOf } from "@mimikit/core/views/ending";
import { describe, expect, test } from "vitest";
import { done, task } from "../../core/facts.ts";
import { eventOf, questionOf, reportOf, summaryOf, taskOf, triggerSummaryOf, turnOf } from "../fixtures.ts";
import { readSections, runOf } from "../prompt-fixtures.ts";

type Context = NonNullable<Parameters<typeof runOf>[1]>;

async function shown(name: string, context: Context, of = turnOf({})) {
  return readSections((await renderPrompt(runOf(of, context))).user).get(name) ?? [];
}

const plan = (id: string, more = {}) => summaryOf({ id, role: "planner", state: "done", title: "Build it", ...more });
const START = "2026-11-22T01:48:00.000Z";

describe("a job in M:tasks", () => {
  test("is one line for the request and its tasks, with the last step and the minutes of what runs", async () => {
    const tasks = [
      summaryOf({ id: "t-000003.0.0", title: "Build it", startedAt: START }),
      summaryOf({ id: "t-000003.0.1", title: "Test it", state: "waiting", after: ["t-000003.0.0"] }),
      plan("t-000003.0"),
    ];
    const steps = { "t-000003.0.0": "$ npm run build: step 9/15" };
    expect(await shown("tasks", { tasks, steps })).toEqual([
      expect.stringMatching(
        /^- id: t-000003\.0, title: "Build it", state: running, created: \S+, running: "12 min", step: "\$ npm run build: step 9\/15", tasks: "t-000003\.0\.0 running, t-000003\.0\.1 waiting"$/,
      ),
    ]);
  });

  test("that has ended is told by the gist and the files of its results, and a short error", async () => {
    const tasks = [
      summaryOf({ id: "t-000002.0.0", state: "done" }),
      plan("t-000002.0", { title: "Letter" }),
      summaryOf({ id: "t-000001.0.0", state: "failed", error: `no ${"x".repeat(300)}` }),
      plan("t-000001.0"),
    ];
    const endings = { "t-000002.0.0": { gist: "The letter is there.", paths: ["letters/heating.md"] } };
    const [letter, failed = ""] = await shown("tasks", { tasks, endings });
    expect(letter).toMatch(/title: Letter, state: done, .*gist: "The letter is there\.", files: letters\/heating\.md$/);
    expect(failed).toMatch(/state: failed, .*error: "no x{76}…"$/);
  });

  test("that is open is always there, and of the ended ones the last five", async () => {
    const ended = Array.from({ length: 20 }, (_, i) => plan(`t-0000${40 - i}.0`));
    const open = Array.from({ length: 8 }, (_, i) => plan(`t-0000${60 - i}.0`, { state: "queued" }));
    const lines = await shown("tasks", { tasks: [...ended, ...open] });
    expect(lines).toHaveLength(13);
    expect(lines.slice(0, 8).every((line) => line.includes("state: queued"))).toBe(true);
    expect(lines[8]).toContain("t-000040.0");
  });

  test("is not shown to its own Planner, and another one is", async () => {
    const own = taskOf({ id: "t-000005.0", role: "planner", prompt: "Explain heat pumps" });
    const tasks = [plan("t-000005.0", { state: "running" }), plan("t-000004.0", { state: "queued" })];
    const lines = await shown("tasks", { tasks }, own);
    expect(lines).toEqual([expect.stringContaining("t-000004.0")]);
  });

  test("that asked something waits for the user while the question is open, and is answered afterwards", async () => {
    const about = reportOf({ id: "t-000001.0", status: "needs_input", question: "Which port?" });
    const tasks = [plan("t-000001.0", { state: "needs_input" })];
    const questions = [questionOf({ id: "t-000002.0", purpose: { type: "teller", about } })];
    expect((await shown("tasks", { tasks, questions }))[0]).toContain(
      'state: "waits for the user", question: t-000002.0',
    );
    expect((await shown("tasks", { tasks }))[0]).toContain("state: answered");
    expect((await shown("tasks", { tasks }, turnOf({ results: [about] })))[0]).toContain("state: needs_input");
  });

  test("that waits for an approval says so", async () => {
    const tasks = [summaryOf({ id: "t-000001.0.0", state: "queued" }), plan("t-000001.0")];
    const purpose = { type: "approve", taskId: "t-000001.0.0", attempt: 1 } as const;
    const questions = [questionOf({ id: "t-000001.0.0.a1.approve", purpose })];
    expect((await shown("tasks", { tasks, questions }))[0]).toContain('state: "waits for the user"');
  });

  test("does not say again what M:results tells in the same turn", async () => {
    const tasks = [summaryOf({ id: "t-000001.0.0", state: "failed", error: "exit 1" }), plan("t-000001.0")];
    const report = reportOf({ id: "t-000001.0.0", status: "failed", result: null, error: "exit 1" });
    expect((await shown("tasks", { tasks }, turnOf({ results: [report] })))[0]).not.toContain("exit 1");
  });
});

describe("the ending of a task", () => {
  test("is its first line and the paths in its words and in what was asked", () => {
    const of = task("t-000001.0.0", {
      role: "worker",
      prompt: "Write letters/krueger.md, not http://example.com/a.md",
    });
    const result = { text: "\nThe letter is in `letters/heating.md`, 870 words.\n\nDear Ms. Krueger, …" };
    expect(endingOf(done(of, { resultType: "text", result }))).toEqual({
      gist: "The letter is in `letters/heating.md`, 870 words.",
      paths: ["letters/heating.md", "letters/krueger.md"],
    });
  });

  test("names no path that leads out of the workspace", () => {
    const result = { text: "See ../a.md, /etc/passwd.txt, a/../../b.md and C:\\\\c.md" };
    expect(endingOf(done(task("t-000001.0.0", { role: "worker" }), { resultType: "text", result })).paths).toEqual([]);
  });
});

describe("a trigger in M:triggers", () => {
  test("has its prompt, the cooldown, the last and the next firing, and its condition in words", async () => {
    const fired = { id: "trg-1--1", at: "2026-11-21T01:00:00.000Z", outcome: "fired" as const };
    const condition = { type: "file_changed" as const, params: { path: "tally/docs/**" } };
    const prompt = "Check the links. 全部正常时不要打扰用户";
    const triggers = [
      triggerSummaryOf({ id: "trg-1", prompt, recent: [fired], last: fired.at }),
      triggerSummaryOf({
        id: "trg-2",
        type: "conditional",
        schedule: undefined,
        condition,
        cooldownSec: 300,
        next: null,
      }),
    ];
    const [daily, docs] = await shown("triggers", {
      triggers,
      client: { timeZone: "UTC", now: "2026-11-22T02:00:00Z" },
    });
    expect(daily).toMatch(
      /last: 2026-11-21T01:00:00\+00:00, next: 2026-11-23T01:00:00\+00:00, prompt: "Check the links\. 全部正常时不要打扰用户"$/,
    );
    expect(docs).toContain('when: "tally/docs/** changes", cooldown: "5 min", prompt:');
    expect(docs).not.toMatch(/last:|\{/);
  });

  test("whose prompt is long says what is left out", async () => {
    const triggers = [triggerSummaryOf({ id: "trg-1", prompt: "x".repeat(2_000) })];
    expect((await shown("triggers", { triggers }))[0]).toContain("characters left out");
  });
});

describe("a question in M:questions", () => {
  test("has its options by number, its default and the time that is left", async () => {
    const options = ["Only the installers", "Everything\nold"];
    const questions = [questionOf({ id: "t-1.0", options, default: "Only the installers" })];
    const [line] = await shown("questions", { questions, now: "2026-11-22T02:48:30.000Z" });
    expect(line).toMatch(
      /question: "Which branch\?", options: "1\. Only the installers; 2\. Everything old", default: "Only the installers", left: "11 min"$/,
    );
  });
});

test("an event of a changed file names the files", async () => {
  const event = eventOf("cron_trigger", { occurrence: START, prompt: "look", files: ["docs/a.md"] });
  expect((await shown("events", {}, turnOf({ events: [event] })))[0]).toContain('"files":["docs/a.md"]');
});
