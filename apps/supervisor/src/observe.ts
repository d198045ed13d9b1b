/** The disk as facts for `decide`: the mirror, who is alive, and the outcomes that triggers ask about. */
import { tasksNeeded } from "@mimikit/core/conditions/index";
import type { Decision, Snapshot } from "@mimikit/core/snapshot";
import { reportOf } from "@mimikit/protocol/result";
import type { Report } from "@mimikit/protocol/task";
import type { Mirror } from "@mimikit/store/mirror";

/** Call after `mirror.refresh()`. */
export async function observe(mirror: Mirror): Promise<Snapshot> {
  const { inbox, dropped, triggers, signals, queue, results, ledger } = mirror;
  const outcomes = new Map<string, Report>();
  for (const taskId of new Set([...triggers.values()].flatMap((trigger) => tasksNeeded(trigger.condition)))) {
    const result = results.get(taskId) ?? (await archivedResult(taskId, mirror));
    if (result !== undefined) outcomes.set(taskId, reportOf(result));
  }
  const decisions = await readDecisions(mirror);
  const heard = new Map<string, ReadonlySet<string>>();
  for (const taskId of new Set([...signals.values()].map((signal) => signal.taskId))) {
    const result = results.get(taskId) ?? (await archivedResult(taskId, mirror));
    if (result !== undefined) heard.set(taskId, new Set(result.steers?.map((steer) => steer.id)));
  }
  return {
    inbox,
    dropped,
    unreadable: mirror.unreadable(),
    triggers,
    signals,
    queue,
    attempts: mirror.attemptFacts,
    results,
    isArchived: (id) => ledger.has(id),
    outcomeOf: (taskId) => outcomes.get(taskId),
    heardBy: (taskId) => heard.get(taskId),
    decisionOf: (wishId) => decisions.get(wishId),
    settledTurn: ledger.settledTurn,
  };
}

/** What was decided about steers and stops that are archived and may not be carried out yet. */
async function readDecisions({ inbox, ledger }: Mirror): Promise<Map<string, Decision>> {
  const decisions = new Map<string, Decision>();
  for (const { id, kind } of inbox.values()) {
    if ((kind !== "steer" && kind !== "stop") || !(await ledger.confirm(id))) continue;
    const record = await ledger.read(id);
    if (record !== null && "wish" in record) decisions.set(id, { taskId: record.taskId ?? null });
  }
  return decisions;
}

/** A task that is in no directory any more may have been archived since; only the disk knows for certain. */
async function archivedResult(taskId: string, { queue, triggers, ledger }: Mirror) {
  if (queue.has(taskId) && !ledger.has(taskId)) return undefined;
  if (triggers.has(taskId) && !ledger.has(taskId)) return undefined;
  return (await ledger.confirm(taskId)) ? ((await ledger.readResult(taskId)) ?? undefined) : undefined;
}
