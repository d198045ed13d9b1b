/** Literals for tests of decisions: a task, a result, a snapshot, with only what the test is about spelled out. */

import { NO_SPENDING, type Spending } from "@mimikit/core/base/budget";
import { MEMORY_BOUNDS } from "@mimikit/core/base/memory-bounds";
import type { MemoryFacts, Snapshot, TalkAround } from "@mimikit/core/base/snapshot";
import type { Report } from "@mimikit/protocol/base/report";
import type { Signal } from "@mimikit/protocol/base/signal";
import { NO_USAGE } from "@mimikit/protocol/base/usage";
import type { UndoableChange } from "@mimikit/protocol/records/change";
import type { Message } from "@mimikit/protocol/records/inbox";
import type { ClosedQuestion, Question } from "@mimikit/protocol/records/question";
import type { Result } from "@mimikit/protocol/records/result";
import { Task, type TurnInput } from "@mimikit/protocol/records/task";
import {
  type Conditional,
  type DependentTask,
  NO_DECISION,
  NO_EVIDENCE,
  type Recurring,
  type Scheduled,
  type Trigger,
} from "@mimikit/protocol/records/trigger";
import type { Condition } from "@mimikit/protocol/triggers/condition";

export const NOON = "2026-11-22T12:00:00.000Z";
export const NOON_MS = Date.parse(NOON);

const NOTHING = { messages: [], events: [], results: [] };

export function message(id: string, text = "hello"): Message {
  return { kind: "message", id, at: NOON, text };
}

export function task(id: string, more: Partial<Task> = {}): Task {
  const own = /^t-\d+$/.test(id) ? "teller" : id.split(".").length === 2 ? "planner" : "worker";
  const { role = own } = more;
  const dot = id.lastIndexOf(".");
  return Task.parse({
    id,
    role,
    type: "oneshot",
    title: `title of ${id}`,
    prompt: `prompt of ${id}`,
    priority: 5,
    timeoutSec: null,
    createdAt: NOON,
    traceId: id.split(".")[0] ?? id,
    ...(dot > 0 && { parentId: id.slice(0, dot) }),
    upstream: [],
    onInterrupt: "rerun",
    consumer: role === "worker" ? "teller" : "supervisor",
    ...(role === "teller" && { turn: NOTHING }),
    ...more,
  });
}

export function turn(id: string, input: Partial<TurnInput>): Task {
  return task(id, { prompt: "", turn: { ...NOTHING, ...input } });
}

export function done(of: Task, more: Partial<Result> = {}): Result {
  const resultType = of.role === "teller" ? "turn" : of.role === "planner" ? "plan" : "text";
  const result = { turn: {}, plan: { tasks: [] }, text: { text: `output of ${of.id}` } }[resultType];
  return {
    id: of.id,
    task: of,
    status: "done",
    resultType,
    result,
    effects: [],
    attempts: 1,
    completedAt: NOON,
    usage: NO_USAGE,
    ...more,
  };
}

export function failed(of: Task, more: Partial<Result> = {}): Result {
  return done(of, { status: "failed", result: null, failureReason: "error", error: "exit 1", ...more });
}

/** The dependent task. */
export function dependentOn(of: Task, condition: Condition): DependentTask {
  return { id: of.id, version: 1, type: "link", condition, task: of, evidence: NO_EVIDENCE };
}

function triggerFields(id: string) {
  return {
    id,
    version: 1,
    createdAt: NOON,
    title: `title of ${id}`,
    prompt: `prompt of ${id}`,
    target: "worker" as const,
    priority: 5,
    timeoutSec: null,
    onInterrupt: "rerun" as const,
    traceId: id,
    depth: 0,
    paused: false,
    applied: [],
    decision: NO_DECISION,
    recent: [],
  };
}

/** Every minute from noon, where nothing else is said. */
export function recurring(id: string, more: Partial<Recurring> = {}): Recurring {
  return { ...triggerFields(id), type: "recurring", schedule: { interval: 60 }, missed: "latest", last: NOON, ...more };
}

export function scheduled(id: string, more: Partial<Scheduled> = {}): Scheduled {
  return { ...triggerFields(id), type: "scheduled", runAt: NOON, missed: "latest", ...more };
}

/** It waits for a file, where nothing else is said. */
export function conditional(id: string, more: Partial<Conditional> = {}): Conditional {
  const condition: Condition = { type: "file_exists", params: { path: "flag" } };
  const state = { condition, cooldownSec: 0, evidence: NO_EVIDENCE, isArmed: true, fired: 0 };
  return { ...triggerFields(id), type: "conditional", ...state, ...more };
}

