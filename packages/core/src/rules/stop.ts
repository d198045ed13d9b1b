/**
 * A stop ends the running turn or task: a turn with an honest last word, work as cancelled. Its target is archived with
 * the command before it ends, so that a stop that is cut off does not end the next one too (SPEC I5). Steering
 * messages to a turn end with it: as messages they would start at once what the user has just stopped.
 */

import type { Steer } from "@mimikit/protocol/base/signal";
import type { StopCommand } from "@mimikit/protocol/records/inbox";
import { hasRoomFor, type Result } from "@mimikit/protocol/records/result";
import { isTurn, type Task } from "@mimikit/protocol/records/task";
import type { Action } from "../base/action.ts";
import { countAttempts, openTasks, type Snapshot } from "../base/snapshot.ts";
import { failedResult } from "../tasks/finish.ts";
import { outageOf, outagesOf } from "../tasks/retry.ts";
import { targetOf } from "../tasks/target.ts";

export function stop(snapshot: Snapshot, nowMs: number): Action[] {
  return [...snapshot.inbox.values()].flatMap((command) =>
    command.kind === "stop" ? end(command, snapshot, nowMs) : [],
  );
}

function end(command: StopCommand, snapshot: Snapshot, nowMs: number): Action[] {
  const decided = snapshot.isArchived(command.id);
  const decision = decided ? snapshot.decisionOf(command.id) : { taskId: meant(command, snapshot)?.id ?? null };
  if (decision === undefined) return [];
  const { taskId } = decision;
  const turn = openTasks(snapshot).find((task) => task.id === taskId && isTurn(task));
  const result = turn === undefined ? null : stopped(turn, snapshot, nowMs);
  return [{ type: "stop", command, taskId, result, outcome: taskId === null ? "nothing runs" : `stopped ${taskId}` }];
}

function meant({ taskId, only }: StopCommand, snapshot: Snapshot): Task | null {
  const target = targetOf(taskId, snapshot);
  return only === "reply" && target !== null && !isTurn(target) ? null : target;
}

function stopped(turn: Task, snapshot: Snapshot, nowMs: number): Result {
  const attempts = snapshot.attempts.get(turn.id) ?? [];
  const outage = outageOf(outagesOf(attempts));
  const result = failedResult(turn, "cancelled", "stopped by the user", nowMs, countAttempts(attempts), outage);
  const steers = saidTo(turn.id, snapshot);
  return steers.length > 0 ? { ...result, steers } : result;
}

/** Oldest first, as far as a result has room for it; the rest becomes messages. */
function saidTo(turn: string, snapshot: Snapshot): Steer[] {
  const signals = [...snapshot.signals.values()].filter(({ taskId }) => taskId === turn);
  const steers: Steer[] = [];
  for (const { id, at, text } of signals.sort((a, b) => Date.parse(a.at) - Date.parse(b.at)))
    if (hasRoomFor({ id, at, text }, steers)) steers.push({ id, at, text });
  return steers;
}
