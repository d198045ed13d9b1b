/**
 * Applied records leave their directories; the archive remembers them
 * (docs/file-protocol.md#the-life-of-a-message step 6).
 */
import type { Action, Removal } from "../base/action.ts";
import type { Snapshot } from "../base/snapshot.ts";

/** So that one tick stays short whatever has piled up. */
export const REMOVALS_PER_TICK_MAX = 500;

export function prune(snapshot: Snapshot): Action[] {
  const { attention } = snapshot;
  const removals: Removal[] = [];
  for (const { id, kind } of snapshot.inbox.values()) {
    // A decided steer or stop may not be carried out yet: its executor removes the command.
    const isDone = kind !== "steer" && kind !== "stop" && snapshot.isArchived(id);
    if (isDone) removals.push({ from: "inbox", id });
  }
  for (const { id, version } of attention.dependents.values()) {
    const spent = snapshot.queue.has(id) || snapshot.results.has(id) || snapshot.isArchived(id);
    if (spent) removals.push({ from: "triggers", id, version });
  }
  // The newest version goes last: a reader meanwhile never takes an older one for it.
  for (const { id, version } of snapshot.staleVersions) removals.push({ from: "triggers", id, version });
  for (const { id, version, applied } of attention.triggers.values()) {
    // It says which commands were granted, until they are answered.
    const isAnswered = applied.every((commandId) => !snapshot.inbox.has(commandId) || snapshot.isArchived(commandId));
    if (snapshot.isArchived(id) && isAnswered) removals.push({ from: "triggers", id, version });
  }
  for (const { id, role } of attention.tasks.values()) {
    if (snapshot.isArchived(id)) removals.push({ from: "queue", role, id });
  }
  for (const [id, attempts] of attention.attempts) {
    const isGone = snapshot.isArchived(id);
    const isOrphan = !snapshot.queue.has(id) && !snapshot.results.has(id);
    for (const { role, attempt, ownerAlive, isJoined } of attempts) {
      if (isGone || (isOrphan && !ownerAlive))
        removals.push({ from: "running", role, id, attempt, ...(isJoined && { isJoined }) });
    }
    // The first says since when, the last counts the attempts; a week of them in between says nothing more.
    const outages = attempts.filter(({ failed }) => failed?.outage === true);
    for (const { role, attempt, isJoined } of isGone || isOrphan ? [] : outages.slice(1, -1))
      removals.push({ from: "outages", role, id, attempt, ...(isJoined && { isJoined }) });
  }
  for (const { id, task } of snapshot.results.values()) {
    if (snapshot.isArchived(id)) removals.push({ from: "results", role: task.role, id });
  }
  return removals.length === 0 ? [] : [{ type: "remove", removals: removals.slice(0, REMOVALS_PER_TICK_MAX) }];
}
