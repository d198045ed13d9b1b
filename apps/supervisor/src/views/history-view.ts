/**
 * history.json: the last messages of the conversation, folded from applied turns and cut where a note says so (SPEC E2). A
 * view: it may be behind, or deleted.
 */
import { MEMORY_BOUNDS } from "@mimikit/core/base/memory-bounds";
import { noteId } from "@mimikit/protocol/base/id";
import { Note } from "@mimikit/protocol/records/archive";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { replaceView } from "@mimikit/store/disk/record";
import { HISTORY_PATH } from "@mimikit/store/disk/state";
import type { ArchiveIndex } from "@mimikit/store/state-cache/archive-index";
import { readHistoryView, withSettled } from "@mimikit/store/views/history";
import { writeSummary } from "./summary-view.ts";

/** Notes that are looked back upon for the last flush: an older one is long carried out. */
export const NOTES_LOOKED_BACK_MAX = 20;

/**
 * Brings history.json up to the last applied turn and the last note.
 * @param windowKept the messages that a flush leaves.
 */
export async function writeHistory(
  fs: FileSystem,
  archiveIndex: ArchiveIndex,
  windowKept = MEMORY_BOUNDS.windowKept,
): Promise<void> {
  const view = await readHistoryView(fs);
  const { highestNote } = archiveIndex;
  const isCut = await isFlushedAfter(view?.flushed ?? 0, archiveIndex);
  if (view !== null && view.throughTurn >= archiveIndex.settledTurn && !isCut) return;
  const now = await withSettled(view, archiveIndex);
  const messages = isCut ? now.messages.slice(-windowKept) : now.messages;
  const history = { ...now, messages, ...(highestNote > 0 && { flushed: highestNote }) };
  // First: a process that finds this view behind does both again.
  if (view === null || view.compressed !== history.compressed) await writeSummary(fs, archiveIndex, history.compressed);
  await replaceView(fs, HISTORY_PATH, `${JSON.stringify(history)}\n`);
}

/** Does one of the notes after number `before` say that the window is cut? */
async function isFlushedAfter(before: number, archiveIndex: ArchiveIndex): Promise<boolean> {
  const { highestNote } = archiveIndex;
  for (let n = highestNote; n > before && n > highestNote - NOTES_LOOKED_BACK_MAX; n--)
    if (Note.safeParse(await archiveIndex.read(noteId(n))).data?.isFlush === true) return true;
  return false;
}
