/** A restart command ends the processes once: its record is durable before anything stops (docs/file-protocol.md R11). */
import type { Action } from "../base/action.ts";
import type { Snapshot } from "../base/snapshot.ts";

export function restart(snapshot: Snapshot): Action[] {
  const actions: Action[] = [];
  for (const command of snapshot.inbox.values()) {
    if (command.kind === "restart" && !snapshot.isArchived(command.id)) actions.push({ type: "restart", command });
  }
  return actions;
}
