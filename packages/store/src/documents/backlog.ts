/** backlog.md is a list of Markdown checkboxes that people and the Teller edit alike (SPEC G, update_backlog). */
import { withoutComments } from "@mimikit/protocol/texts/comments";
import type { BacklogEntry } from "@mimikit/protocol/wire/api";
import type { FileSystem } from "../disk/file-system.ts";
import { BACKLOG_PATH } from "../disk/state.ts";
import { DOCUMENT_BYTES_MAX } from "./document.ts";

export interface BacklogItem {
  item: string;
  done: boolean;
  /** Its line in the file, from 0. */
  line: number;
}

const ITEM = /^\s*[-*] \[( |x|X)\] (.*?)\r?$/;

/** The backlog as it is; empty where there is none. Throws `BadJson` where something else stands in its place. */
export async function readBacklog(fs: FileSystem): Promise<BacklogEntry[]> {
  const items = parseBacklog((await fs.read(BACKLOG_PATH, DOCUMENT_BYTES_MAX)) ?? "");
  return items.map(({ item, done }, i) => ({ number: i + 1, item, done }));
}

/** The checkboxes of the file, in its order; marks of edits are not part of an item. */
export function parseBacklog(text: string): BacklogItem[] {
  return text.split("\n").flatMap((content, line) => {
    const match = ITEM.exec(content);
    if (match === null) return [];
    return [{ item: withoutComments(match[2] ?? "").trim(), done: match[1] !== " ", line }];
  });
}

/** The item that people mean by its text, or by its number in the list (1 for the first); an open one first. */
export function findBacklogItem(items: BacklogItem[], wanted: string): BacklogItem | undefined {
  const named = items.filter(({ item }) => item === wanted.trim());
  return named.find(({ done }) => !done) ?? named[0] ?? items[Number(wanted.trim()) - 1];
}
