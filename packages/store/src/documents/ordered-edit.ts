/** The edits that effects and wishes order, as texts: of memory, persona, profile and backlog (SPEC E, G). */
import type { DocumentEdit } from "@mimikit/core/base/action";
import { titleOf } from "@mimikit/core/base/title";
import type { Change, Changer } from "@mimikit/protocol/records/change";
import { BACKLOG_PATH, MEMORY_PATH, PERSONA_PATH, PROFILE_PATH } from "../disk/state.ts";
import { type BacklogItem, findBacklogItem, parseBacklog } from "./backlog.ts";
import { appendItem, editMark, type Problem, withoutMarks } from "./document.ts";

type BacklogEdit = Extract<DocumentEdit, { document: "backlog" }>;

/** Of a backlog that is longer, so many items are named to whoever names one that is not there. */
const NAMED_MAX = 20;
const NAMED_CHARS_MAX = 80;

const TARGET_PATHS = { persona: PERSONA_PATH, profile: PROFILE_PATH } as const;

/** The document of an edit. Long-term facts go to memory.md unless they have a target; the others to the note of their day. */
export function pathOf(edit: DocumentEdit): string {
  if (edit.document === "backlog") return BACKLOG_PATH;
  if (edit.target !== undefined) return TARGET_PATHS[edit.target];
  return edit.longTerm ? MEMORY_PATH : `memory/${edit.at.slice(0, 10)}.md`;
}

/**
 * What an edit is about to change of a document, `text` being what is in it; null where that is nothing,
 * and a problem where its item is not there.
 */
export function changeOf(
  edit: DocumentEdit,
  text: string,
  { by, at }: { by: Changer; at: string },
): Change | Problem | null {
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

/** A checkbox is one line: what is said in several would be ticked off and taken out by its first alone. */
function onOneLine(item: string): string {
  return item.replaceAll(/\s*[\r\n]\s*/g, " ");
}

function findItem(edit: BacklogEdit, text: string): BacklogItem | Problem {
  return findBacklogItem(parseBacklog(text), withoutMarks(onOneLine(edit.item))) ?? noSuchItem(edit.item, text);
}

/** The item of an edit is not in the backlog; the problem says what is. */
function noSuchItem(wanted: string, text: string): Problem {
  const items = parseBacklog(text);
  const named = items.slice(0, NAMED_MAX).map(({ item, done }, i) => {
    const cut = item.length > NAMED_CHARS_MAX ? `${item.slice(0, NAMED_CHARS_MAX)}…` : item;
    return `${i + 1}. ${done ? "[x] " : ""}${cut}`;
  });
  const more = items.length > NAMED_MAX ? ` and ${items.length - NAMED_MAX} more` : "";
  const there = items.length === 0 ? "the backlog is empty" : `there is ${named.join(" · ")}${more}`;
  return { problem: `no such item: ${wanted} (${there})` };
}

function tickedOff(line: string): string {
  return line.replace("[ ]", "[x]");
}

/**
 * `text` with the edit, and with its mark.
 * @param change what was decided to be changed: it is that line and no other, whatever has moved since.
 */
export function withEdit(edit: DocumentEdit, change: Change | null, text: string): string | Problem {
  if (edit.document === "memory") return appendItem(text, "- ", edit.content, edit.id);
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
  return `${lines.join("\n").replace(/\n*$/, "\n")}${marks.join(" ")}\n`;
}
