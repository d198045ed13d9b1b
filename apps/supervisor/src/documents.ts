/** How effects change the documents that people edit too: memory and backlog (SPEC E, G). */
import type { DocumentEdit } from "@mimikit/core/action";
import { findBacklogItem, parseBacklog } from "@mimikit/store/backlog";
import { appendItem, type DocumentLock, editDocument, editMark, withoutMarks } from "@mimikit/store/document";
import type { FileSystem } from "@mimikit/store/file-system";
import { BACKLOG_PATH, MEMORY_PATH } from "@mimikit/store/state";

type MemoryEdit = Extract<DocumentEdit, { document: "memory" }>;
type BacklogEdit = Extract<DocumentEdit, { document: "backlog" }>;

/** The document of an edit. Long-term facts go to memory.md, the others to the note of their day. */
export function pathOf(edit: DocumentEdit): string {
  if (edit.document === "backlog") return BACKLOG_PATH;
  return edit.longTerm ? MEMORY_PATH : `memory/${edit.at.slice(0, 10)}.md`;
}

export function applyMemoryEdit(fs: FileSystem, lock: DocumentLock, edit: MemoryEdit): Promise<boolean> {
  return editDocument(fs, lock, pathOf(edit), edit.id, (text) => appendItem(text, "- ", edit.content, edit.id));
}

export function applyBacklogEdit(fs: FileSystem, lock: DocumentLock, edit: BacklogEdit): Promise<boolean> {
  return editDocument(fs, lock, pathOf(edit), edit.id, (text) => {
    if (edit.op === "add") return appendItem(text, "- [ ] ", edit.item, edit.id);
    const lines = text.split("\n");
    const found = findBacklogItem(parseBacklog(text), withoutMarks(edit.item));
    // The marks of a removed line stay: the edits that made it must not be made again.
    const [removed = ""] = found !== undefined && edit.op === "remove" ? lines.splice(found.line, 1) : [];
    if (found !== undefined && edit.op === "done") lines[found.line] = lines[found.line]?.replace("[ ]", "[x]") ?? "";
    // The mark stands by itself, so that the edit is known to be made even where its line is gone.
    const marks = [...(removed.match(/<!-- \S+ -->/g) ?? []), editMark(edit.id)];
    return `${lines.join("\n").replace(/\n*$/, "\n")}${marks.join(" ")}\n`;
  });
}
