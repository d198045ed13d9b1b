/** An entry of a memory document that can be changed or forgotten by itself: the page lists it, and the supervisor finds it again. */
import { beginningOf } from "../texts/whole-characters.ts";

/** An entry is named by how it begins: all of it, or so many characters. */
export const ENTRY_NAME_CHARS_MAX = 1_000;

/** The edit of a turn: what was remembered in it. */
const OF_TURN = /^(t-\d{6,})\.\d+$/;
const TURN_PREFIX = "t-";
const MARK = /(?<![ \t])[ \t]*<!-- (\S+) -->/g;
const BULLET = /^\s*(?:[-*+]|\d+[.)]) (?:\[[ xX]\] )?/;
const HEADING = /^#{1,6} /;
/** Before a message in a note of the conversation. */
const SAID = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z (?:user|assistant|system): /;

export interface MemoryEntry {
  /** Its first line in the document, from 0, and how many lines it has. */
  line: number;
  count: number;
  /** `- ` and the like; empty where it is no list item. */
  bullet: string;
  /** Without bullet, marks of edits, and the indentation of further lines. */
  text: string;
  /** The ids of the edits that made it, the oldest first; none if it was written with an editor. */
  edits: string[];
}

/** The entries of a document: each list item with its further lines, each heading, each paragraph. */
export function entriesOf(document: string): MemoryEntry[] {
  const entries: MemoryEntry[] = [];
  const lines = document.split("\n");
  for (let line = 0; line < lines.length; ) {
    const first = lines[line] ?? "";
    let count = 1;
    if (first.trim() !== "" && !HEADING.test(first)) {
      while (continues(lines[line + count])) count++;
    }
    const block = lines.slice(line, line + count);
    const bullet = BULLET.exec(first)?.[0] ?? "";
    const shown = [first.slice(bullet.length), ...block.slice(1).map((each) => each.trimStart())]
      .map((each) => each.replaceAll(MARK, "").trimEnd())
      .join("\n")
      .trim();
    const edits = [...block.join("\n").matchAll(MARK)].map(([, id = ""]) => id);
    if (shown !== "") entries.push({ line, count, bullet, text: shown, edits });
    line += count;
  }
  return entries;
}

function continues(line: string | undefined): boolean {
  if (line === undefined || line.trim() === "" || BULLET.test(line) || HEADING.test(line)) return false;
  // A line of marks alone is what is left of an entry that is gone.
  return line.replaceAll(MARK, "").trim() !== "";
}

/** The turn in which an entry was remembered; undefined where it came otherwise. */
export function rememberedIn({ edits }: Pick<MemoryEntry, "edits">): string | undefined {
  return edits.map((id) => OF_TURN.exec(id)?.[1]).find((id) => id !== undefined);
}

/**
 * The turns in which something was remembered that the document does not say any more, and those in which it was
 * forgotten or corrected, by their numbers. An undone change counts as it is now.
 */
export function forgottenTurns(document: string): Set<number> {
  const entries = entriesOf(document);
  // The first mark of an entry is that of the edit that made it what it is.
  const standing = new Set(entries.flatMap(({ edits }) => edits.slice(0, 1)));
  const turns = new Set<number>();
  for (const [, id = ""] of document.matchAll(MARK)) {
    const turn = OF_TURN.exec(id)?.[1];
    if (turn !== undefined && !standing.has(id)) turns.add(Number(turn.slice(TURN_PREFIX.length)));
  }
  return turns;
}

/** Is it a message, word by word, in a note of the conversation? */
export function isMessage({ text }: Pick<MemoryEntry, "text">): boolean {
  return SAID.test(text);
}

/** The words of an entry; a message has its time and its speaker before them. */
export function wordsOf(entry: string): string {
  return entry.replace(SAID, "");
}

/** The name of an entry in a command. */
export function entryName({ text }: Pick<MemoryEntry, "text">): string {
  return beginningOf(text, ENTRY_NAME_CHARS_MAX);
}
