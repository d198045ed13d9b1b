/**
 * Undoes a change, once: the inverse is an edit like any other and carries a mark of its own, and only when it is
 * durable the archive says that the change is undone (SPEC J3, docs/file-protocol.md R10).
 */
import type { Action } from "@mimikit/core/base/action";
import { undoEditId, undoneId } from "@mimikit/protocol/base/id";
import { BadJson } from "@mimikit/protocol/base/json";
import { Undone } from "@mimikit/protocol/records/archive";
import type { DocumentChange } from "@mimikit/protocol/records/change";
import { type Edited, editDocument } from "@mimikit/store/documents/document";
import { takenBack } from "@mimikit/store/documents/take-back";
import { restoreConfig } from "./config-changes.ts";
import { whileOpen } from "./edit-once.ts";
import { archive, type Hands } from "./hands.ts";
import { answerWish } from "./wishes.ts";

export async function undo({ wish, change }: Extract<Action, { type: "undo" }>, hands: Hands): Promise<void> {
  if (await hands.ledger.confirm(undoneId(change.id)))
    return concludeUndo({ type: "conclude-undo", wish, outcome: "it was undone before" }, hands);
  const edited = await (change.what === "config" ? restoreConfig(change, hands) : takeBack(change, wish.id, hands));
  if (edited === "over") return;
  if (typeof edited === "object")
    return answerWish({ type: "answer-wish", wish, outcome: `refused: ${edited.problem}` }, hands);
  const document = change.what === "config" ? "config.yaml" : change.document;
  await concludeUndo({ type: "conclude-undo", wish, outcome: `undone in ${document}` }, hands);
}

/** Call when what it says is durable. A command that was cut off behind it is answered what it achieved. */
export async function concludeUndo(
  { wish, outcome }: Extract<Action, { type: "conclude-undo" }>,
  hands: Hands,
): Promise<void> {
  const { id: wishId, changeId } = wish;
  const id = undoneId(changeId);
  const record: Undone = { kind: "undone", id, at: new Date(hands.nowMs()).toISOString(), changeId, wishId, outcome };
  if (await archive(record, Undone, hands)) {
    hands.audit({ event: "change_undone", taskId: changeId, detail: { outcome } });
    return answerWish({ type: "answer-wish", wish, outcome }, hands);
  }
  const first = Undone.safeParse(await hands.ledger.read(id)).data;
  const achieved = first?.wishId === wishId ? first.outcome : "it was undone before";
  await answerWish({ type: "answer-wish", wish, outcome: achieved }, hands);
}

async function takeBack(change: DocumentChange, wishId: string, hands: Hands): Promise<Edited> {
  const { fs, lock } = hands;
  const write = (text: string) => takenBack(change, text);
  const edit = { id: undoEditId(change.id), standing: whileOpen(wishId, hands), write };
  try {
    return await editDocument(fs, lock, change.document, edit);
  } catch (error) {
    if (!(error instanceof BadJson)) throw error;
    return { problem: `${change.document} cannot be read: ${error.message}` };
  }
}
