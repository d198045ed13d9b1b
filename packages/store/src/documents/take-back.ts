/** How a change of a document is undone: what it wrote goes or comes, and later edits stay (SPEC J3). */

import { undoEditId } from "@mimikit/protocol/base/id";
import type { DocumentChange } from "@mimikit/protocol/records/change";
import { sentence } from "@mimikit/protocol/texts/coded";
import { type EditProblem, editMark, withBlock } from "./document.ts";

const MARKS = /<!-- \S+ -->/g;

/**
 * Takes a change back in `text`, its document; or says why it has to stay, and what can be done instead. The marks of the edit stay, so that it is never made again, and that of
 * taking it back comes to them (docs/file-protocol.md R10).
 */
export function takenBack(change: DocumentChange, text: string): string | EditProblem {
  const { id, document } = change;
  if (text.includes(editMark(undoEditId(id)))) return text;
  if (!text.includes(editMark(id))) return { problem: sentence("undo_gone", { document }) };
  const lines = text.split("\n");
  if (change.op === "add") return withoutLines(change, change.text.split("\n"), lines);
  if (change.op === "remove") {
    lines.splice(placeOf(change, lines), 0, change.line);
    return withMarks(lines, [undoEditId(id)]);
  }
  if (change.what === "memory") {
    const back = withBlock(text, change.after, change.line);
    if (back === null) return { problem: sentence("undo_edited", { title: change.title, document }) };
    return withMarks(back.split("\n"), [id, undoEditId(id)]);
  }
  const number = lines.indexOf(change.after);
  if (number < 0) return { problem: sentence("undo_ticked", { title: change.title, document }) };
  lines[number] = change.line;
  return withMarks(lines, [undoEditId(id)]);
}

function withoutLines({ id, document }: DocumentChange, written: string[], lines: string[]): string | EditProblem {
  const number = lines.findIndex((_, i) => written.every((line, k) => lines[i + k] === line));
  if (number < 0) {
    const marked = lines.findIndex((line) => line.includes(editMark(id)));
    // The marks of a line that was taken out are left of it.
    if (lines[marked]?.replace(MARKS, "").trim() === "") return { problem: sentence("undo_gone", { document }) };
    return { problem: sentence("undo_line_edited", { line: marked + 1, document }) };
  }
  lines.splice(number, written.length);
  return withMarks(lines, [id, undoEditId(id)]);
}

/** Where a line that was removed comes back: between its neighbours, beside the one that is left, or at the end. */
function placeOf({ previous, next }: Extract<DocumentChange, { op: "remove" }>, lines: string[]): number {
  const between = lines.findIndex((line, i) => line === next && (lines[i - 1] ?? null) === previous);
  if (between >= 0) return between;
  // Any blank line looks like another.
  const after = previous === null || previous.trim() === "" ? -1 : lines.indexOf(previous);
  if (after >= 0) return after + 1;
  const before = next === null || next.trim() === "" ? -1 : lines.indexOf(next);
  if (before >= 0) return before;
  return lines.at(-1) === "" ? lines.length - 1 : lines.length;
}

function withMarks(lines: readonly string[], ids: readonly string[]): string {
  const body = lines.join("\n");
  const separator = body === "" || body.endsWith("\n") ? "" : "\n";
  return `${body}${separator}${ids.map(editMark).join(" ")}\n`;
}
