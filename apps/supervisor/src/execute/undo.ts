/**
 * Undoes a change, once: the inverse is an edit like any other and carries a mark of its own, and only when it is
 * durable the archive says that the change is undone (SPEC J3, docs/file-protocol.md R10).
 */
import type { Action } from "@mimikit/core/base/action";
import { saidEditId, undoEditId, undoneId } from "@mimikit/protocol/base/id";
import { BadJson } from "@mimikit/protocol/base/json";
import { Undone } from "@mimikit/protocol/records/archive";
import { DocumentChange, UndoableChange } from "@mimikit/protocol/records/change";
import { readRecord } from "@mimikit/store/disk/record";
import { changePath } from "@mimikit/store/disk/state";
import { type Edited, editDocument } from "@mimikit/store/documents/document";
import { takenBack } from "@mimikit/store/documents/take-back";
import { answerCommand } from "./commands.ts";
import { restoreConfig } from "./config-changes.ts";
import { whileOpen } from "./edit-once.ts";
import { archive, type ExecContext } from "./exec-context.ts";

export async function undo(
  { command, change }: Extract<Action, { type: "undo" }>,
  context: ExecContext,
): Promise<void> {
  if (await context.archiveIndex.confirm(undoneId(change.id)))
    return concludeUndo({ type: "conclude-undo", command, outcome: "it was undone before" }, context);
  const edited = await (change.what === "config"
    ? restoreConfig(change, whileOpen(undoneId(change.id), context), context)
    : takeBackWhole(change, command.id, context));
  if (edited === "over") return;
  if (typeof edited === "object")
    return answerCommand({ type: "answer-command", command, outcome: `refused: ${edited.problem}` }, context);
  const document = change.what === "config" ? "config.yaml" : change.document;
  await concludeUndo({ type: "conclude-undo", command, outcome: `undone in ${document}` }, context);
}

/** Call when what it says is durable. A command that was cut off behind it is answered what it achieved. */
export async function concludeUndo(
  { command, outcome }: Extract<Action, { type: "conclude-undo" }>,
  context: ExecContext,
): Promise<void> {
  const { id: commandId, changeId } = command;
  const id = undoneId(changeId);
  const record: Undone = {
    kind: "undone",
    id,
    at: new Date(context.nowMs()).toISOString(),
    changeId,
    wishId: commandId,
    outcome,
  };
  if (await archive(record, Undone, context)) {
    context.audit({ event: "change_undone", taskId: changeId, detail: { outcome } });
    return answerCommand({ type: "answer-command", command, outcome }, context);
  }
  const first = Undone.safeParse(await context.archiveIndex.read(id)).data;
  const achieved = first?.wishId === commandId ? first.outcome : "it was undone before";
  await answerCommand({ type: "answer-command", command, outcome: achieved }, context);
}

/** Takes back what a change has forgotten of the conversation, too. */
async function takeBackWhole(change: DocumentChange, commandId: string, context: ExecContext): Promise<Edited> {
  const path = changePath(saidEditId(change.id));
  const said = DocumentChange.safeParse(await readRecord(context.fs, UndoableChange, path)).data;
  // Where the user has taken the line out already, there is nothing to take back.
  if (said !== undefined) await takeBack(said, commandId, context);
  return takeBack(change, commandId, context);
}

async function takeBack(change: DocumentChange, commandId: string, context: ExecContext): Promise<Edited> {
  const { fs, lock } = context;
  const write = (text: string) => takenBack(change, text);
  const edit = { id: undoEditId(change.id), standing: whileOpen(commandId, context), write };
  try {
    return await editDocument(fs, lock, change.document, edit);
  } catch (error) {
    if (!(error instanceof BadJson)) throw error;
    return { problem: `${change.document} cannot be read: ${error.message}` };
  }
}
