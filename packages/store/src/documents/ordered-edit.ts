/** The edits that effects and commands order, as texts: of memory, persona, profile and backlog (SPEC E, G). */

import type { DocumentEdit } from "@mimikit/core/base/action";
import { titleOf } from "@mimikit/core/base/title";
import type { Changer, UndoableChange } from "@mimikit/protocol/records/change";
import { entriesOf, entryName } from "@mimikit/protocol/records/memory-entry";
import { sentence } from "@mimikit/protocol/texts/coded";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { BACKLOG_PATH, FORGOTTEN_PATH, MEMORY_PATH, PERSONA_PATH, PROFILE_PATH } from "../disk/state.ts";
import { type BacklogItem, findBacklogItem, parseBacklog } from "./backlog.ts";
import { appendItem, type EditProblem, editMark, withBlock, withoutMarks } from "./document.ts";

type BacklogEdit = Extract<DocumentEdit, { document: "backlog" }>;
type EntryEdit = Extract<DocumentEdit, { document: "entry" }>;

/** The most items of a longer backlog that are named in an error about one that is not there. */
const NAMED_MAX = 20;
const NAMED_CHARS_MAX = 80;

const TARGET_PATHS = { persona: PERSONA_PATH, profile: PROFILE_PATH, forgotten: FORGOTTEN_PATH } as const;

/** The document of an edit. Long-term facts go to memory.md unless they have a target; the others to the note of their day. */
export function pathOf(edit: DocumentEdit): string {
  if (edit.document === "backlog") return BACKLOG_PATH;
  if (edit.document === "entry") return edit.path;
  if (edit.target !== undefined) return TARGET_PATHS[edit.target];
  return edit.longTerm ? MEMORY_PATH : `memory/${edit.at.slice(0, 10)}.md`;
}

/**
 * The change that an edit is about to make to a document, `text` being its content; null if it changes nothing, and a
 * problem if its item is not there.
 */
export function changeOf(
  edit: DocumentEdit,
  text: string,
  { by, at }: { by: Changer; at: string },
): UndoableChange | EditProblem | null {
  const common = { kind: "change", id: edit.id, at, by } as const;
  const added = (prefix: string, content: string) => appendItem("", prefix, content, edit.id).trimEnd();
  if (edit.document === "memory") {
    const title = titleOf(edit.content);
    return { ...common, title, what: "memory", op: "add", document: pathOf(edit), text: added("- ", contentOf(edit)) };
  }
  if (edit.document === "entry") return entryChange(edit, text, common);
  const document = BACKLOG_PATH;
  const what = "backlog";
  if (edit.op === "add") {
    return {
      ...common,
      title: titleOf(edit.item),
      what,
      op: edit.op,
      document,
      text: added("- [ ] ", onOneLine(edit.item)),
    };
  }
  const lines = text.split("\n");
  const found = findItem(edit, text);
  if ("problem" in found) return found;
  const { item, line: number } = found;
  const line = lines[number] ?? "";
  const title = titleOf(item);
  if (edit.op === "remove") {
    const [previous = null, next = null] = [lines[number - 1], lines[number + 1]];
    return { ...common, title, what, op: edit.op, document, line, previous, next };
  }
  const after = tickedOff(line);
  return line === after ? null : { ...common, title, what, op: edit.op, document, line, after };
}

/** Forgotten words have their moment, because words that are said again later count. It is one line: each of several would be an entry. */
function contentOf({ target, at, content }: Extract<DocumentEdit, { document: "memory" }>): string {
  return target === "forgotten" ? `${at} ${content.trim().replaceAll(/(?<!\s)\s*[\r\n]\s*/g, " ¶ ")}` : content;
}