interface Facts {
  inbox?: Snapshot["inbox"] extends ReadonlyMap<string, infer W> ? W[] : never;
  dropped?: Snapshot["dropped"];
  unreadable?: Snapshot["unreadable"];
  dependents?: DependentTask[];
  triggers?: Trigger[];
  staleVersions?: Snapshot["staleVersions"];
  questions?: Question[];
  closed?: Record<string, ClosedQuestion>;
  /** The conversation around every question; nothing by default. */
  talk?: TalkAround;
  stamps?: Record<string, string>;
  /** The changed files of every path, by the moment after which they changed. */
  changed?: (path: string, sinceMs: number) => string[];
  /** Paths that have not been the same for as long as they must. */
  moving?: string[];
  timeZone?: string;
  evaluation?: Snapshot["evaluation"];
  memory?: Partial<MemoryFacts>;
  ceiling?: Snapshot["ceiling"];
  ownOrdersMax?: number;
  spentByTrigger?: Record<string, Spending>;
  silentAway?: string[];
  signals?: Signal[];
  heard?: Record<string, string[]>;
  decisions?: Record<string, string | null>;
  queue?: Task[];
  changes?: UndoableChange[];
  attempts?: Record<string, Snapshot["attempts"] extends ReadonlyMap<string, infer A> ? A : never>;
  results?: Result[];
  archive?: string[];
  ended?: Record<string, Result>;
  outcomes?: Record<string, Report>;
  lastAnswer?: Snapshot["lastAnswer"];
  settledTurn?: number;
  improving?: Partial<Snapshot["improving"]>;
}

/** Self-improvement is off, where nothing else is said. */
const NOT_IMPROVING: Snapshot["improving"] = {
  isEnabled: false,
  lacks: null,
  idleSec: 300,
  limit: {},
  spent: NO_SPENDING,
  number: 0,
  failures: 0,
  activeMs: NOON_MS,
};

/** Nothing is to be kept in memory. */
export const NOTHING_SAID: MemoryFacts = {
  bounds: MEMORY_BOUNDS,
  note: null,
  said: [],
  windowMessages: 0,
  flushedAt: null,
  rollUp: null,
};

function byId<T extends { id: string }>(records: readonly T[] = []): Map<string, T> {
  return new Map(records.map((record) => [record.id, record]));
}

/** With everything in view: what a rule may act upon is not picked out beforehand. */
export function attendingToAll<S extends Pick<Snapshot, "queue" | "dependents" | "triggers" | "attempts">>(all: S) {
  const { queue, dependents, triggers, attempts } = all;
  return { ...all, attention: { tasks: queue, dependents, triggers, attempts } };
}

export function snapshot(facts: Facts): Snapshot {
  const archive = new Set(facts.archive);
  const tasks = facts.queue ?? [];
  return attendingToAll({
    queuedOf: (...kinds) => tasks.filter(({ kind }) => kinds.includes(kind)),
    queuedBy: (id) => tasks.filter(({ triggerId }) => triggerId === id),
    childrenOf: (id) => ({
      tasks: tasks.filter(({ parentId }) => parentId === id),
      dependents: (facts.dependents ?? []).filter(({ task: { parentId } }) => parentId === id),
    }),
    inbox: byId(facts.inbox),
    dropped: facts.dropped ?? new Map(),
    unreadable: facts.unreadable ?? [],
    dependents: byId(facts.dependents),
    triggers: byId(facts.triggers),
    staleVersions: facts.staleVersions ?? [],
    questions: byId(facts.questions),
    closedQuestion: (id) => facts.closed?.[id],
    talkAround: () => facts.talk ?? { since: [] },
    stampOf: (path) => facts.stamps?.[path],
    changedSince: (path, sinceMs) => facts.changed?.(path, sinceMs) ?? [],
    hasSettled: (path) => facts.moving?.includes(path) !== true,
    timeZone: facts.timeZone ?? "UTC",
    evaluation: facts.evaluation ?? null,
    memory: { ...NOTHING_SAID, ...facts.memory },
    ceiling: facts.ceiling ?? null,
    ownOrdersMax: facts.ownOrdersMax ?? 10,
    silentAway: new Set(facts.silentAway),
    spentByTrigger: (id) => facts.spentByTrigger?.[id] ?? NO_SPENDING,
    signals: byId(facts.signals),
    changes: byId(facts.changes),
    queue: byId(facts.queue),
    attempts: new Map(Object.entries(facts.attempts ?? {})),
    results: byId(facts.results),
    isArchived: (id) => archive.has(id),
    resultOf: (id) => facts.ended?.[id],
    outcomeOf: (id) => facts.outcomes?.[id],
    heardBy: (id) => (facts.heard?.[id] === undefined ? undefined : new Set(facts.heard[id])),
    decisionOf: (id) => {
      const taskId = facts.decisions?.[id];
      return taskId === undefined ? undefined : { taskId };
    },
    lastAnswer: facts.lastAnswer ?? null,
    settledTurn: facts.settledTurn ?? 0,
    improving: { ...NOT_IMPROVING, ...facts.improving },
  } satisfies Omit<Snapshot, "attention">);
}
