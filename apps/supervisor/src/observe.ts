/** The disk as facts for `decide`: the mirror, who is alive, and the outcomes that triggers ask about. */
import { tasksNeeded } from "@mimikit/core/conditions/index";
import type { Snapshot } from "@mimikit/core/snapshot";
import { reportOf } from "@mimikit/protocol/result";
import type { Report } from "@mimikit/protocol/task";
import type { Mirror } from "@mimikit/store/mirror";

/** Call after `mirror.refresh()`. */
export async function observe(mirror: Mirror): Promise<Snapshot> {
  const { inbox, dropped, triggers, queue, results, ledger } = mirror;
  const outcomes = new Map<string, Report>();
  for (const taskId of new Set([...triggers.values()].flatMap((trigger) => tasksNeeded(trigger.condition)))) {
    const result = results.get(taskId) ?? (await archivedResult(taskId, mirror));
    if (result !== undefined) outcomes.set(taskId, reportOf(result));
  }
  return {
    inbox,
    dropped,
    unreadable: mirror.unreadable(),
    triggers,
    queue,
    attempts: mirror.attemptFacts,
    results,
    isArchived: (id) => ledger.has(id),
    outcomeOf: (taskId) => outcomes.get(taskId),
    settledTurn: ledger.settledTurn,
  };
}

/** A task that is in no directory any more may have been archived since; only the disk knows for certain. */
async function archivedResult(taskId: string, { queue, triggers, ledger }: Mirror) {
  if (queue.has(taskId) && !ledger.has(taskId)) return undefined;
  if (triggers.has(taskId) && !ledger.has(taskId)) return undefined;
  return (await ledger.confirm(taskId)) ? ((await ledger.readResult(taskId)) ?? undefined) : undefined;
}
