/**
 * A result is applied: its effects, then all that it consumed, last the result itself
 * (docs/file-protocol.md#the-life-of-a-message step 5).
 */
import type { DocumentEdit, Settlement } from "@mimikit/core/base/action";
import { KINDS } from "@mimikit/protocol/base/kind";
import { ResultSummary, WishOutcome } from "@mimikit/protocol/records/archive";
import { SELF_IMPROVE } from "@mimikit/protocol/records/improvement";
import { Event, Message } from "@mimikit/protocol/records/inbox";
import type { Result } from "@mimikit/protocol/records/result";
import { createRecord } from "@mimikit/store/disk/record";
import { ARCHIVE, archivePath, inboxPath, resultPath } from "@mimikit/store/disk/state";
import { editOnce } from "./edit-once.ts";
import { archive, type Hands, moveToArchive, tellTeller } from "./hands.ts";
import { takeSummary } from "./notes.ts";
import { ask } from "./questions.ts";
import { keepChildren, markCancelled, queueChildren } from "./tasks.ts";
import { advance, createTrigger, recordChange } from "./triggers.ts";

export async function settle(settlement: Settlement, hands: Hands): Promise<void> {
  const { fs, ledger } = hands;
  const { result } = settlement;
  if (await ledger.confirm(result.id)) return;
  await queueChildren(settlement.tasks, hands);
  for (const change of settlement.changes) await recordChange(change, hands);
  for (const trigger of settlement.triggers) await createTrigger(trigger, hands);
  for (const question of settlement.questions) await ask(question, hands);
  // Another version came first: what it says must be seen before the verdicts are put on top of it.
  for (const version of settlement.versions) if (!(await advance(version, hands))) return;
  for (const edit of settlement.edits) await editIfPossible(edit, result, hands);
  for (const summary of settlement.summaries) await archive(summary, ResultSummary, hands);
  if (result.task.kind === "roll-up") await takeSummary(result, result.task.rollUp, hands);
  for (const taskId of settlement.cancels) await markCancelled(taskId, result.completedAt, hands);
  for (const event of settlement.events) await tellTeller(event, hands);
  await keepChildren(settlement.tasks, hands);
  await ledger.makeDurable();
  await consume(settlement, hands);
  await moveToArchive(resultPath(result.task.role, result.id), result.id, hands);
  try {
    await fs.syncDir(ARCHIVE);
  } finally {
    // It is in the archive now: where the sync fails, the next try finds it there and does nothing.
    logSettled(result, hands);
  }
  ledger.add(result.id);
}

function logSettled(result: Result, { audit }: Hands): void {
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
async function consume({ result, messages, wishes, consumedEvents, reports }: Settlement, hands: Hands): Promise<void> {
  const { fs, ledger, audit } = hands;
  for (const id of [...messages, ...consumedEvents]) {
    if (await ledger.confirm(id)) continue;
    if (await moveToArchive(inboxPath(id), id, hands)) continue;
    const copy = [...(result.task.turn?.messages ?? []), ...(result.task.turn?.events ?? [])].find(
      (each) => each.id === id,
    );
    if (copy?.kind === "message") await createRecord(fs, Message, archivePath(id), copy);
    if (copy?.kind === "event") await createRecord(fs, Event, archivePath(id), copy);
  }
  for (const wish of wishes) {
    const outcome = wish.kind === "clear" ? "a new conversation" : `answered again by ${result.id}`;
    const record: WishOutcome = { kind: "wish", id: wish.id, at: wish.at, wish, outcome };
    if (!(await ledger.confirm(wish.id))) await createRecord(fs, WishOutcome, archivePath(wish.id), record);
  }
  for (const report of result.task.turn?.results ?? []) {
    if (await ledger.confirm(report.id)) continue;
    if (!(await moveToArchive(resultPath(report.role, report.id), report.id, hands)))
      audit({ event: "result_missing", taskId: report.id });
  }
  const consumed = [...messages, ...wishes.map((wish) => wish.id), ...consumedEvents, ...reports];
  if (consumed.length === 0) return;
  await fs.syncDir(ARCHIVE);
  for (const id of consumed) ledger.add(id);
}

/** Makes an edit. If its item was removed meanwhile, makes the edit that stands in for it, or only records that none was made. */
async function editIfPossible(edit: DocumentEdit, result: Result, hands: Hands): Promise<void> {
  const { id, task } = result;
  const by = KINDS[task.kind].part === "upkeep" ? SELF_IMPROVE : task.role;
  const edited = await editOnce(edit, { id, by }, hands);
  if (typeof edited === "object" && edit.document === "entry" && edit.otherwise !== undefined)
    return editIfPossible(edit.otherwise, result, hands);
  if (typeof edited === "object")
    hands.audit({ event: "document_not_edited", taskId: edit.id, detail: { reason: edited.problem } });
}
