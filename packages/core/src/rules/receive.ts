/**
 * Files that were dropped into inbox/ become records; files that are no record are quarantined, not deleted
 * (docs/file-protocol.md R7).
 */

import type { Action } from "../base/action.ts";
import type { Snapshot } from "../base/snapshot.ts";
import { UNFINISHED_GRACE_MS, UNREADABLE_GRACE_MS } from "../base/snapshot.ts";

export function receive(snapshot: Snapshot, nowMs: number): Action[] {
  const actions: Action[] = [...snapshot.dropped].map(([path, command]) => ({ type: "adopt", path, command }));
  for (const { path, reason, sinceMs, inode, isUnfinished } of snapshot.unreadable) {
    const graceMs = isUnfinished ? UNFINISHED_GRACE_MS : UNREADABLE_GRACE_MS;
    if (nowMs - sinceMs >= graceMs) actions.push({ type: "quarantine", path, reason, inode });
  }
  return actions;
}
