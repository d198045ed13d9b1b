/** The facts for the condition of a trigger at one look, to explain it without a decision. */
import type { Facts } from "@mimikit/core/conditions/condition";
import { needsOf } from "@mimikit/core/conditions/index";
import type { Report } from "@mimikit/protocol/base/report";
import { reportOf } from "@mimikit/protocol/records/result";
import type { Standing } from "@mimikit/protocol/records/trigger";
import type { When } from "@mimikit/protocol/triggers/trigger-order";
import type { Mirror } from "@mimikit/store/mirror/mirror";
import type { WorkspaceFiles } from "./workspace-files.ts";

export interface TriggerWorld {
  mirror: Mirror;
  files: Pick<WorkspaceFiles, "stampsOf">;
  /** The IANA zone of the server. */
  timeZone: string;
}

/** The facts for a trigger's condition, if it has one. Call after `mirror.refresh()`. */
export async function triggerFacts(
  trigger: Standing,
  { mirror, files, timeZone }: TriggerWorld,
  nowMs: number,
): Promise<Facts> {
  const { tasks, paths } = trigger.type === "conditional" ? needsOf(trigger.condition) : { tasks: [], paths: [] };
  const stamps = await files.stampsOf(paths);
  const outcomes = new Map<string, Report>();
  for (const taskId of tasks) {
    const isArchived = await mirror.ledger.confirm(taskId);
    const result = mirror.results.get(taskId) ?? (isArchived ? await mirror.ledger.readResult(taskId) : null);
    if (result !== null) outcomes.set(taskId, reportOf(result));
  }
  return {
    nowMs,
    timeZone,
    outcomeOf: (taskId) => outcomes.get(taskId),
    isForgiven: () => false,
    stampOf: (path) => stamps.get(path),
    hasSettled: () => true,
  };
}

/**
 * The first task that an order waits for and that never was: nothing would ever come of it. Call after `mirror.refresh()`.
 * @returns null where it waits for none, or each of them is or was there.
 */
export async function taskThatNeverWas(when: When | undefined, mirror: Mirror): Promise<string | null> {
  for (const id of when?.type === "conditional" ? needsOf(when.condition).tasks : []) {
    const isOpen = mirror.queue.has(id) || mirror.links.has(id) || mirror.results.has(id);
    if (!isOpen && (!(await mirror.ledger.confirm(id)) || (await mirror.ledger.readResult(id)) === null)) return id;
  }
  return null;
}
