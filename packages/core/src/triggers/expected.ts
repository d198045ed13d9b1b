/**
 * The expected triggers: those that will exist once every durable command is granted. The sender of a command sees its
 * effect at once, also before the supervisor has come to it.
 */

import type { Wish } from "@mimikit/protocol/records/inbox";
import type { Standing } from "@mimikit/protocol/records/trigger";
import { grantOrder, triggerOfWish } from "./of-command.ts";
import { noted, patched } from "./triggers.ts";

export interface ExpectedFacts {
  /** The newest version of each trigger. */
  standing: ReadonlyMap<string, Standing>;
  /** The commands that are in inbox/. */
  wishes: Iterable<Wish>;
  isArchived(id: string): boolean;
}

/** The triggers that are not over, by id. */
export function expectedStanding(
  { standing, wishes, isArchived }: ExpectedFacts,
  nowMs: number,
): Map<string, Standing> {
  const expected = new Map([...standing].filter(([id, { over }]) => over === undefined && !isArchived(id)));
  const open = [...wishes].filter(({ id }) => !isArchived(id)).sort(byGrant);
  for (const wish of open) {
    switch (wish.kind) {
      case "trigger-put": {
        const trigger = triggerOfWish(wish);
        if (!standing.has(trigger.id) && !isArchived(trigger.id)) expected.set(trigger.id, trigger);
        break;
      }
      case "trigger-patch": {
        const trigger = expected.get(wish.triggerId);
        if (trigger === undefined || trigger.applied.includes(wish.id)) break;
        expected.set(trigger.id, noted(patched(trigger, wish.patch, nowMs), wish.id));
        break;
      }
      case "trigger-delete":
        expected.delete(wish.triggerId);
        break;
    }
  }
  return expected;
}

function byGrant(a: Wish, b: Wish): number {
  return grantOrder(a) < grantOrder(b) ? -1 : 1;
}
