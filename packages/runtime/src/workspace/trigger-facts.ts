/** The facts for the condition of a trigger at one look, to explain it without a decision. */
import type { Facts } from "@mimikit/core/conditions/condition";
import { needsOf } from "@mimikit/core/conditions/index";
import type { Report } from "@mimikit/protocol/base/report";
import { reportOf } from "@mimikit/protocol/records/result";
import type { Trigger } from "@mimikit/protocol/records/trigger";
import type { When } from "@mimikit/protocol/triggers/trigger-order";
import type { StateCache } from "@mimikit/store/state-cache/state-cache";
import type { WorkspaceFiles } from "./workspace-files.ts";

export interface TriggerWorld {
  cache: StateCache;
  files: Pick<WorkspaceFiles, "stampsOf">;
  /** The IANA zone of the server. */
  timeZone: string;
}

/** The facts for a trigger's condition, if it has one. Call after `cache.refresh()`. */
export async function triggerFacts(
  trigger: Trigger,
  { cache, files, timeZone }: TriggerWorld,
  nowMs: number,
): Promise<Facts> {
  const { tasks, paths } = trigger.type === "conditional" ? needsOf(trigger.condition) : { tasks: [], paths: [] };
  const stamps = await files.stampsOf(paths);
  const outcomes = new Map<string, Report>();
  for (const taskId of tasks) {
    const result = await cache.resultOf(taskId);
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
 * The first task that an order waits for and that never was: nothing would ever come of it. Call after `cache.refresh()`.
 * @returns null where it waits for none, or each of them is or was there.
 */
export async function taskThatNeverWas(when: When | undefined, cache: StateCache): Promise<string | null> {
  for (const id of when?.type === "conditional" ? needsOf(when.condition).tasks : []) {
    const isOpen = cache.queue.has(id) || cache.dependents.has(id) || cache.results.has(id);
    if (!isOpen && (!(await cache.archiveIndex.confirm(id)) || (await cache.archiveIndex.readResult(id)) === null))
      return id;
  }
  return null;
}
