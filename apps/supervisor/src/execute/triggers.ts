/** Triggers as they move: a version is created once, and what it has decided is done, however often that is cut off. */
import type { Action } from "@mimikit/core/base/action";
import { EndedTrigger, SkippedOccurrences } from "@mimikit/protocol/records/archive";
import { Change } from "@mimikit/protocol/records/change";
import { Trigger } from "@mimikit/protocol/records/trigger";
import { createRecord } from "@mimikit/store/disk/record";
import { changePath, queuePath, resultPath, triggerPath } from "@mimikit/store/disk/state";
import { archive, type Hands, isDurablyThere, tellTeller } from "./hands.ts";
import { queueTask } from "./tasks.ts";

/** The record of a change comes before the change, so that whatever was changed can be undone (SPEC J3). */
export async function recordChange(change: Change | undefined, { fs }: Hands): Promise<void> {
  if (change !== undefined) await createRecord(fs, Change, changePath(change.id), change);
}

/** A first version. A trigger that is spent, or has become a later version, is not created again. */
export async function createTrigger(trigger: Trigger, { fs, ledger, audit }: Hands): Promise<void> {
  const { id, version } = trigger;
  if (await ledger.confirm(id)) return;
  if (trigger.type === "link") {
    const { task, condition } = trigger;
    if (await isDurablyThere(queuePath(task.role, id), fs)) return;
    if (await isDurablyThere(resultPath(task.role, id), fs)) return;
    if (await createRecord(fs, Trigger, triggerPath(id, version), trigger))
      audit({ event: "task_waiting", taskId: id, traceId: task.traceId, detail: { condition } });
    return;
  }
  const { type, title, traceId } = trigger;
  if (await createRecord(fs, Trigger, triggerPath(id, version), trigger))
    audit({ event: "trigger_created", taskId: id, traceId, detail: { type, title } });
}

/** @returns false when another process has made this version. */
export async function advance(trigger: Trigger, { fs, ledger, audit }: Hands): Promise<boolean> {
  const { id, version } = trigger;
  if (await ledger.confirm(id)) return true;
  // It forgets what the version before it has decided: all of that must survive a power loss by now
  // (docs/file-protocol.md R4).
  await ledger.makeDurable();
  if (!(await createRecord(fs, Trigger, triggerPath(id, version), trigger))) return false;
  const { decision, paused } = trigger.type === "link" ? {} : trigger;
  const fired = decision?.fire.map((occurrence) => occurrence.id) ?? [];
  const detail = { version, ...(fired.length > 0 && { fired }), ...(paused === true && { paused }) };
  audit({ event: "trigger_advanced", taskId: id, detail });
  return true;
}

/** Every part of a decision is create-once, so doing it twice has the effect of once. */
export async function carryOut(
  { tasks, events, skips }: Extract<Action, { type: "carry-out" }>,
  hands: Hands,
): Promise<void> {
  await Promise.all(tasks.map((task) => queueTask(task, hands, "task_fired")));
  for (const event of events) await tellTeller(event, hands);
  for (const skip of skips)
    if (await archive(skip, SkippedOccurrences, hands)) {
      const { triggerId, from, to, count, reason } = skip;
      hands.audit({ event: "occurrences_skipped", taskId: triggerId, detail: { from, to, count, reason } });
    }
}

export async function endTrigger(
  { trigger, outcome }: Extract<Action, { type: "end-trigger" }>,
  hands: Hands,
): Promise<void> {
  const { id } = trigger;
  await hands.ledger.makeDurable();
  const record: EndedTrigger = { kind: "trigger", id, at: new Date(hands.nowMs()).toISOString(), outcome, trigger };
  if (await archive(record, EndedTrigger, hands)) hands.audit({ event: `trigger_${outcome}`, taskId: id });
}
