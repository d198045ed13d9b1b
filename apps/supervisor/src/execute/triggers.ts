/** Triggers as they move: a version is created once, and what it has decided is done, however often that is cut off. */
import type { Action } from "@mimikit/core/base/action";
import { EndedTrigger, SkippedOccurrences } from "@mimikit/protocol/records/archive";
import { UndoableChange } from "@mimikit/protocol/records/change";
import { TriggerRecord } from "@mimikit/protocol/records/trigger";
import { createRecord } from "@mimikit/store/disk/record";
import { changePath, queuePath, resultPath, TRIGGERS, triggerPath } from "@mimikit/store/disk/state";
import { archive, type ExecContext, isDurablyThere, tellTeller } from "./exec-context.ts";
import { queueTask } from "./tasks.ts";

/** The record of a change comes before the change, so that whatever was changed can be undone (SPEC J3). */
export async function recordChange(change: UndoableChange | undefined, { fs }: ExecContext): Promise<void> {
  if (change !== undefined) await createRecord(fs, UndoableChange, changePath(change.id), change);
}

/** A first version. A trigger that is spent, or has become a later version, is not created again. */
export async function createTrigger(trigger: TriggerRecord, context: ExecContext): Promise<void> {
  const { fs, archiveIndex, audit } = context;
  const { id } = trigger;
  if (await archiveIndex.confirm(id)) return;
  if (trigger.type === "link") {
    const { task, condition } = trigger;
    if (await isDurablyThere(queuePath(task.role, id), fs)) return;
    if (await isDurablyThere(resultPath(task.role, id), fs)) return;
    if (await createVersion(trigger, context))
      audit({ event: "task_waiting", taskId: id, traceId: task.traceId, detail: { condition } });
    return;
  }
  const { type, title, traceId } = trigger;
  if (await createVersion(trigger, context))
    audit({ event: "trigger_created", taskId: id, traceId, detail: { type, title } });
}

/**
 * Creates a version, unless the trigger has gone on: while this process stood still, this version may have been made, followed by another one
 * and removed, so that its name is free again.
 * @returns false when another process has made this version.
 */
async function createVersion(trigger: TriggerRecord, { fs }: ExecContext): Promise<boolean> {
  const { id, version } = trigger;
  const path = triggerPath(id, version);
  if (!(await createRecord(fs, TriggerRecord, path, trigger))) return false;
  const versions = (await fs.list(TRIGGERS)).filter((name) => name.startsWith(`${id}.v`));
  if (!versions.some((name) => Number.parseInt(name.slice(id.length + 2), 10) > version)) return true;
  await fs.unlink(path);
  return false;
}

/** @returns false when another process has made this version. */
export async function advance(trigger: TriggerRecord, context: ExecContext): Promise<boolean> {
  const { archiveIndex, audit } = context;
  const { id, version } = trigger;
  if (await archiveIndex.confirm(id)) return true;
  // It forgets what the version before it has decided: all of that must survive a power loss by now
  // (docs/file-protocol.md R4).
  await archiveIndex.makeDurable();
  if (!(await createVersion(trigger, context))) return false;
  const { decision, paused } = trigger.type === "link" ? {} : trigger;
  const fired = decision?.fire.map((occurrence) => occurrence.id) ?? [];
  const detail = { version, ...(fired.length > 0 && { fired }), ...(paused === true && { paused }) };
  audit({ event: "trigger_advanced", taskId: id, detail });
  return true;
}

/**
 * Every part of a decision is create-once, so doing it twice has the effect of once. One that has ended has done all that it will: a process
 * that stood still may have made this version again since (docs/file-protocol.md R4).
 */
export async function carryOut(
  { trigger, tasks, events, skips }: Extract<Action, { type: "carry-out" }>,
  context: ExecContext,
): Promise<void> {
  if (await context.archiveIndex.confirm(trigger.id)) return;
  await Promise.all(tasks.map((task) => queueTask(task, context, "task_fired")));
  for (const event of events) await tellTeller(event, context);
  for (const skip of skips)
    if (await archive(skip, SkippedOccurrences, context)) {
      const { triggerId, from, to, count, reason } = skip;
      context.audit({ event: "occurrences_skipped", taskId: triggerId, detail: { from, to, count, reason } });
    }
}

export async function endTrigger(
  { trigger, outcome }: Extract<Action, { type: "end-trigger" }>,
  context: ExecContext,
): Promise<void> {
  const { id } = trigger;
  await context.archiveIndex.makeDurable();
  const record: EndedTrigger = { kind: "trigger", id, at: new Date(context.nowMs()).toISOString(), outcome, trigger };
  if (await archive(record, EndedTrigger, context)) context.audit({ event: `trigger_${outcome}`, taskId: id });
}
