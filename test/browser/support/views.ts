/** The common part of the tests of the views: something to be seen in each of them, and a way there. */
import type {
  AuditAnswer,
  HistoryHit,
  MemoryFiles,
  MemoryStatus,
  MemoryText,
  SkillList,
  UsageRow,
} from "@mimikit/protocol/wire/api";
import { describeSettings } from "@mimikit/runtime/config/describe-settings";
import type { Page } from "playwright-core";
import { changeRecord, improvementRecord, messageRecord, taskRecord, triggerRecord } from "./records.ts";
import type { ScriptedGateway } from "./scripted-gateway.ts";

/** Where nothing is: all settings are as they are by default. */
const NOWHERE = "/there/is/none";

/** Opens a view by its address, as a bookmark does; resolves when the page shows it and no longer the view before. */
export async function openView(page: Page, address: string): Promise<void> {
  await page.evaluate((hash) => {
    location.hash = hash;
  }, `#/${address}`);
  const [name] = address.split("/");
  await page.locator(`[data-view="${name}"] .view-body > *`).first().waitFor();
}

/** The texts shown while something is loading, in both languages. */
const WAITING = /^(Looking…|Opening…|正在查看…|正在打开…)$/;

/** Resolves once nothing of the view that is open is still to come. */
export async function settled(page: Page): Promise<void> {
  const waits = page.getByText(WAITING).or(page.locator('.view [aria-busy="true"]'));
  await waits.first().waitFor({ state: "detached" });
}

/** The message field of the conversation. */
export function field(page: Page) {
  return page.getByLabel("Message", { exact: true });
}

/** The view that is open. */
export function view(page: Page) {
  return page.locator(".view");
}

/** Something in every view. */
export function fill(gateway: ScriptedGateway): void {
  gateway.message(messageRecord({ id: "m-1", role: "user", text: "water the beds" }));
  gateway.task(taskRecord({ id: "t-000001.0", title: "Plan", role: "planner", state: "done" }));
  gateway.task(taskRecord({ id: "t-000001.0.0", title: "First", state: "done" }));
  const second = taskRecord({ id: "t-000001.0.1", title: "Second", state: "running", after: ["t-000001.0.0"] });
  gateway.task(second);
  gateway.answers.set(`/api/tasks/${second.id}`, { ...second, result: null, upstream: [], timeline: [] });
  gateway.trigger(triggerRecord({ id: "trg-1", title: "Stretch" }));
  const hit: HistoryHit = {
    id: "m-1",
    role: "user",
    at: "2026-11-20T08:00:00.000Z",
    text: "water the beds",
    score: 1,
  };
  gateway.answers.set("/api/history/search", { hits: [hit] });
  gateway.answers.set("/api/memory/search", {
    method: "bm25",
    hits: [{ source: "memory.md", text: "The beds are in the north", score: 1, at: "2026-11-20" }],
  });
  gateway.changes = [
    changeRecord({ id: "c-1", what: "memory", title: "The beds are in the north" }),
    changeRecord({ id: "c-2", what: "backlog", op: "done", by: "user", title: "buy compost" }),
  ];
  gateway.answers.set("/api/memory/status", {
    sources: [
      { source: "memory.md", files: 1, bytes: 420 },
      { source: "memory/", files: 12, bytes: 40_960 },
    ],
    newestNote: "memory/2026-11-20-the-beds.md",
    newestSummaries: ["memory/summary/2026-10.md"],
    unarchived: 7,
    index: null,
    hasRipgrep: true,
  } satisfies MemoryStatus);
  const changedAt = "2026-11-20T08:00:00.000Z";
  gateway.answers.set("/api/memory/files", {
    files: [
      { name: "memory.md", bytes: 420, changedAt },
      { name: "memory/2026-11-20-the-beds.md", bytes: 4_096, changedAt },
      { name: "memory/summary/2026-10.md", bytes: 900, changedAt },
    ],
  } satisfies MemoryFiles);
  gateway.answers.set("/api/memory/file", {
    name: "memory.md",
    bytes: 420,
    changedAt,
    text: "- The beds are in the north <!-- t-000001.0 -->\n",
  } satisfies MemoryText);
  gateway.answers.set("/api/backlog", {
    items: [
      { number: 1, item: "compare the hosting offers", done: false },
      { number: 2, item: "buy compost", done: true },
    ],
  });
  gateway.answers.set("/api/skills", {
    skills: [
      {
        name: "release-notes",
        description: "Writes the notes of a release. Use when a version is tagged.",
        level: "local-write",
        source: "shipped",
        path: "/opt/mimikit/skills/release-notes/SKILL.md",
      },
    ],
    problems: [{ path: "/home/me/.config/mimikit/skills/Draft", reason: "its name is not that of its folder" }],
  } satisfies SkillList);
  gateway.answers.set("/api/improvements", { improvements: [improvementRecord({ number: 12 })] });
  const missing = ["bubblewrap is missing: sudo apt-get install bubblewrap"];
  gateway.answers.set("/api/settings", { settings: describeSettings(NOWHERE, { MIMIKIT_HOME: NOWHERE }), missing });
  gateway.answers.set("/api/usage", { rows: [usageRow({})] });
  gateway.answers.set("/api/audit", trailOf("task_queued", "task_done"));
  gateway.answers.set("/api/triggers/upcoming", { upcoming: ["2126-12-01T09:00:00.000Z"] });
  const firing = { triggerId: "trg-1", title: "Stretch", local: "", collidesWith: ["trg-2"], expected: null };
  gateway.answers.set("/api/triggers/simulate", {
    from: "",
    to: "",
    firings: [{ ...firing, at: new Date(Date.now() + 60_000).toISOString() }],
    isCut: false,
    expected: { tokens: 1_200, costUsd: 0 },
    conditional: [{ triggerId: "trg-3", title: "Rebuild" }],
  });
}

export function usageRow(change: Partial<UsageRow>): UsageRow {
  return {
    day: new Date().toISOString().slice(0, 10),
    role: "teller",
    provider: "claude",
    model: "a-model",
    runs: 1,
    inputTokens: 100,
    cachedTokens: 0,
    outputTokens: 20,
    costUsd: 0,
    ...change,
  };
}

let lines = 0;

/** An answer of the audit log with such lines, oldest first. */
export function trailOf(...events: string[]): AuditAnswer {
  const entries = events.map((event) => ({
    timestamp: new Date(Date.UTC(2026, 10, 22, 8, 0, lines)).toISOString(),
    seq: ++lines,
    event,
    actor: "supervisor" as const,
    taskId: "t-000001.0",
    previousHash: "",
  }));
  return { entries, next: `s${lines}.w0.g0`, previous: null };
}
