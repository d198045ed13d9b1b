/** The events that a record of the state tells of. Pure; which hooks want them is decided by `wants.ts`. */

import { KINDS } from "@mimikit/protocol/base/kind";
import type { Archived } from "@mimikit/protocol/records/archive";
import { HOOK_TEXT_CHARS_MAX, type HookEvent } from "@mimikit/protocol/records/hook";
import type { Event } from "@mimikit/protocol/records/inbox";
import type { Question } from "@mimikit/protocol/records/question";
import type { Result } from "@mimikit/protocol/records/result";
import type { Task } from "@mimikit/protocol/records/task";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";

const TITLE_CHARS_MAX = 200;

/** A task that ended: of the orders of the owner and of what triggers fire, neither turns nor upkeep. A cancelled task has not failed. */
export function ofResult(result: Result): HookEvent[] {
  const { id, task, status, failureReason, error, completedAt } = result;
  if (KINDS[task.kind].part !== "order") return ofTask(task);
  const data = { id, title: cut(task.title, TITLE_CHARS_MAX), role: task.role, ...byTrigger(task.triggerId) };
  const isFailed = status === "failed" && failureReason !== "cancelled";
  const ended: HookEvent[] = [];
  if (status === "done")
    ended.push({ type: "task_done", timestamp: completedAt, data: { ...data, text: cut(textOf(result.result)) } });
  if (isFailed)
    ended.push({
      type: "task_failed",
      timestamp: completedAt,
      data: { ...data, text: cut(error ?? ""), ...(failureReason !== undefined && { failureReason }) },
    });
  return [...ofTask(task), ...ended];
}

/** A task that a trigger has fired: the firing itself, not the tasks that it is cut into. */
export function ofTask({ id, title, prompt, createdAt, triggerId, occurrence }: Task): HookEvent[] {
  if (triggerId === undefined || occurrence === undefined || !id.startsWith(`${triggerId}--`)) return [];
  const data = { id, title: cut(title, TITLE_CHARS_MAX), text: cut(prompt), trigger: triggerId, occurrence };
  return [{ type: "trigger_fired", timestamp: createdAt, data }];
}

export function ofQuestion({ id, at, question, options, expiresAt, triggerId }: Question): HookEvent[] {
  const title = cut(question.split("\n", 1).join(), TITLE_CHARS_MAX);
  const data = { id, title, text: cut(question), options, expiresAt, ...byTrigger(triggerId) };
  return [{ type: "question_asked", timestamp: at, data }];
}

/** That a budget is used up, and what a trigger says in the conversation. */
export function ofEvent(event: Event): HookEvent[] {
  const { id, at, name, text } = event;
  if (name === "budget")
    return [{ type: "budget_reached", timestamp: at, data: { id, title: "the budget is used up", text: cut(text) } }];
  if (name !== "cron_trigger" || event.data.triggerId === undefined) return [];
  const { prompt, occurrence, triggerId, title } = event.data;
  const named = cut(typeof title === "string" ? title : text, TITLE_CHARS_MAX);
  return [
    {
      type: "trigger_fired",
      timestamp: at,
      data: { id, title: named, text: cut(prompt), trigger: triggerId, occurrence },
    },
  ];
}

export function ofArchived(record: Archived): HookEvent[] {
  if ("task" in record) return ofResult(record);
  if (record.kind === "question") return ofQuestion(record.question);
  return record.kind === "event" ? ofEvent(record) : [];
}

function byTrigger(trigger: string | undefined) {
  return trigger === undefined ? {} : { trigger };
}

/** The result of a task as text; JSON where it is none. */
function textOf(result: unknown): string {
  if (typeof result !== "object" || result === null) return "";
  for (const name of ["text", "summary", "commitMessage"] as const) {
    const value: unknown = Reflect.get(result, name);
    if (typeof value === "string") return value;
  }
  return JSON.stringify(result);
}

function cut(text: string, max = HOOK_TEXT_CHARS_MAX): string {
  return text.length <= max ? text : `${beginningOf(text, max - 1)}…`;
}
