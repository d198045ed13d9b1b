/**
 * Users write to memory and the backlog. The edit carries the id of its command, so a command that is
 * cut off is done once; the command is answered when its edit is durable (docs/file-protocol.md R10,
 * docs/file-protocol.md#commands).
 */
import type { Wish } from "@mimikit/protocol/records/inbox";
import type { Action, DocumentEdit, NoteWish } from "../base/action.ts";
import type { Snapshot } from "../base/snapshot.ts";

/** In the order in which it was wanted, one at a time for each document: what is added can be ticked off by the next command. */
export function noteDown(snapshot: Snapshot): Action[] {
  return [...snapshot.inbox.values()]
    .filter(isNoteWish)
    .filter(({ id }) => !snapshot.isArchived(id))
    .sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
    .filter((wish, i, all) => all.findIndex((other) => listOf(other) === listOf(wish)) === i)
    .map((wish) => ({ type: "note-down", wish, edit: editOf(wish) }));
}

function isNoteWish(wish: Wish): wish is NoteWish {
  return wish.kind === "memory-add" || wish.kind === "memory-edit" || wish.kind === "backlog-edit";
}

/** A remembered text can be changed by the next command. */
function listOf({ kind }: NoteWish): "memory" | "backlog" {
  return kind === "backlog-edit" ? "backlog" : "memory";
}

function orderOf({ at, id }: NoteWish): string {
  return `${at} ${id}`;
}

function editOf(wish: NoteWish): DocumentEdit {
  const { id, at } = wish;
  if (wish.kind === "backlog-edit") return { document: "backlog", id, op: wish.op, item: wish.item };
  if (wish.kind === "memory-edit") {
    const { document: path, entry, to } = wish;
    return { document: "entry", id, path, entry, to };
  }
  const { content, longTerm, target } = wish;
  return { document: "memory", id, at, content, longTerm, ...(target !== undefined && { target }) };
}
