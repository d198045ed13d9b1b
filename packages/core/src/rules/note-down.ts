/**
 * Users write to memory and the backlog. The edit carries the id of its command, so a command that is
 * cut off is done once; the command is answered when its edit is durable (docs/file-protocol.md R10,
 * docs/file-protocol.md#commands).
 */
import type { InboxCommand } from "@mimikit/protocol/records/inbox";
import type { Action, DocumentEdit, NoteCommand } from "../base/action.ts";
import { forgettingEntry } from "../base/forget.ts";
import type { Snapshot } from "../base/snapshot.ts";

/** In the order in which it was wanted, one at a time for each document: what is added can be ticked off by the next command. */
export function noteDown(snapshot: Snapshot): Action[] {
  return [...snapshot.inbox.values()]
    .filter(isNoteCommand)
    .filter(({ id }) => !snapshot.isArchived(id))
    .sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
    .filter((command, i, all) => all.findIndex((other) => listOf(other) === listOf(command)) === i)
    .map((command) => ({ type: "note-down", command, edit: editOf(command) }));
}

function isNoteCommand(command: InboxCommand): command is NoteCommand {
  return command.kind === "memory-add" || command.kind === "memory-edit" || command.kind === "backlog-edit";
}

/** A remembered text can be changed by the next command. */
function listOf({ kind }: NoteCommand): "memory" | "backlog" {
  return kind === "backlog-edit" ? "backlog" : "memory";
}

function orderOf({ at, id }: NoteCommand): string {
  return `${at} ${id}`;
}

function editOf(command: NoteCommand): DocumentEdit {
  const { id, at } = command;
  if (command.kind === "backlog-edit") return { document: "backlog", id, op: command.op, item: command.item };
  if (command.kind === "memory-edit") {
    const { document: path, entry, to } = command;
    return to === undefined ? forgettingEntry({ id, at, path, entry }) : { document: "entry", id, path, entry, to };
  }
  const { content, longTerm, target } = command;
  return { document: "memory", id, at, content, longTerm, ...(target !== undefined && { target }) };
}