/** The entry is found by its beginning, the first of several; its lines are what the change is about. */
function entryChange(
  { id, path, entry: name, to }: EntryEdit,
  text: string,
  common: Pick<UndoableChange, "kind" | "id" | "at" | "by">,
): UndoableChange | EditProblem | null {
  const entry = entriesOf(text).find((each) => entryName(each) === name);
  if (entry === undefined) return { problem: sentence("undo_not_as_it_was", { document: path }) };
  const lines = text.split("\n");
  const line = lines.slice(entry.line, entry.line + entry.count).join("\n");
  const what = "memory";
  const title = titleOf(to ?? entry.text);
  if (to === undefined) {
    const [previous = null, next = null] = [lines[entry.line - 1], lines[entry.line + entry.count]];
    return { ...common, title, what, op: "remove", document: path, line, previous, next };
  }
  if (to === entry.text) return null;
  const marks = entry.edits.map(editMark);
  const body = appendItem("", entry.bullet, to, id).trimEnd();
  const after = `${[body, ...marks].join(" ")}${line.endsWith("\r") ? "\r" : ""}`;
  return { ...common, title, what, op: "change", document: path, line, after };
}

/** A checkbox is one line: what is said in several would be ticked off and taken out by its first alone. */
function onOneLine(item: string): string {
  return item.replaceAll(/(?<!\s)\s*[\r\n]\s*/g, " ");
}

function findItem(edit: BacklogEdit, text: string): BacklogItem | EditProblem {
  return findBacklogItem(parseBacklog(text), withoutMarks(onOneLine(edit.item))) ?? noSuchItem(edit.item, text);
}

/** The item of an edit is not in the backlog; the problem says what is. */
function noSuchItem(wanted: string, text: string): EditProblem {
  const items = parseBacklog(text);
  const named = items.slice(0, NAMED_MAX).map(({ item, done }, i) => {
    const cut = item.length > NAMED_CHARS_MAX ? `${beginningOf(item, NAMED_CHARS_MAX)}…` : item;
    return `${i + 1}. ${done ? "[x] " : ""}${cut}`;
  });
  const more = items.length > NAMED_MAX ? ` · … (${items.length})` : "";
  return {
    problem:
      items.length === 0
        ? sentence("item_none", { item: wanted })
        : sentence("item_unknown", { item: wanted, items: `${named.join(" · ")}${more}` }),
  };
}

function tickedOff(line: string): string {
  return line.replace("[ ]", "[x]");
}

/**
 * `text` with the edit, and with its mark.
 * @param change what was decided to be changed: it is that line and no other, whatever has moved since.
 */
export function withEdit(edit: DocumentEdit, change: UndoableChange | null, text: string): string | EditProblem {
  if (edit.document === "memory") return appendItem(text, "- ", contentOf(edit), edit.id);
  if (edit.document === "entry") return withEntry(edit, change, text);
  if (edit.op === "add") return appendItem(text, "- [ ] ", onOneLine(edit.item), edit.id);
  const lines = text.split("\n");
  const found = change !== null && "line" in change ? { line: lines.indexOf(change.line) } : findItem(edit, text);
  if ("problem" in found) return found;
  if (found.line < 0) return noSuchItem(edit.item, text);
  // The marks of a removed line stay: the edits that made it must not be made again.
  const [removed = ""] = edit.op === "remove" ? lines.splice(found.line, 1) : [];
  if (edit.op === "done") lines[found.line] = tickedOff(lines[found.line] ?? "");
  // The mark stands by itself, so that the edit is known to be made even where its line is gone.
  const marks = [...(removed.match(/<!-- \S+ -->/g) ?? []), editMark(edit.id)];
  return withMarks(lines.join("\n"), marks);
}

/** The lines that were decided upon are changed, or go; their marks stay, and that of the edit comes to them. */
function withEntry({ id, path }: EntryEdit, change: UndoableChange | null, text: string): string | EditProblem {
  // To read as it did before is no change.
  if (change === null) return withMarks(text, [editMark(id)]);
  if (!("line" in change)) throw new Error(`${change.id} is no change of an entry`);
  const edited = withBlock(text, change.line, change.op === "change" ? change.after : null);
  if (edited === null) return { problem: sentence("undo_not_as_it_was", { document: path }) };
  if (change.op === "change") return edited;
  const marks = [...(change.line.match(/<!-- \S+ -->/g) ?? []), editMark(id)];
  return withMarks(edited, marks);
}

function withMarks(text: string, marks: readonly string[]): string {
  return `${text.replace(/(?<!\n)\n*$/, "\n")}${marks.join(" ")}\n`;
}
