/** Tasks, contexts and runs as the pool would make them, each with its own directories. */

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ToolCallRecord } from "@mimikit/agent/bus";
import type { Provider, SandboxMode } from "@mimikit/agent/provider";
import { Circuits } from "@mimikit/agent/run/circuit";
import { type AttemptOptions, type RunOutcome, runTask } from "@mimikit/agent/run/run-task";
import { Steering } from "@mimikit/agent/steering";
import type { Context } from "@mimikit/agent/tools/context";
import type { External } from "@mimikit/agent/tools/external";
import { HistoryIndex } from "@mimikit/memory/search/history-index";
import { byRole, KINDS, kindsOf } from "@mimikit/protocol/base/kind";
import type { Report } from "@mimikit/protocol/base/report";
import { Event, type Message } from "@mimikit/protocol/records/inbox";
import type { Question } from "@mimikit/protocol/records/question";
import { Task, type TurnInput } from "@mimikit/protocol/records/task";
import type { TaskSummary, TriggerSummary } from "@mimikit/protocol/wire/api";
import type { StreamLine } from "@mimikit/protocol/wire/stream";
import type { TranscriptEntry } from "@mimikit/protocol/wire/transcript";
import { MARK_VARIABLE, markOf } from "@mimikit/runtime/process/marked-processes";
import { runPath } from "@mimikit/store/disk/state";
import { onTestFinished } from "vitest";
import { offline } from "../../packages/agent/src/providers/offline/index.ts";

export const NOW = "2026-11-22T02:00:00.000Z";

export function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), "mimikit-agent-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** No file has anything yet: what was said is what the context has. */
const NOWHERE = join(tmpdir(), "mimikit-agent-nobody");
const NO_HISTORY = new HistoryIndex(NOWHERE);

export function contextOf(part: Partial<Context> = {}): Context {
  return {
    said: NO_HISTORY.with(part.history ?? []),
    now: NOW,
    history: [],
    summary: "",
    rules: "",
    persona: "",
    profile: "",
    longTexts: {},
    origin: [],
    tasks: [],
    summaries: {},
    triggers: [],
    questions: [],
    memory: [],
    recalled: [],
    memoryPlace: { home: NOWHERE, workDir: NOWHERE },
    skills: [],
    backlog: [],
    providers: byRole(() => "offline"),
    version: "0.1.0",
    ...part,
  };
}

/** Its kind follows from its role and from what it holds, as that of a record without one. Its texts may be of any length. */
export function taskOf(part: Partial<Task> & Pick<Task, "id" | "role">): Task {
  const task = {
    type: "oneshot",
    title: "a task",
    prompt: "",
    priority: 5,
    timeoutSec: null,
    createdAt: NOW,
    traceId: "t-000001",
    upstream: [],
    onInterrupt: "rerun",
    consumer: part.role === "planner" ? "supervisor" : "teller",
    ...(part.role === "teller" && { turn: { messages: [messageOf("hello")], events: [], results: [] } }),
    ...(part.role === "reviewer" && { improve: { number: 1, step: "review" } }),
    ...part,
  };
  const short = { title: "a task", prompt: "", upstream: [] };
  const turn = task.turn && { turn: { messages: [], events: [], results: [] } };
  const { data } = Task.safeParse({ ...task, ...short, ...turn });
  return { ...task, kind: data?.kind ?? kindsOf("order").find((kind) => KINDS[kind].role === part.role) } as Task;
}

export function messageOf(text: string, part: Partial<Message> = {}): Message {
  return { kind: "message", id: "m-1", at: NOW, text, ...part };
}

export function turnOf(part: Partial<TurnInput>): Task {
  return taskOf({ id: "t-000007", role: "teller", turn: { messages: [], events: [], results: [], ...part } });
}

export function summaryOf(part: Partial<TaskSummary> & Pick<TaskSummary, "id">): TaskSummary {
  return {
    role: "worker",
    type: "oneshot",
    title: "run `sleep 5`",
    prompt: "run `sleep 5`",
    state: "running",
    priority: 5,
    attempts: 1,
    createdAt: NOW,
    ...part,
  };
}

