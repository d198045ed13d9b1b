/** How effects change the documents that people edit too: memory and backlog (SPEC E, G). */
import type { DocumentEdit } from "@mimikit/core/base/action";
import { titleOf } from "@mimikit/core/base/title";
import type { Change, Changer } from "@mimikit/protocol/records/change";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { BACKLOG_PATH, MEMORY_PATH, PERSONA_PATH, PROFILE_PATH } from "@mimikit/store/disk/state";
import { type BacklogItem, findBacklogItem, parseBacklog } from "@mimikit/store/documents/backlog";
import { appendItem, type DocumentLock, editDocument, editMark, withoutMarks } from "@mimikit/store/documents/document";

type MemoryEdit = Extract<DocumentEdit, { document: "memory" }>;
type BacklogEdit = Extract<DocumentEdit, { document: "backlog" }>;

/** Of a backlog that is longer, so many items are named to whoever names one that is not there. */
const NAMED_MAX = 20;
const NAMED_CHARS_MAX = 80;

/** The item of an edit is not in the backlog; the message says what is. */
export class NoSuchItem extends Error {
  constructor(wanted: string, items: readonly BacklogItem[]) {
    const named = items.slice(0, NAMED_MAX).map(({ item, done }, i) => {
      const cut = item.length > NAMED_CHARS_MAX ? `${item.slice(0, NAMED_CHARS_MAX)}…` : item;
      return `${i + 1}. ${done ? "[x] " : ""}${cut}`;
    });
    const more = items.length > NAMED_MAX ? ` and ${items.length - NAMED_MAX} more` : "";
    const there = items.length === 0 ? "the backlog is empty" : `there is ${named.join(" · ")}${more}`;
    super(`no such item: ${wanted} (${there})`);
  }
}

const TARGET_PATHS = { persona: PERSONA_PATH, profile: PROFILE_PATH } as const;

/** The document of an edit. Long-term facts go to memory.md unless they have a target; the others to the note of their day. */
export function pathOf(edit: DocumentEdit): string {
  if (edit.document === "backlog") return BACKLOG_PATH;
  if (edit.target !== undefined) return TARGET_PATHS[edit.target];
  return edit.longTerm ? MEMORY_PATH : `memory/${edit.at.slice(0, 10)}.md`;
}

export function applyMemoryEdit(fs: FileSystem, lock: DocumentLock, edit: MemoryEdit): Promise<boolean> {
  return editDocument(fs, lock, pathOf(edit), edit.id, (text) => appendItem(text, "- ", edit.content, edit.id));
}

/**
 * What an edit is about to change of a document, `text` being what is in it; null where that is nothing.
 * Throws `NoSuchItem` where its item is not there.
 */
export function changeOf(edit: DocumentEdit, text: string, { by, at }: { by: Changer; at: string }): Change | null {
  const common = { kind: "change", id: edit.id, at, by } as const;
  const added = (prefix: string, content: string) => appendItem("", prefix, content, edit.id).trimEnd();
  if (edit.document === "memory") {
    const title = titleOf(edit.content);
    return { ...common, title, what: "memory", op: "add", document: pathOf(edit), text: added("- ", edit.content) };
  }
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
  const { item, line: number } = itemOf(edit, text);
  const line = lines[number] ?? "";
  const title = titleOf(item);
  if (edit.op === "remove") {
    const [previous = null, next = null] = [lines[number - 1], lines[number + 1]];
    return { ...common, title, what, op: edit.op, document, line, previous, next };
  }
  const after = tickedOff(line);
  return line === after ? null : { ...common, title, what, op: edit.op, document, line, after };
}

/** A checkbox is one line: what is said in several would be ticked off and taken out by its first alone. */
function onOneLine(item: string): string {
  return item.replaceAll(/\s*[\r\n]\s*/g, " ");
}

/** @throws NoSuchItem */
function itemOf(edit: BacklogEdit, text: string): BacklogItem {
  const items = parseBacklog(text);
  const found = findBacklogItem(items, withoutMarks(onOneLine(edit.item)));
  if (found === undefined) throw new NoSuchItem(edit.item, items);
  return found;
}

function tickedOff(line: string): string {
  return line.replace("[ ]", "[x]");
}

/** @param change what was decided to be changed: it is that line and no other, whatever has moved since. */
export function applyBacklogEdit(
  fs: FileSystem,
  lock: DocumentLock,
  edit: BacklogEdit,
  change: Change | null = null,
): Promise<boolean> {
  const item = onOneLine(edit.item);
  return editDocument(fs, lock, pathOf(edit), edit.id, (text) => {
    if (edit.op === "add") return appendItem(text, "- [ ] ", item, edit.id);
    const lines = text.split("\n");
    const number = change !== null && "line" in change ? lines.indexOf(change.line) : itemOf(edit, text).line;
    if (number < 0) throw new NoSuchItem(edit.item, parseBacklog(text));
    // The marks of a removed line stay: the edits that made it must not be made again.
    const [removed = ""] = edit.op === "remove" ? lines.splice(number, 1) : [];
    if (edit.op === "done") lines[number] = tickedOff(lines[number] ?? "");
    // The mark stands by itself, so that the edit is known to be made even where its line is gone.
    const marks = [...(removed.match(/<!-- \S+ -->/g) ?? []), editMark(edit.id)];
    return `${lines.join("\n").replace(/\n*$/, "\n")}${marks.join(" ")}\n`;
  });
}
