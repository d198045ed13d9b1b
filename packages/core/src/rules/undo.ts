/**
 * Users undo changes (SPEC J3). A change is undone once: the undo is archived under its own name, so a command
 * that is cut off, or comes twice, finds it done. Later edits by other people stay as they are, and the answer says so.
 */

import { ancestorsOf, undoneId, unmergeId } from "@mimikit/protocol/base/id";
import type { MergeChange, TriggerEdit, UndoableChange } from "@mimikit/protocol/records/change";
import { Unmerging } from "@mimikit/protocol/records/improvement";
import type { UndoCommand } from "@mimikit/protocol/records/inbox";
import type { Task } from "@mimikit/protocol/records/task";
import type { Action } from "../base/action.ts";
import { openResults, openTasks, type Snapshot } from "../base/snapshot.ts";
import { unmergeTask } from "../tasks/improvement.ts";
import { changedBack, obstacleTo, remadeOf, triggerOfChange } from "../triggers/take-back-trigger.ts";
import { advanced, noted } from "../triggers/triggers.ts";
import { hasUndone } from "../triggers/undone.ts";

export function undo(snapshot: Snapshot, nowMs: number): Action[] {
  const commands = [...snapshot.inbox.values()].flatMap((command) =>
    command.kind === "undo" && !snapshot.isArchived(command.id) ? [command] : [],
  );
  const touched = new Set<string>();
  // Nor may a command overtake one that is granted already: it would be told of an obstacle that is none.
  const order = (command: UndoCommand) => `${isGranted(command, snapshot) ? 1 : 2} ${command.at} ${command.id}`;
  return commands
    .sort((a, b) => (order(a) < order(b) ? -1 : 1))
    .flatMap((command) => {
      // A second undo of the same change is answered when the first is done.
      if (touched.has(command.changeId)) return [];
      touched.add(command.changeId);
      return takeBack(command, snapshot.changes.get(command.changeId), snapshot, nowMs);
    });
}

/** Does a version of its trigger hold it? */
function isGranted({ id, changeId }: UndoCommand, snapshot: Snapshot): boolean {
  const change = snapshot.changes.get(changeId);
  if (change?.what !== "trigger") return false;
  return snapshot.triggers.get(triggerOfChange(change, snapshot))?.applied.includes(id) === true;
}

function takeBack(
  command: UndoCommand,
  change: UndoableChange | undefined,
  snapshot: Snapshot,
  nowMs: number,
): Action[] {
  const answer = (outcome: string): Action[] => [{ type: "answer-command", command, outcome }];
  if (snapshot.isArchived(undoneId(command.changeId)))
    return [{ type: "conclude-undo", command, outcome: "it was undone before" }];
  if (change === undefined)
    return answer(`refused: there is no change ${command.changeId}: see  mimikit undo  for those that are known`);
  if (change.what === "trigger") return takeTriggerBack(command, change, snapshot, nowMs);
  if (change.what === "improvement") return takeMergeBack(command, change, snapshot, nowMs);
  // The record of an edit comes before the edit: it is there to be undone when what wanted it is settled.
  const isMade =
    change.what === "config" || [change.id, ...ancestorsOf(change.id)].some((id) => snapshot.isArchived(id));
  return isMade ? [{ type: "undo", command, change }] : [];
}

/** A task does it, and what that comes to is the answer, before it is applied. After a refusal the user may ask again: the next try. */
function takeMergeBack(command: UndoCommand, change: MergeChange, snapshot: Snapshot, nowMs: number): Action[] {
  const isTry = (task: Task) => task.kind === "improve-undo" && task.improve.number === change.number;
  const result = openResults(snapshot).find(({ task }) => isTry(task));
  if (result !== undefined) {
    const unmerging = result.status === "done" ? Unmerging.safeParse(result.result).data : undefined;
    if (unmerging?.outcome === "undone") return [{ type: "conclude-undo", command, outcome: unmerging.note }];
    const problem = unmerging?.note ?? result.error ?? "it came to nothing";
    return [{ type: "answer-command", command, outcome: `refused: ${problem}` }];
  }
  if (openTasks(snapshot).some(isTry)) return [];
  let next = 1;
  while (snapshot.isArchived(unmergeId(change.number, next))) next++;
  return [{ type: "unmerge", task: unmergeTask(change, next, nowMs) }];
}

/** Is what wanted the change, a command or a turn, not settled yet? */
function isBeingMade({ id }: UndoableChange, snapshot: Snapshot): boolean {
  const wantedBy = [id, ...ancestorsOf(id)];
  const isOpen = snapshot.inbox.has(id) && !snapshot.isArchived(id);
  return isOpen || openResults(snapshot).some((result) => wantedBy.includes(result.id));
}

/** In two looks: the version that takes the change back and names the command; then, where it is durable, the end. */
function takeTriggerBack(command: UndoCommand, change: TriggerEdit, snapshot: Snapshot, nowMs: number): Action[] {
  // The record of a change comes before the change.
  if (isBeingMade(change, snapshot)) return [];
  const id = triggerOfChange(change, snapshot);
  const trigger = snapshot.triggers.get(id);
  const conclude = (outcome: string): Action[] => [{ type: "conclude-undo", command, outcome }];
  if (change.op === "delete") {
    if (trigger !== undefined || snapshot.isArchived(id)) return conclude(`undone: the trigger is ${id} now`);
  } else if (trigger?.applied.includes(command.id))
    return conclude(change.op === "create" ? `undone: deleted ${id}` : `undone: ${id} is as it was`);
  const obstacle = obstacleTo(change, snapshot, nowMs);
  if (obstacle !== null) return [{ type: "answer-command", command, outcome: `refused: ${obstacle}` }];
  if (change.op === "delete") return [{ type: "create-trigger", trigger: remadeOf(change, command.at) }];
  // Its last decision is carried out first: its next version would forget it.
  if (trigger === undefined || hasUndone(trigger, snapshot)) return [];
  const next = change.op === "create" ? advanced(trigger, { over: "deleted" }) : changedBack(trigger, change, nowMs);
  return [{ type: "advance", trigger: noted(next, command.id) }];
}
