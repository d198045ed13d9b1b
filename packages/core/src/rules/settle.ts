/** A result's effects become records, each under its derived id; then the result itself is history (PROTOCOL step 5). */

import type { EffectOf } from "@mimikit/protocol/effect";
import { ancestorsOf, childId } from "@mimikit/protocol/id";
import type { Event } from "@mimikit/protocol/inbox";
import { type Result, reportOf } from "@mimikit/protocol/result";
import { PRIORITY_DEFAULT, type Task } from "@mimikit/protocol/task";
import type { Action, Settlement } from "../action.ts";
import { isPermitted } from "../permissions.ts";
import { isCancelled, openResults, type Snapshot } from "../snapshot.ts";

const TITLE_FROM_PROMPT_CHARS = 80;

export function settle(snapshot: Snapshot): Action[] {
  return openResults(snapshot)
    .filter(isSettledAtOnce)
    .map((result) => ({ type: "settle", settlement: settlementOf(result, isCancelled(snapshot, result.id)) }));
}

/** Turns settle themselves; plans that succeeded are the supervisor's. Everything else waits for the Teller's report. */
export function isSettledAtOnce(result: Result): boolean {
  if (result.task.turn !== undefined) return true;
  return result.task.consumer === "supervisor" && result.status === "done";
}

/** What settling `result` means. A cancelled plan starts nothing any more, but still says so. */
export function settlementOf(result: Result, cancelled: boolean): Settlement {
  const { task } = result;
  const settlement: Settlement = {
    result,
    tasks: [],
    triggers: [],
    edits: [],
    cancels: [],
    events: [],
    messages: task.turn?.messages.map((message) => message.id) ?? [],
    clears: task.turn?.clear === undefined ? [] : [task.turn.clear],
    consumedEvents: task.turn?.events.map((event) => event.id) ?? [],
    reports: task.turn?.results.map((report) => report.id) ?? [],
  };
  let isFirst = true;
  if (!cancelled)
    for (const [k, effect] of result.effects.entries()) {
      if (!isPermitted(task.role, effect)) continue;
      const id = childId(result.id, k);
      switch (effect.type) {
        case "reply":
          break;
        case "delegate": {
          const child = { ...childTask(id, effect, result), ...(isFirst && steersOf(result)) };
          isFirst = false;
          if (effect.condition === undefined) settlement.tasks.push(child);
          else settlement.triggers.push({ id, condition: effect.condition, task: child });
          break;
        }
        case "remember":
          settlement.edits.push({
            document: "memory",
            id,
            at: result.completedAt,
            content: effect.content,
            longTerm: effect.longTerm,
          });
          break;
        case "update_backlog":
          settlement.edits.push({ document: "backlog", id, op: effect.op, item: effect.item });
          break;
        case "cancel_task":
          settlement.cancels.push(effect.id);
          break;
        default:
          effect satisfies never;
      }
    }
  const started = settlement.tasks.length + settlement.triggers.length;
  if (task.role === "planner" && started === 0) settlement.events.push(planWithoutTasks(result, cancelled));
  return settlement;
}

/** A plan of no tasks has nobody to report it, so it reports itself. */
function planWithoutTasks(result: Result, cancelled: boolean): Event {
  return {
    kind: "event",
    id: `${result.id}.report`,
    at: result.completedAt,
    name: "task_result",
    text: cancelled
      ? `The plan "${result.task.title}" was cancelled.`
      : `The plan "${result.task.title}" needed no tasks.`,
    data: { ...reportOf(result), cancelled },
  };
}

/** Nobody reports a plan that went well: its first task hands on what the user said to it. */
function steersOf({ task, steers }: Result): Pick<Task, "steers"> {
  return task.role === "planner" && steers !== undefined ? { steers } : {};
}

function childTask(id: string, effect: EffectOf<"delegate">, parent: Result): Task {
  const role = parent.task.role === "teller" ? "planner" : "worker";
  return {
    id,
    role,
    type: "oneshot",
    title: effect.title ?? titleOf(effect.prompt),
    prompt: effect.prompt,
    priority: effect.priority ?? (role === "worker" ? parent.task.priority : PRIORITY_DEFAULT),
    timeoutSec: effect.timeoutSec ?? null,
    createdAt: parent.completedAt,
    traceId: parent.task.traceId,
    parentId: parent.id,
    upstream: [],
    onInterrupt: "rerun",
    consumer: role === "planner" ? "supervisor" : "teller",
  };
}

/** The first line of a prompt, short enough for a list. */
export function titleOf(prompt: string): string {
  const line = prompt.trim().split("\n", 1)[0] ?? "";
  const short = line.length > TITLE_FROM_PROMPT_CHARS ? `${line.slice(0, TITLE_FROM_PROMPT_CHARS - 1)}…` : line;
  return short || "task";
}

/** The turn that everything below an id came from: `t-000042.1.0` → `t-000042`. */
export function rootOf(id: string): string {
  return ancestorsOf(id).at(-1) ?? id;
}
