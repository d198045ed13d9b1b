/** Records as the gateway would send them, with only what a test cares about spelled out. */
import type { ChangeView, ChatMessage, QuestionView, Status, TaskSummary, TriggerSummary } from "@mimikit/protocol/api";

export function statusRecord(change: Partial<Status> = {}): Status {
  const alive = { pid: 1, alive: true };
  return {
    ready: true,
    version: "0.1.0",
    startedAt: "2026-11-22T08:00:00.000Z",
    workDir: "/home/me/project",
    providers: { teller: "offline", planner: "offline", worker: "offline", reviewer: "offline" },
    answered: {},
    passedOver: [],
    processes: { supervisor: alive, workers: alive, gateway: alive },
    counts: {
      inbox: 0,
      queued: { teller: 0, planner: 0, worker: 0, reviewer: 0 },
      running: { teller: 0, planner: 0, worker: 0, reviewer: 0 },
      questions: 0,
      triggers: 0,
      quarantine: 0,
    },
    next: null,
    usage: { today: { inputTokens: 0, outputTokens: 0, costUsd: 0 }, budget: { day: null, month: null } },
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
