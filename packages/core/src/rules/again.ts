/**
 * An ended task is run again. It is a new task whose id follows from the command, so a command that is cut off, or
 * comes twice, makes one; the first task stays as it is.
 */

import { againId } from "@mimikit/protocol/base/id";
import type { AgainCommand } from "@mimikit/protocol/records/inbox";
import { blankTask, type Task } from "@mimikit/protocol/records/task";
import type { Action } from "../base/action.ts";
import type { Snapshot } from "../base/snapshot.ts";
import { titleOf } from "../base/title.ts";

export function again(snapshot: Snapshot, nowMs: number): Action[] {
  return [...snapshot.inbox.values()].flatMap((command) =>
    command.kind === "again" && !snapshot.isArchived(command.id) ? [grant(command, snapshot, nowMs)] : [],
  );
}

function grant(command: AgainCommand, snapshot: Snapshot, nowMs: number): Action {
  const first = snapshot.resultOf(command.taskId)?.task;
  const task = first === undefined ? null : taskAgain(first, command, nowMs);
  if (task !== null) return { type: "again", command, task };
  const reason =
    first === undefined ? "no task of this id has ended" : "only a task that was requested can be run again";
  return { type: "answer-command", command, outcome: `refused: ${reason}` };
}

/** The same order once more, from the user; null if the first was not requested. */
function taskAgain(first: Task, { id: commandId, text }: AgainCommand, nowMs: number): Task | null {
  if (first.kind !== "work" && first.kind !== "plan") return null;
  const id = againId(first.id, commandId);
  const { title, prompt, priority, timeoutSec, upstream, onInterrupt, skill, pool } = first;
  return {
    ...blankTask(first.kind),
    id,
    title: text === undefined ? title : titleOf(text),
    prompt: text ?? prompt,
    priority,
    timeoutSec,
    upstream,
    onInterrupt,
    createdAt: new Date(nowMs).toISOString(),
    traceId: id,
    againOf: first.id,
    ...(skill !== undefined && { skill }),
    ...(pool !== undefined && { pool }),
  };
}
