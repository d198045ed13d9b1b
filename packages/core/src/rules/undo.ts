/**
 * Users undo changes (SPEC J3). A change is undone once: the undo is archived under its own name, so a command
 * that is cut off, or comes twice, finds it done. Later edits by other people stay as they are, and the answer says so.
 */

import { ancestorsOf, undoneId, unmergeId } from "@mimikit/protocol/base/id";
import type { Change, MergeChange, StandingChange } from "@mimikit/protocol/records/change";
import { Unmerging } from "@mimikit/protocol/records/improvement";
import type { UndoWish } from "@mimikit/protocol/records/inbox";
import type { Task } from "@mimikit/protocol/records/task";
import type { Action } from "../base/action.ts";
import { openResults, openTasks, type Snapshot } from "../base/snapshot.ts";
import { unmergeTask } from "../tasks/improvement.ts";
import { changedBack, obstacleTo, remadeOf, triggerOfChange } from "../triggers/take-back-trigger.ts";
import { advanced, noted } from "../triggers/triggers.ts";
import { hasUndone } from "../triggers/undone.ts";

export function undo(snapshot: Snapshot, nowMs: number): Action[] {
  const wishes = [...snapshot.inbox.values()].flatMap((wish) =>
    wish.kind === "undo" && !snapshot.isArchived(wish.id) ? [wish] : [],
  );
  const touched = new Set<string>();
  // Nor may a command overtake one that is granted already: it would be told of an obstacle that is none.
  const order = (wish: UndoWish) => `${isGranted(wish, snapshot) ? 1 : 2} ${wish.at} ${wish.id}`;
  return wishes
    .sort((a, b) => (order(a) < order(b) ? -1 : 1))
    .flatMap((wish) => {
      // A second undo of the same change is answered when the first is done.
      if (touched.has(wish.changeId)) return [];
      touched.add(wish.changeId);
      return takeBack(wish, snapshot.changes.get(wish.changeId), snapshot, nowMs);
    });
}

/** Does a version of its trigger hold it? */
function isGranted({ id, changeId }: UndoWish, snapshot: Snapshot): boolean {
  const change = snapshot.changes.get(changeId);
  if (change?.what !== "trigger") return false;
  return snapshot.standing.get(triggerOfChange(change, snapshot))?.applied.includes(id) === true;
}

function takeBack(wish: UndoWish, change: Change | undefined, snapshot: Snapshot, nowMs: number): Action[] {
  const answer = (outcome: string): Action[] => [{ type: "answer-wish", wish, outcome }];
  if (snapshot.isArchived(undoneId(wish.changeId)))
    return [{ type: "conclude-undo", wish, outcome: "it was undone before" }];
  if (change === undefined)
    return answer(`refused: there is no change ${wish.changeId}: see  mimikit undo  for those that are known`);
  if (change.what === "trigger") return takeTriggerBack(wish, change, snapshot, nowMs);
  if (change.what === "improvement") return takeMergeBack(wish, change, snapshot, nowMs);
  // The record of an edit comes before the edit: it is there to be undone when what wanted it is settled.
  const isMade =
    change.what === "config" || [change.id, ...ancestorsOf(change.id)].some((id) => snapshot.isArchived(id));
  return isMade ? [{ type: "undo", wish, change }] : [];
}

/** A task does it, and what that comes to is the answer, before it is applied. After a refusal the user may ask again: the next try. */
function takeMergeBack(wish: UndoWish, change: MergeChange, snapshot: Snapshot, nowMs: number): Action[] {
  const isTry = (task: Task) => task.kind === "improve-undo" && task.improve.number === change.number;
  const result = openResults(snapshot).find(({ task }) => isTry(task));
  if (result !== undefined) {
    const unmerging = result.status === "done" ? Unmerging.safeParse(result.result).data : undefined;
    if (unmerging?.outcome === "undone") return [{ type: "conclude-undo", wish, outcome: unmerging.note }];
    const problem = unmerging?.note ?? result.error ?? "it came to nothing";
    return [{ type: "answer-wish", wish, outcome: `refused: ${problem}` }];
  }
  if (openTasks(snapshot).some(isTry)) return [];
  let next = 1;
  while (snapshot.isArchived(unmergeId(change.number, next))) next++;
  return [{ type: "unmerge", task: unmergeTask(change, next, nowMs) }];
}

/** In two looks: the version that takes the change back and names the command; then, where it is durable, the end. */
function takeTriggerBack(wish: UndoWish, change: StandingChange, snapshot: Snapshot, nowMs: number): Action[] {
  const id = triggerOfChange(change, snapshot);
  const trigger = snapshot.standing.get(id);
  const conclude = (outcome: string): Action[] => [{ type: "conclude-undo", wish, outcome }];
  if (change.op === "delete") {
    if (trigger !== undefined || snapshot.isArchived(id)) return conclude(`undone: the trigger is ${id} now`);
  } else if (trigger?.applied.includes(wish.id))
    return conclude(change.op === "create" ? `undone: deleted ${id}` : `undone: ${id} is as it was`);
  const obstacle = obstacleTo(change, snapshot, nowMs);
  if (obstacle !== null) return [{ type: "answer-wish", wish, outcome: `refused: ${obstacle}` }];
  if (change.op === "delete") return [{ type: "create-trigger", trigger: remadeOf(change, wish.at) }];
  // Its last decision is carried out first: its next version would forget it.
  if (trigger === undefined || hasUndone(trigger, snapshot)) return [];
  const next = change.op === "create" ? advanced(trigger, { over: "deleted" }) : changedBack(trigger, change, nowMs);
  return [{ type: "advance", trigger: noted(next, wish.id) }];
}
