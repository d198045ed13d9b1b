/**
 * A steering message is delivered to the running task exactly once: the decision is archived with the command before
 * anything follows from it. A message that no run received before its task ended becomes an ordinary message (SPEC I5,
 * docs/file-protocol.md#the-life-of-a-steer-and-of-a-stop).
 */
import type { SteerCommand } from "@mimikit/protocol/records/inbox";
import { isImprovement } from "@mimikit/protocol/records/task";
import type { Action, Removal } from "../base/action.ts";
import type { Snapshot } from "../base/snapshot.ts";
import { messageOf, targetOf } from "../tasks/target.ts";

export function steer(snapshot: Snapshot): Action[] {
  const actions: Action[] = [];
  for (const command of snapshot.inbox.values()) {
    if (command.kind === "steer") actions.push(...pass(command, snapshot));
  }
  const heard: Removal[] = [];
  for (const signal of snapshot.signals.values()) {
    const ids = snapshot.heardBy(signal.taskId);
    if (ids === undefined) continue;
    if (ids.has(signal.id)) heard.push({ from: "signals", id: signal.id });
    else actions.push({ type: "unheard", signal, message: messageOf(signal) });
  }
  if (heard.length > 0) actions.push({ type: "remove", removals: heard });
  return actions;
}

/** No turn reports a step of self-improvement: what was said to one would be in no conversation. */
function takerOf({ taskId }: SteerCommand, snapshot: Snapshot): string | null {
  const target = targetOf(taskId, snapshot);
  return target === null || isImprovement(target) ? null : target.id;
}

function pass(command: SteerCommand, snapshot: Snapshot): Action[] {
  // Archived and still here: what was decided may not have been carried out yet.
  const decided = snapshot.isArchived(command.id);
  const decision = decided ? snapshot.decisionOf(command.id) : { taskId: takerOf(command, snapshot) };
  if (decision === undefined) return [];
  const { taskId } = decision;
  const outcome = taskId === null ? "nothing runs: it became a message" : `passed on to ${taskId}`;
  return [{ type: "steer", command, taskId, outcome }];
}
