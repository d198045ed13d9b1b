/** The edits of documents that commands and results order: each is recorded, and made once, while its order is open. */
import type { DocumentEdit } from "@mimikit/core/base/action";
import { UNREADABLE_GRACE_MS } from "@mimikit/core/base/snapshot";
import { BadJson } from "@mimikit/protocol/base/json";
import { type Changer, UndoableChange } from "@mimikit/protocol/records/change";
import { createRecord, RecordTooLarge, readRecord } from "@mimikit/store/disk/record";
import { changePath } from "@mimikit/store/disk/state";
import {
  DocumentBusy,
  type Edit,
  type Edited,
  type EditProblem,
  editDocument,
  editMark,
  readDocument,
} from "@mimikit/store/documents/document";
import { changeOf, pathOf, withEdit } from "@mimikit/store/documents/ordered-edit";
import { quarantine } from "./commands.ts";
import type { ExecContext } from "./exec-context.ts";

/** The command or the result that an edit comes from, and whose it is. */
interface Order {
  id: string;
  by: Changer;
}

/**
 * Makes the edit, unless it was made before. The exact change is decided and recorded first, so that it can be undone.
 * @returns a problem where the backlog has nothing to be changed.
 */
export async function editOnce(edit: DocumentEdit, order: Order, context: ExecContext): Promise<Edited> {
  // The words go first: they were said, even if the document has no such entry any more.
  if (edit.document === "entry" && edit.said !== undefined) await editOnce(edit.said, order, context);
  const path = pathOf(edit);
  const change = await decideChange(edit, order.by, context);
  if (change !== null && "problem" in change) return change;
  const write = (text: string) => withEdit(edit, change, text);
  const edited = await editAnew(path, { id: edit.id, standing: whileOpen(order.id, context), write }, context);
  if (edited === "made") context.audit({ event: "document_edited", taskId: edit.id, detail: { document: path } });
  return edited;
}

/** Edits are made while their order is not in the archive, and not by later callers. */
export function whileOpen(
  id: string,
  { archiveIndex }: Pick<ExecContext, "archiveIndex">,
): NonNullable<Edit["standing"]> {
  return async () => ((await archiveIndex.confirm(id)) ? "over" : "open");
}

/** Edits the document at `path`; what is no document there is moved to quarantine, and a new one begins. */
export function editAnew(path: string, edit: Edit, context: ExecContext): Promise<Edited> {
  return settingAside(path, context, () => editDocument(context.fs, context.lock, path, edit));
}

/** A thing in the place of a document that is none (a directory, a huge file, no UTF-8) must not keep it from being written. */
async function settingAside<T>(path: string, context: ExecContext, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof BadJson)) throw error;
    const { mtimeMs = 0, inode = 0 } = (await context.fs.info(path)) ?? {};
    // Half of a file that is being saved may be no text (docs/file-protocol.md R7).
    if (Math.abs(context.nowMs() - mtimeMs) < UNREADABLE_GRACE_MS) throw new DocumentBusy(path);
    await quarantine(path, error.message, inode, context);
    return work();
  }
}

/** The first record of an edit's change decides; null if it is made already, or would change nothing. */
async function decideChange(
  edit: DocumentEdit,
  by: Changer,
  context: ExecContext,
): Promise<UndoableChange | EditProblem | null> {
  const { fs, nowMs } = context;
  const path = pathOf(edit);
  const text = await settingAside(path, context, () => readDocument(fs, path));
  if (text.includes(editMark(edit.id))) return null;
  const change = changeOf(edit, text, { by, at: new Date(nowMs()).toISOString() });
  if (change === null || "problem" in change) return change;
  try {
    if (await createRecord(fs, UndoableChange, changePath(edit.id), change)) return change;
  } catch (error) {
    // Lines may be as long as the document: what cannot be recorded is done all the same, and cannot be undone.
    if (error instanceof RecordTooLarge) return change;
    throw error;
  }
  return readRecord(fs, UndoableChange, changePath(edit.id));
}
