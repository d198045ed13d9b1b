/** tasks.md as people read it: the same facts give the same page, and nothing from outside can be more than text in it. */

import { triggerOf } from "@mimikit/core/triggers/triggers";
import { FIRST_LINE, markdownText, type TasksPage, tasksMarkdown } from "@mimikit/core/views/tasks-markdown";
import type { Question } from "@mimikit/protocol/records/question";
import type { TriggerDefinition } from "@mimikit/protocol/triggers/trigger-order";
import type { TaskSummary } from "@mimikit/protocol/wire/api";
import { expect, test } from "vitest";
import { NOON, NOON_MS } from "../facts.ts";

const EMPTY: TasksPage = { tasks: [], questions: [], triggers: [], timeZone: "UTC" };

function summary(id: string, more: Partial<TaskSummary> = {}): TaskSummary {
  return {
    id,
    role: "worker",
    type: "oneshot",
    title: `title of ${id}`,
    prompt: "",
    state: "running",
    priority: 5,
    attempts: 1,
    createdAt: NOON,
    ...more,
  };
}

function storedTrigger(id: string, when: TriggerDefinition["when"], title = `title of ${id}`) {
  const maker = { createdAt: NOON, traceId: id, depth: 0, target: "teller" } as const;
  return triggerOf(id, { order: { prompt: "do it", title }, when }, maker);
}

const question: Question = {
  id: "t-000001.1",
  at: NOON,
  expiresAt: "2026-11-22T13:00:00.000Z",
  question: "Which region?",
  options: ["EU", "US"],
  default: "EU",
  purpose: { type: "teller" },
  traceId: "t-000001",
};

test("the first line says that the page is a view, and an idle system says that nothing runs", () => {
  expect(tasksMarkdown(EMPTY).split("\n")[0]).toBe(FIRST_LINE);
  expect(tasksMarkdown(EMPTY)).toContain("\n\nNothing runs, and nothing waits.\n\n");
});

test("each kind of thing has its section, in the order in which it concerns people", () => {
  const page = tasksMarkdown({
    ...EMPTY,
    tasks: [
      summary("t-000001.0.0", { state: "running", startedAt: NOON, attempts: 2 }),
      summary("t-000001.0.1", { state: "waiting", attempts: 0, after: ["t-000001.0.0", "t-000001.0.2"] }),
      summary("t-000002.0", { state: "queued", role: "planner", attempts: 0 }),
      summary("t-000003.0.0", {
        state: "failed",
        startedAt: "2026-11-22T11:00:00.000Z",
        completedAt: "2026-11-22T11:01:30.000Z",
        failureReason: "error",
        error: "exit code 1",
      }),
      summary("t-000003.0.1", { state: "done", completedAt: "2026-11-22T11:02:00.000Z" }),
    ],
    questions: [question],
    triggers: [
      {
        trigger: storedTrigger("trg-b", {
          type: "conditional",
          condition: { type: "file_exists", params: { path: "a|b" } },
        }),
        nextMs: null,
      },
      {
        trigger: storedTrigger("trg-a", { type: "recurring", schedule: { interval: 7_200 } }),
        nextMs: NOON_MS + 7_200_000,
      },
    ],
  });
  expect(page.split("\n\n").slice(2)).toEqual([
    "## Questions to you",
    '- **Which region?** EU · US (`t-000001.1`, until 2026-11-22 13:00, then "EU")',
    "## Running",
    "- **title of t-000001.0.0** (`t-000001.0.0`, worker, since 2026-11-22 12:00, attempt 2)",
    "## Queued",
    "- **title of t-000002.0** (`t-000002.0`, planner, priority 5)",
    "## Waiting for another task",
    "- **title of t-000001.0.1** (`t-000001.0.1`, after `t-000001.0.0`, `t-000001.0.2`)",
    "## Triggers",
    [
      "| next | what | when | for | last | id |",
      "|---|---|---|---|---|---|",
      "| 2026-11-22 14:00 | **title of trg-a** | every 2 h | teller | – | `trg-a` |",
      "| – | **title of trg-b** | when a\\|b is there | teller | – | `trg-b` |",
    ].join("\n"),
    "## Ended last",
    [
      "- 2026-11-22 11:02 done **title of t-000003.0.1** (`t-000003.0.1`, worker)",
      "- 2026-11-22 11:01 failed (error) **title of t-000003.0.0** (`t-000003.0.0`, worker, 1 min 30 s): exit code 1",
    ].join("\n"),
    "Times are those of UTC.\n",
  ]);
});

test("what is queued stands in the order in which it will run", () => {
  const page = tasksMarkdown({
    ...EMPTY,
    tasks: [
      summary("t-000001.0.0", { state: "queued", createdAt: "2026-11-22T12:00:02.000Z" }),
      summary("t-000001.0.1", { state: "queued", createdAt: "2026-11-22T12:00:01.000Z" }),
      summary("t-000001.0.2", { state: "queued", priority: 9, createdAt: "2026-11-22T12:00:03.000Z" }),
    ],
  });
  expect([...page.matchAll(/title of (\S+?)\*/g)].map(([, id]) => id)).toEqual([
    "t-000001.0.2",
    "t-000001.0.1",
    "t-000001.0.0",
  ]);
});

test("a title can open no link, no tag, no table and no other line", () => {
  const evil = "x](javascript:1) <img src=x onerror=y> | `a` **b**\n# heading\r\n- item\u202e\u0007 &lt;";
  const page = tasksMarkdown({
    ...EMPTY,
    tasks: [summary("t-000001.0.0", { title: evil })],
    triggers: [
      { trigger: storedTrigger("trg-a", { type: "recurring", schedule: { interval: 60 } }, evil), nextMs: null },
    ],
  });
  const escaped = "x\\](javascript:1) \\<img src=x onerror=y\\> \\| \\`a\\` \\*\\*b\\*\\* # heading - item \\&lt;";
  expect(markdownText(evil)).toBe(escaped);
  expect(page.split("\n").filter((line) => line.includes("javascript"))).toEqual([
    `- **${escaped}** (\`t-000001.0.0\`, worker)`,
    `| – | **${escaped}** | every 1 min | teller | – | \`trg-a\` |`,
  ]);
});

test("long lists are cut and counted, and only the newest that ended are named", () => {
  const many = (count: number, more: (i: number) => Partial<TaskSummary>) =>
    Array.from({ length: count }, (_, i) => summary(`t-000001.0.${i}`, more(i)));
  const waiting = tasksMarkdown({ ...EMPTY, tasks: many(130, () => ({ state: "waiting" })) });
  expect(waiting.match(/^- \*\*/gm)).toHaveLength(100);
  expect(waiting).toContain("- … and 30 more");
  const at = (i: number) => new Date(NOON_MS + i * 60_000).toISOString();
  const ended = tasksMarkdown({ ...EMPTY, tasks: many(130, (i) => ({ state: "done", completedAt: at(i) })) });
  expect(ended.match(/\*\*title of \S+\*\*/g)?.[0]).toBe("**title of t-000001.0.129**");
  expect(ended.match(/^- /gm)).toHaveLength(30);
});
