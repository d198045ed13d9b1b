/** Records as the gateway would send them, with only what a test cares about spelled out. */
import { byRole } from "@mimikit/protocol/base/kind";
import type {
  ChangeView,
  ChatMessage,
  Improvement,
  QuestionView,
  Status,
  TaskSummary,
  TriggerSummary,
} from "@mimikit/protocol/wire/api";

export function statusRecord(change: Partial<Status> = {}): Status {
  const alive = { pid: 1, alive: true };
  return {
    ready: true,
    adopted: true,
    version: "0.1.0",
    startedAt: "2026-11-22T08:00:00.000Z",
    workDir: "/home/me/project",
    providers: byRole(() => "offline"),
    models: byRole(() => null),
    answered: {},
    answeredModels: {},
    passedOver: [],
    processes: { supervisor: alive, workers: alive, gateway: alive },
    counts: {
      inbox: 0,
      queued: byRole(() => 0),
      running: byRole(() => 0),
      questions: 0,
      triggers: 0,
      quarantine: 0,
    },
    paused: [],
    next: null,
    usage: {
      today: { inputTokens: 0, cachedTokens: 0, outputTokens: 0, costUsd: 0 },
      budget: { day: null, month: null },
    },
    tools: {},
    problems: [],
    ...change,
  };
}

export function changeRecord(change: Partial<ChangeView> & Pick<ChangeView, "id">): ChangeView {
  const at = new Date().toISOString();
  return { at, what: "memory", op: "add", by: "teller", title: change.id, state: "open", ...change };
}

export function taskRecord(change: Partial<TaskSummary> & Pick<TaskSummary, "id">): TaskSummary {
  return {
    role: "worker",
    type: "oneshot",
    title: change.id,
    prompt: "…",
    state: "queued",
    priority: 5,
    attempts: 0,
    createdAt: new Date().toISOString(),
    ...change,
  };
}

export function messageRecord(change: Partial<ChatMessage> & Pick<ChatMessage, "id" | "role" | "text">): ChatMessage {
  return { at: new Date().toISOString(), ...change };
}

/** An improvement that has passed its review and waits on its branch. */
export function improvementRecord(change: Partial<Improvement> & Pick<Improvement, "number">): Improvement {
  const id = `imp-${String(change.number).padStart(6, "0")}`;
  return {
    id,
    state: "branch",
    at: "2026-11-22T03:00:00.000Z",
    endedAt: "2026-11-22T03:12:00.000Z",
    kind: "docs",
    title: "The guide names a command that is gone",
    why: "docs/guide.md says `garden sow`; it is `garden plant` since October.",
    reasons: ["The command is there, and the test of the docs passes."],
    branch: `self-improve/${id}`,
    change: {
      base: "0123456789abcdef",
      commit: "fedcba9876543210",
      files: [{ path: "docs/guide.md", action: "modified" }],
      diff: "--- a/docs/guide.md\n+++ b/docs/guide.md\n@@ -1,2 +1,2 @@\n # Guide\n-Run `garden sow`.\n+Run `garden plant`.\n",
      checks: [
        { command: "npm test", ended: "exit code 0", isPassed: true, output: "", artifact: "runs/npm-test.txt" },
      ],
      said: "The command has its new name.",
    },
    usage: { inputTokens: 41_000, cachedTokens: 30_000, outputTokens: 900, costUsd: 0.12 },
    ...change,
  };
}

export function questionRecord(change: Partial<QuestionView> & Pick<QuestionView, "id" | "question">): QuestionView {
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  return { at: new Date().toISOString(), expiresAt, options: [], isChoice: false, ...change };
}

export function triggerRecord(change: Partial<TriggerSummary> & Pick<TriggerSummary, "id">): TriggerSummary {
  return {
    type: "recurring",
    title: change.id,
    prompt: "…",
    target: "teller",
    priority: 5,
    createdAt: new Date().toISOString(),
    paused: false,
    schedule: { interval: 3_600 },
    missed: "latest",
    next: new Date(Date.now() + 3_600_000).toISOString(),
    recent: [],
    ...change,
  };
}
