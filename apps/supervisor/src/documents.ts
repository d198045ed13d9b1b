/** How effects change the documents that people edit too: memory and backlog (SPEC E, G). */
import type { DocumentEdit } from "@mimikit/core/action";
import { type BacklogItem, findBacklogItem, parseBacklog } from "@mimikit/store/backlog";
import { appendItem, type DocumentLock, editDocument, editMark, withoutMarks } from "@mimikit/store/document";
import type { FileSystem } from "@mimikit/store/file-system";
import { BACKLOG_PATH, MEMORY_PATH, PERSONA_PATH, PROFILE_PATH } from "@mimikit/store/state";

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

export function applyBacklogEdit(fs: FileSystem, lock: DocumentLock, edit: BacklogEdit): Promise<boolean> {
  // A checkbox is one line: what is said in several would be ticked off and taken out by its first alone.
  const item = edit.item.replaceAll(/\s*[\r\n]\s*/g, " ");
  return editDocument(fs, lock, pathOf(edit), edit.id, (text) => {
    if (edit.op === "add") return appendItem(text, "- [ ] ", item, edit.id);
    const lines = text.split("\n");
    const items = parseBacklog(text);
    const found = findBacklogItem(items, withoutMarks(item));
    if (found === undefined) throw new NoSuchItem(item, items);
    // The marks of a removed line stay: the edits that made it must not be made again.
    const [removed = ""] = edit.op === "remove" ? lines.splice(found.line, 1) : [];
    if (edit.op === "done") lines[found.line] = lines[found.line]?.replace("[ ]", "[x]") ?? "";
    // The mark stands by itself, so that the edit is known to be made even where its line is gone.
    const marks = [...(removed.match(/<!-- \S+ -->/g) ?? []), editMark(edit.id)];
    return `${lines.join("\n").replace(/\n*$/, "\n")}${marks.join(" ")}\n`;
  });
}
