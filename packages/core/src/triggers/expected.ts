/**
 * The expected triggers: those that will exist once every durable command is granted. The sender of a command sees its
 * effect at once, also before the supervisor has come to it.
 */

import type { InboxCommand } from "@mimikit/protocol/records/inbox";
import type { Trigger } from "@mimikit/protocol/records/trigger";
import { grantOrder, triggerOfCommand } from "./of-command.ts";
import { noted, patched } from "./triggers.ts";

export interface ExpectedFacts {
  /** The newest version of each trigger. */
  triggers: ReadonlyMap<string, Trigger>;
  /** The commands that are in inbox/. */
  commands: Iterable<InboxCommand>;
  isArchived(id: string): boolean;
}

/** The triggers that are not over, by id. */
export function expectedTriggers(
  { triggers, commands, isArchived }: ExpectedFacts,
  nowMs: number,
): Map<string, Trigger> {
  const expected = new Map([...triggers].filter(([id, { over }]) => over === undefined && !isArchived(id)));
  const open = [...commands].filter(({ id }) => !isArchived(id)).sort(byGrant);
  for (const command of open) {
    switch (command.kind) {
      case "trigger-put": {
        const trigger = triggerOfCommand(command);
        if (!triggers.has(trigger.id) && !isArchived(trigger.id)) expected.set(trigger.id, trigger);
        break;
      }
      case "trigger-patch": {
        const trigger = expected.get(command.triggerId);
        if (trigger === undefined || trigger.applied.includes(command.id)) break;
        expected.set(trigger.id, noted(patched(trigger, command.patch, nowMs), command.id));
        break;
      }
      case "trigger-delete":
        expected.delete(command.triggerId);
        break;
    }
  }
  return expected;
}

function byGrant(a: InboxCommand, b: InboxCommand): number {
  return grantOrder(a) < grantOrder(b) ? -1 : 1;
}
