/** Finds the entries of memory that a user means by their text, or a part of it: to change or forget them. */
import { MemoryDocument } from "@mimikit/protocol/base/fields";
import { entriesOf, type MemoryEntry } from "@mimikit/protocol/records/memory-entry";
import { fold } from "../text/fold.ts";
import type { MemoryPlace } from "./memory-query.ts";
import { listReadable, readSource } from "./sources.ts";

/** `[memory.md] ` before a line, as prompts show it. */
const SHOWN_SOURCE = /^\[([^\]\s]+\.md)\]\s+/;
/** Where a search has cut a long entry. */
const CUT = /^…\s*|…\s*\[truncated\]$/g;

export interface FoundEntry {
  document: string;
  entry: MemoryEntry;
  /** So many of the document say just the same. */
  count: number;
}

/**
 * The entries that say just that or, where none does, those that hold it; with its document, one is also found as it is
 * shown below a heading. Case, width and the script of Chinese do not count. Throws what the disk throws, but for files that are not for us.
 * @param said may begin with the document that is meant: `[memory.md] the fern stands in room 12`.
 */
export async function findEntries(said: string, place: MemoryPlace): Promise<FoundEntry[]> {
  const [prefix = "", named] = SHOWN_SOURCE.exec(said.trim()) ?? [];
  const sought = plain(said.trim().slice(prefix.length).replaceAll(CUT, ""));
  if (sought === "") return [];
  const all: Pick<FoundEntry, "document" | "entry">[] = [];
  for (const source of await listReadable(place)) {
    if (!MemoryDocument.safeParse(source.name).success || (named !== undefined && source.name !== named)) continue;
    const { text = "" } = (await readSource(source)) ?? {};
    for (const entry of entriesOf(text)) all.push({ document: source.name, entry });
  }
  const ways: ((text: string) => boolean)[] = [
    (text) => text === sought,
    (text) => text.includes(sought),
    (text) => named !== undefined && sought.endsWith(`: ${text}`),
  ];
  for (const isMeant of ways) {
    const found = all.filter(({ entry }) => isMeant(plain(entry.text)));
    if (found.length > 0) return counted(found);
  }
  return [];
}

function counted(all: readonly Pick<FoundEntry, "document" | "entry">[]): FoundEntry[] {
  const same = Map.groupBy(all, ({ document, entry }) => `${document}\n${entry.text}`);
  return [...same.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ ...first, count: 1 + others.length }],
  );
}

/** On one line, in small letters, without what ends a sentence. */
function plain(text: string): string {
  return fold(text)
    .replaceAll(/\s+/g, " ")
    .replace(/(?<![.。!！\s])[.。!！\s]+$/, "");
}
