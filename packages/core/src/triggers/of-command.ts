/** The trigger that a command of the user makes, and the order in which such commands are carried out. */

import type { CommandOf, InboxCommand } from "@mimikit/protocol/records/inbox";
import type { Trigger } from "@mimikit/protocol/records/trigger";
import { triggerOf } from "./triggers.ts";
export type PutCommand = CommandOf<"trigger-put">;

/** The id of the trigger that a command makes: `trg-` and the digits of the command's. */
export function triggerIdOf(commandId: string): string {
  return `trg-${commandId.slice(commandId.lastIndexOf("-") + 1)}`;
}

/** The first version of the trigger that a command makes. */
export function triggerOfCommand({ id: commandId, at, definition }: PutCommand): Trigger {
  const id = triggerIdOf(commandId);
  return triggerOf(id, definition, { createdAt: at, traceId: id, depth: 0, target: "teller" });
}

/** The sort key in which commands are granted. A clock that was set back lets none overtake the one that makes its trigger. */
export function grantOrder({ kind, at, id }: InboxCommand): string {
  return `${kind === "trigger-put" ? 1 : 2} ${at} ${id}`;
}
