/** How much of the conversation is in no note of memory/ yet (SPEC E2). */
import { messagesOf } from "@mimikit/core/views/history";
import { noteId, turnId } from "@mimikit/protocol/base/id";
import type { ArchiveIndex } from "../state-cache/archive-index.ts";

/** Of a longer backlog of turns the newest are counted: notes are taken long before there are so many. */
const TURNS_MAX = 1_000;

/** Counts the messages of the turns that were applied after the last note, as far as the archive index knows of turns. */
export async function countUnarchived(archiveIndex: ArchiveIndex): Promise<number> {
  const archived = await archivedThrough(archiveIndex);
  let messages = 0;
  for (
    let turn = Math.max(archived + 1, archiveIndex.settledTurn - TURNS_MAX + 1);
    turn <= archiveIndex.settledTurn;
    turn++
  ) {
    const result = await archiveIndex.readResult(turnId(turn));
    if (result !== null) messages += messagesOf(result).length;
  }
  return messages;
}

/** The last turn that is in a note; 0 before the first. A reader's archive index has to look for new notes by name. */
async function archivedThrough(archiveIndex: ArchiveIndex): Promise<number> {
  let number = archiveIndex.highestNote;
  while (await archiveIndex.confirm(noteId(number + 1))) number++;
  const note = number === 0 ? null : await archiveIndex.read(noteId(number));
  return note !== null && "kind" in note && note.kind === "note" ? note.throughTurn : 0;
}
