/**
 * Actions that need not wait for each other wait for the disk together (docs/durability.md#what-shares-a-sync). Two
 * supervisors do the same work in orders of their own, so no action of a look relies on another. These keep their order all the
 * same: what users have asked for, edits of documents, which replace the whole file, and everything that belongs to one order.
 */
import type { Action } from "@mimikit/core/base/action";
import { rootOf } from "@mimikit/protocol/base/id";

/** Actions that wait for the disk at the same time; each holds a file or two open. */
export const ACTIONS_AT_ONCE_MAX = 64;

/** The order that an action belongs to, where it may be done at the same time as those of others; null where it may not. */
export function rootOfIndependent(action: Action): string | null {
  switch (action.type) {
    case "settle": {
      const { result, edits } = action.settlement;
      return edits.length > 0 || result.task.kind === "roll-up" ? null : rootOf(result.id);
    }
    case "finish":
      return rootOf(action.result.id);
    case "fire":
      return rootOf(action.task.id);
    case "carry-out":
      return action.trigger.id;
    default:
      return null;
  }
}

/** The actions in their order, those in a row that are independent together. */
export function inGroups(actions: readonly Action[]): Action[][] {
  const groups: Action[][] = [];
  let isOpen = false;
  for (const action of actions) {
    const isIndependent = rootOfIndependent(action) !== null;
    if (isIndependent && isOpen) groups.at(-1)?.push(action);
    else groups.push([action]);
    isOpen = isIndependent;
  }
  return groups;
}

/**
 * Does `work` with each item, at most `atOnceMax` at the same time; items of one key one after the other, in their order.
 * Throws the first thing that `work` throws, when all that was begun has come to its end.
 */
export async function sideBySide<T>(
  items: Iterable<T>,
  keyOf: (item: T) => string,
  atOnceMax: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const byKey = Map.groupBy(items, keyOf);
  const rows = byKey.values();
  const takeRows = async () => {
    for (const row of rows) for (const item of row) await work(item);
  };
  // Everything begun has ended when this returns, whatever became of the others.
  const ends = await Promise.allSettled(Array.from({ length: Math.min(atOnceMax, byKey.size) }, takeRows));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}
