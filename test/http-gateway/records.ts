/** Records as the supervisor and the pool would write them. */

import { turnId } from "@mimikit/protocol/base/id";
import { NO_USAGE } from "@mimikit/protocol/base/usage";
import { Claim, FailedAttempt } from "@mimikit/protocol/records/claim";
import type { Effect } from "@mimikit/protocol/records/effect";
import { Event, Message } from "@mimikit/protocol/records/inbox";
import { Question } from "@mimikit/protocol/records/question";
import { Result } from "@mimikit/protocol/records/result";
import { Task } from "@mimikit/protocol/records/task";
import { NO_EVIDENCE, type Recurring, type Trigger, TriggerRecord } from "@mimikit/protocol/records/trigger";
import { ownIdentity } from "@mimikit/runtime/process/identity";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { createRecord, readRecord } from "@mimikit/store/disk/record";
import {
  archivePath,
  claimPath,
  failedAttemptPath,
  inboxPath,
  questionPath,
  queuePath,
  resultPath,
  triggerPath,
} from "@mimikit/store/disk/state";

export const NOON = "2026-11-21T12:00:00.000Z";

export function taskOf(id: string, more: Partial<Task> = {}): Task {
  return Task.parse({
    id,
    role: "worker",
    type: "oneshot",
    title: `title of ${id}`,
    prompt: `prompt of ${id}`,
    priority: 5,
    timeoutSec: null,
    createdAt: NOON,
    traceId: id,
    upstream: [],
    onInterrupt: "rerun",
    consumer: "teller",
    ...(more.role === "teller" && { turn: { messages: [], events: [], results: [] } }),
    ...more,
  });
}

export function resultOf(task: Task, more: Partial<Result> = {}): Result {
  return {
    id: task.id,
    task,
    status: "done",
    resultType: task.role === "teller" ? "turn" : task.role === "planner" ? "plan" : "text",
    result: task.role === "teller" ? {} : task.role === "planner" ? { tasks: [] } : { text: `result of ${task.id}` },
    effects: [],
    attempts: 1,
    completedAt: NOON,
    usage: NO_USAGE,
    ...more,
  };
}

export async function queue(fs: FileSystem, task: Task): Promise<Task> {
  await createRecord(fs, Task, queuePath(task.role, task.id), task);
  return task;
}

export async function wait(fs: FileSystem, task: Task, after: string): Promise<void> {
  const condition = { type: "task_done" as const, params: { taskId: after } };
  const trigger: TriggerRecord = { id: task.id, version: 1, type: "link", condition, task, evidence: NO_EVIDENCE };
  await createRecord(fs, TriggerRecord, triggerPath(task.id, 1), trigger);
}

/** A trigger that fires every hour, the next time far in the future. */
export function recurringOf(id: string, more: Partial<Recurring> = {}): Recurring {
  return {
    id,
    version: 1,
    type: "recurring",
    createdAt: NOON,
    title: `title of ${id}`,
    prompt: `prompt of ${id}`,
    target: "worker",
    priority: 5,
    timeoutSec: null,
    onInterrupt: "rerun",
    traceId: id,
    depth: 0,
    paused: false,
    applied: [],
    decision: { fire: [], skip: [] },
    recent: [],
    schedule: { interval: 3_600 },
    missed: "latest",
    last: "2126-11-21T12:00:00.000Z",
    ...more,
  };
}

/** Creates this version of a trigger. */
export async function stand<T extends Trigger>(fs: FileSystem, trigger: T): Promise<T> {
  await createRecord(fs, TriggerRecord, triggerPath(trigger.id, trigger.version), trigger);
  return trigger;
}

/** An open question for the Teller. */
export async function ask(fs: FileSystem, id: string, more: Partial<Question> = {}): Promise<Question> {
  const question: Question = {
    id,
    at: NOON,
    expiresAt: "2126-11-21T13:00:00.000Z",
    question: `question ${id}`,
    options: [],
    purpose: { type: "teller" },
    traceId: id,
    ...more,
  };
  await createRecord(fs, Question, questionPath(id), question);
  return question;
}

export async function claim(fs: FileSystem, task: Task, attempt = 1): Promise<void> {
  const record: Claim = { id: task.id, attempt, owner: ownIdentity(), at: NOON };
  await createRecord(fs, Claim, claimPath(task.role, task.id, attempt), record);
}

export async function failAttempt(
  fs: FileSystem,
  task: Task,
  attempt = 1,
  more: Partial<FailedAttempt> = {},
): Promise<void> {
  const record: FailedAttempt = {
    id: task.id,
    attempt,
    failureReason: "timeout",
    error: "too slow",
    at: NOON,
    retryAt: NOON,
    ...more,
  };
  await createRecord(fs, FailedAttempt, failedAttemptPath(task.role, task.id, attempt), record);
}

export async function finish(fs: FileSystem, task: Task, more: Partial<Result> = {}): Promise<Result> {
  const result = resultOf(task, more);
  await createRecord(fs, Result, resultPath(task.role, task.id), result);
  return result;
}

/** Archives a result and drops everything that came before it, in the order of the protocol. */
export async function archive(fs: FileSystem, result: Result): Promise<void> {
  const { id, task } = result;
  await createRecord(fs, Result, archivePath(id), result);
  await fs.unlink(queuePath(task.role, id));
  await fs.unlink(resultPath(task.role, id));
}

/** Turn `n` that answers these messages of inbox/ with `reply`, written whole: queued, answered, archived, cleaned up. */
export async function settleTurn(
  fs: FileSystem,
  n: number,
  messageIds: string[],
  reply: string,
  effects: Effect[] = [],
  events: Event[] = [],
  more: Partial<Result> = {},
): Promise<Result> {
  const messages: Message[] = [];
  for (const id of messageIds) {
    const message = await readRecord(fs, Message, inboxPath(id));
    if (message === null) throw new Error(`${id} is not in inbox/`);
    messages.push(message);
  }
  const turn = { messages, events, results: [] };
  const task = await queue(fs, taskOf(turnId(n), { role: "teller", consumer: "supervisor", prompt: "", turn }));
  const result = await finish(fs, task, { ...more, effects: [...effects, { type: "reply", text: reply }] });
  for (const message of messages) await createRecord(fs, Message, archivePath(message.id), message);
  for (const event of events) await createRecord(fs, Event, archivePath(event.id), event);
  await createRecord(fs, Result, archivePath(result.id), result);
  for (const { id } of [...messages, ...events]) await fs.unlink(inboxPath(id));
  await archive(fs, result);
  return result;
}
