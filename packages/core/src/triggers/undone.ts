/** The part of a trigger's decision that is not carried out yet. */
import type { Trigger, TriggerDecision } from "@mimikit/protocol/records/trigger";
import { isCancelled, type Snapshot } from "../base/snapshot.ts";

type Records = Pick<Snapshot, "queue" | "results" | "inbox" | "isArchived">;

/** The records of its decision that are not durable yet. A decision that was cancelled with its plan is not carried out. */
export function undoneOf({ decision }: Trigger, snapshot: Records): TriggerDecision {
  const isThere = (id: string) =>
    snapshot.isArchived(id) || snapshot.queue.has(id) || snapshot.results.has(id) || snapshot.inbox.has(id);
  return {
    fire: decision.fire.filter(({ id }) => !isThere(id) && !isCancelled(snapshot, id)),
    skip: decision.skip.filter(({ id }) => !snapshot.isArchived(id)),
  };
}

/** Has it decided something that is not durable yet? Its next version would forget it. */
export function hasUndone(trigger: Trigger, snapshot: Records): boolean {
  const { fire, skip } = undoneOf(trigger, snapshot);
  return fire.length + skip.length > 0;
}
