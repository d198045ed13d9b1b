/** Checks that each edit was applied once, and each undo too (docs/file-protocol.md R10, SPEC J3). */

import { childId, undoEditId, undoneId } from "@mimikit/protocol/base/id";
import type { Archived, Undone } from "@mimikit/protocol/records/archive";
import { type DocumentChange, type MemoryChange, UndoableChange } from "@mimikit/protocol/records/change";
import type { Result } from "@mimikit/protocol/records/result";
import { BACKLOG_PATH, CHANGES } from "@mimikit/store/disk/state";
import { editMark } from "@mimikit/store/documents/document";
import type { z } from "zod";
import type { MemoryDisk } from "./memory-disk.ts";

/** The state of a world that has come to rest. */
export interface Rest {
  disk: MemoryDisk;
  archive: ReadonlyMap<string, Archived>;
  results: readonly Result[];
  isCancelled(id: string): boolean;
  violate(what: string): void;
}

/** @param read what summaries were made of: the notes that had it are gone. */
export function checkChanges(rest: Rest, read: readonly string[]): void {
  const changes = changesOn(rest);
  for (const change of changes.values()) {
    if (change.what === "memory" && change.op === "add") checkRemembered(change, rest, read);
    if (change.what === "trigger" && change.op !== "change" && rest.archive.has(undoneId(change.id))) {
      const trigger = change.op === "create" ? change.triggerId : `trg-${change.id}`;
      if (!rest.archive.has(trigger)) rest.violate(`${change.id} was taken back, and ${trigger} is nowhere`);
    }
  }
  checkBacklog(changes, rest);
  checkOrigins(changes, rest);
  checkAnswers(rest);
}

function changesOn({ disk, violate }: Rest): Map<string, UndoableChange> {
  const changes = new Map<string, UndoableChange>();
  for (const name of disk.names(CHANGES)) {
    const change = UndoableChange.safeParse(JSON.parse(disk.read(`${CHANGES}/${name}`) ?? "null")).data;
    if (change === undefined || `${change.id}.json` !== name) violate(`${CHANGES}/${name} is no change`);
    else changes.set(change.id, change);
  }
  return changes;
}

function timesIn(text: string, part: string): number {
  return text.split(part).length - 1;
}

function checkRemembered(
  { id, document, text: written }: Extract<z.infer<typeof MemoryChange>, { op: "add" }>,
  { disk, archive, isCancelled, violate }: Rest,
  read: readonly string[],
): void {
  const isNote = document.startsWith("memory/");
  const now = isNote
    ? disk.visibleNames("memory").map((name) => disk.read(`memory/${name}`) ?? "")
    : [disk.read(document) ?? ""];
  const ever = (isNote ? [...now, ...read] : now).join("\n");
  const isUndone = archive.has(undoneId(id));
  const times = timesIn(isUndone ? now.join("\n") : ever, written);
  if (times !== (isUndone ? 0 : 1) && !isCancelled(id))
    violate(`${id} stands ${times} times in ${document}${isUndone ? ", and was taken back" : ""}`);
  checkMark(id, ever, isUndone, violate);
}

/** The mark of taking back stands where it was done, and nowhere else. */
function checkMark(id: string, text: string, isUndone: boolean, violate: Rest["violate"]): void {
  const marks = timesIn(text, editMark(undoEditId(id)));
  if (marks !== (isUndone ? 1 : 0)) violate(`${id} was ${isUndone ? "" : "not "}taken back, and ${marks} marks say so`);
}

/** An item stands once unless it was taken out, and is ticked off where somebody has done that last. */
function checkBacklog(changes: ReadonlyMap<string, UndoableChange>, { disk, archive, violate }: Rest): void {
  const text = disk.read(BACKLOG_PATH) ?? "";
  const lines = text.split("\n").filter((line) => line.startsWith("- ["));
  const edits = [...changes.values()].filter((change): change is DocumentChange => change.what === "backlog");
  const isUndone = ({ id }: UndoableChange) => archive.has(undoneId(id));
  // An item that was gone when its edit was made is left alone.
  const holding = edits.filter((edit) => text.includes(editMark(edit.id)) && !isUndone(edit));
  for (const edit of edits) {
    checkMark(edit.id, text, isUndone(edit), violate);
    if (edit.op !== "add") continue;
    const isOn = (other: DocumentChange) => "line" in other && other.line.includes(editMark(edit.id));
    const isOut = holding.some((other) => other.op === "remove" && isOn(other));
    const isDone = holding.some((other) => other.op === "done" && isOn(other));
    const standing = lines.filter((line) => line.includes(editMark(edit.id)));
    const expected = isOut || !holding.includes(edit) ? [] : [isDone ? edit.text.replace("[ ]", "[x]") : edit.text];
    if (JSON.stringify(standing) !== JSON.stringify(expected))
      violate(`of ${edit.id} there is ${JSON.stringify(standing)}, not ${JSON.stringify(expected)}`);
  }
}

/** Each edit that was asked for has a change record. */
function checkOrigins(
  changes: ReadonlyMap<string, UndoableChange>,
  { archive, results, isCancelled, violate }: Rest,
): void {
  for (const result of results)
    for (const [k, effect] of result.effects.entries()) {
      const id = childId(result.id, k);
      const isAdded = effect.type === "remember" || (effect.type === "update_backlog" && effect.op === "add");
      if (isAdded && !changes.has(id) && !isCancelled(id)) violate(`the edit ${id} is nowhere`);
    }
  for (const record of archive.values())
    if ("wish" in record && record.outcome.startsWith("added to ") && !changes.has(record.id))
      violate(`the edit ${record.id} is nowhere`);
}

/** A change is taken back because of one command, and that one is told so. */
function checkAnswers({ archive, violate }: Rest): void {
  const undone = [...archive.values()].filter(
    (record): record is Undone => "kind" in record && record.kind === "undone",
  );
  for (const { id, wishId: commandId, outcome } of undone) {
    const answer = archive.get(commandId);
    if (answer === undefined || !("wish" in answer) || answer.outcome !== outcome)
      violate(`${id} says "${outcome}", and ${commandId} was told something else`);
  }
  for (const record of archive.values()) {
    if (!("wish" in record) || record.wish.kind !== "undo" || !record.outcome.startsWith("undone")) continue;
    const { changeId } = record.wish;
    if (undone.find(({ id }) => id === undoneId(changeId))?.wishId !== record.id)
      violate(`${record.id} was told "${record.outcome}", and ${changeId} was not taken back by it`);
  }
}