export function triggerSummaryOf(part: Partial<TriggerSummary> & Pick<TriggerSummary, "id">): TriggerSummary {
  return {
    type: "recurring",
    title: "the daily tests",
    prompt: "run `npm test`",
    target: "teller",
    priority: 5,
    createdAt: NOW,
    paused: false,
    schedule: { cron: "0 0 9 * * *", timezone: "Asia/Shanghai" },
    missed: "latest",
    next: "2026-11-23T01:00:00.000Z",
    recent: [],
    ...part,
  };
}

export function questionOf(part: Partial<Question> & Pick<Question, "id">): Question {
  return {
    at: NOW,
    expiresAt: "2026-11-22T03:00:00.000Z",
    question: "Which branch?",
    options: [],
    purpose: { type: "teller" },
    traceId: "t-000001",
    ...part,
  };
}

export function eventOf(name: Event["name"], data: Event["data"], part: Partial<Event> = {}): Event {
  return Event.parse({ kind: "event", id: "e-1", at: NOW, name, text: `It is about ${name}.`, data, ...part });
}

export function reportOf(part: Partial<Report>): Report {
  return {
    id: "t-000001.0.0",
    title: "run `ls`",
    role: "worker",
    status: "done",
    resultType: "text",
    result: { text: "README.md\n" },
    ...part,
  };
}

export interface Ran extends RunOutcome {
  lines: StreamLine[];
  calls: ToolCallRecord[];
  told: TranscriptEntry[];
  runDir: string;
  mark: string;
}

/** Runs a task through `runTask`, as the pool does. */
export async function run(
  task: Task,
  options: {
    provider?: Provider;
    /** A chain in place of `provider`. */
    providers?: readonly Provider[];
    problems?: readonly string[];
    circuits?: Circuits;
    monotonicMs?: number;
    context?: Partial<Context>;
    signal?: AbortSignal;
    workDir?: string;
    home?: string;
    sandbox?: SandboxMode;
    external?: External;
    attempt?: number;
    overBudget?: AttemptOptions["overBudget"];
    onStream?: (line: StreamLine) => void;
    steering?: Steering;
  } = {},
): Promise<Ran> {
  const directory = temporaryDirectory();
  const { home = directory, attempt = 1 } = options;
  const runDir = join(home, runPath(task.id, attempt));
  mkdirSync(runDir, { recursive: true });
  const mark = markOf(home, task.id, attempt);
  const lines: StreamLine[] = [];
  const calls: ToolCallRecord[] = [];
  const all: TranscriptEntry[] = [];
  const { steering = new Steering() } = options;
  const outcome = await runTask(
    {
      task,
      attempt,
      answerers: {
        providers: options.providers ?? [options.provider ?? offline],
        problems: options.problems ?? [],
      },
      circuits: options.circuits ?? new Circuits(() => ({ first: 5_000, max: 60_000 })),
      monotonicMs: () => options.monotonicMs ?? 0,
      context: contextOf(options.context),
      workDir: options.workDir ?? directory,
      home,
      sandbox: options.sandbox ?? "auto",
      ...(options.external !== undefined && { external: options.external }),
      runDir,
      environment: { [MARK_VARIABLE]: mark },
      overBudget: options.overBudget ?? (() => null),
      steering,
      onToolCall: (call) => calls.push(call),
      tell: (told) => all.push(told),
      onStream: (line) => {
        lines.push(line);
        options.onStream?.(line);
      },
    },
    options.signal ?? new AbortController().signal,
  );
  return { ...outcome, lines, calls, told: all, runDir, mark };
}

/** The Teller's turn for one message. */
export function tell(text: string, context: Partial<Context> = {}): Promise<Ran> {
  return run(turnOf({ messages: [messageOf(text)] }), { context });
}

/** The text of the reply; fails where there is none or more than one. */
export function replyOf({ effects }: Pick<RunOutcome, "effects">): string {
  const replies = effects.filter((effect) => effect.type === "reply");
  if (replies.length !== 1) throw new Error(`${replies.length} replies`);
  return replies[0]?.text ?? "";
}
