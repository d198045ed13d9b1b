/**
 * A result is applied: its effects, then all that it consumed, last the result itself
 * (docs/file-protocol.md#the-life-of-a-message step 5).
 */
import type { DocumentEdit, Settlement } from "@mimikit/core/base/action";
import { KINDS } from "@mimikit/protocol/base/kind";
import { CommandOutcome, ResultSummary } from "@mimikit/protocol/records/archive";
import { SELF_IMPROVE } from "@mimikit/protocol/records/improvement";
import { Event, Message } from "@mimikit/protocol/records/inbox";
import type { Result } from "@mimikit/protocol/records/result";
import { createRecord } from "@mimikit/store/disk/record";
import { ARCHIVE, archivePath, inboxPath, resultPath } from "@mimikit/store/disk/state";
import { editOnce } from "./edit-once.ts";
import { archive, type ExecContext, moveToArchive, tellTeller } from "./exec-context.ts";
import { takeSummary } from "./notes.ts";
import { ask } from "./questions.ts";
import { isOvertaken, keepChildren, markCancelled, queueChildren } from "./tasks.ts";
import { advance, createTrigger, recordChange } from "./triggers.ts";

export async function settle(settlement: Settlement, context: ExecContext): Promise<void> {
  const { fs, archiveIndex } = context;
  const { result } = settlement;
  if (await archiveIndex.confirm(result.id)) return;
  await queueChildren(settlement.tasks, context);
  // Cancelled since this was decided, and nothing begun: it is decided anew, and says that it was cancelled and what it was told.
  if (await isOvertaken(result.id, settlement.tasks[0], context)) return;
  for (const change of settlement.changes) await recordChange(change, context);
  for (const trigger of settlement.triggers) await createTrigger(trigger, context);
  for (const question of settlement.questions) await ask(question, context);
  // Another version came first: what it says must be seen before the verdicts are put on top of it.
  for (const version of settlement.versions) if (!(await advance(version, context))) return;
  for (const edit of settlement.edits) await editIfPossible(edit, result, context);
  for (const summary of settlement.summaries) await archive(summary, ResultSummary, context);
  if (result.task.kind === "roll-up") await takeSummary(result, result.task.rollUp, context);
  for (const taskId of settlement.cancels) await markCancelled(taskId, result.completedAt, context);
  for (const event of settlement.events) await tellTeller(event, context);
  await keepChildren(settlement.tasks, context);
  await archiveIndex.makeDurable();
  await consume(settlement, context);
  await moveToArchive(resultPath(result.task.role, result.id), result.id, context);
  try {
    await fs.syncDir(ARCHIVE);
  } finally {
    // It is in the archive now: where the sync fails, the next try finds it there and does nothing.
    logSettled(result, context);
  }
  archiveIndex.add(result.id);
}

function logSettled(result: Result, { audit }: ExecContext): void {
  const { id, task, attempts, failureReason, startedAt, completedAt } = result;
  audit({
    event: KINDS[task.kind].settled,
    taskId: id,
    traceId: task.traceId,
    attempts,
    ...(task.parentId && { parentId: task.parentId }),
    ...(startedAt && { durationMs: Date.parse(completedAt) - Date.parse(startedAt) }),
    ...(failureReason && { failureReason }),
  });
}

/** Everything that the turn answered is history before the turn is. */
async function consume(
  { result, messages, commands, consumedEvents, reports }: Settlement,
  context: ExecContext,
): Promise<void> {
  const { fs, archiveIndex, audit } = context;
  for (const id of [...messages, ...consumedEvents]) {
    if (await archiveIndex.confirm(id)) continue;
    if (await moveToArchive(inboxPath(id), id, context)) continue;
    const copy = [...(result.task.turn?.messages ?? []), ...(result.task.turn?.events ?? [])].find(
      (each) => each.id === id,
    );
    if (copy?.kind === "message") await createRecord(fs, Message, archivePath(id), copy);
    if (copy?.kind === "event") await createRecord(fs, Event, archivePath(id), copy);
  }
  for (const command of commands) {
    const outcome = command.kind === "clear" ? "a new conversation" : `answered again by ${result.id}`;
    const record: CommandOutcome = { kind: "wish", id: command.id, at: command.at, wish: command, outcome };
    if (!(await archiveIndex.confirm(command.id)))
      await createRecord(fs, CommandOutcome, archivePath(command.id), record);
  }
  for (const report of result.task.turn?.results ?? []) {
    if (await archiveIndex.confirm(report.id)) continue;
    if (!(await moveToArchive(resultPath(report.role, report.id), report.id, context)))
      audit({ event: "result_missing", taskId: report.id });
  }
  const consumed = [...messages, ...commands.map((command) => command.id), ...consumedEvents, ...reports];
  if (consumed.length === 0) return;
  await fs.syncDir(ARCHIVE);
  for (const id of consumed) archiveIndex.add(id);
}

/** Makes an edit. If its item was removed meanwhile, makes the edit that stands in for it, or only records that none was made. */
async function editIfPossible(edit: DocumentEdit, result: Result, context: ExecContext): Promise<void> {
  const { id, task } = result;
  const by = KINDS[task.kind].part === "upkeep" ? SELF_IMPROVE : task.role;
  const edited = await editOnce(edit, { id, by }, context);
  if (typeof edited === "object" && edit.document === "entry" && edit.otherwise !== undefined)
    return editIfPossible(edit.otherwise, result, context);
  if (typeof edited === "object")
    context.audit({ event: "document_not_edited", taskId: edit.id, detail: { reason: edited.problem } });
}
