/** Finds the entries of memory that a user means by their text, or a part of it: to change or forget them. */
import { MemoryDocument } from "@mimikit/protocol/base/fields";
import { entriesOf, isMessage, type MemoryEntry } from "@mimikit/protocol/records/memory-entry";
import { fold } from "../text/fold.ts";
import { tellingWords } from "../text/sentences.ts";
import { meantTexts } from "./meant-text.ts";
import type { MemoryPlace } from "./memory-query.ts";
import { listReadable, readSource } from "./sources.ts";

/** Entries that are named where none is meant. */
const NEAREST_MAX = 5;

export interface FoundEntry {
  document: string;
  entry: MemoryEntry;
  /** So many of the document say just the same. */
  count: number;
}

/**
 * The entries that say just that or, where none does, those that hold it; with its document, one is also found as it is
 * shown below a heading. Case, width and the script of Chinese do not count, nor do a bullet, quotes and the mark of a cut.
 * Throws what the disk throws, but for files that are not for us.
 * @param said may begin with the document that is meant: `[memory.md] the fern stands in room 12`.
 */
export async function findEntries(said: string, place: MemoryPlace): Promise<FoundEntry[]> {
  const meant = meantTexts(said);
  const named = meant.at(-1)?.document;
  const all = await allEntries(place, named);
  for (const { text } of meant) {
    const sought = plain(text);
    if (sought === "") continue;
    const ways: ((text: string) => boolean)[] = [
      (text) => text === sought,
      (text) => text.includes(sought),
      (text) => named !== undefined && sought.endsWith(`: ${text}`),
    ];
    for (const isMeant of ways) {
      const found = all.filter(({ entry }) => isMeant(plain(entry.text)));
      // A message that a note has word by word is meant only where nothing is remembered that says so.
      const remembered = found.filter(({ entry }) => !isMessage(entry));
      if (found.length > 0) return counted(remembered.length > 0 ? remembered : found);
    }
  }
  return [];
}

/** The entries that share the most words with a line that no entry says, the nearest first. Throws as `findEntries` does. */
export async function nearestEntries(said: string, place: MemoryPlace): Promise<FoundEntry[]> {
  const sought = tellingWords(meantTexts(said).at(-1)?.text ?? "");
  const sharedBy = ({ entry }: Pick<FoundEntry, "entry">) =>
    [...tellingWords(entry.text)].filter((word) => sought.has(word)).length;
  return counted(await allEntries(place))
    .map((each) => ({ each, shared: sharedBy(each) }))
    .filter(({ shared }) => shared > 0)
    .sort((a, b) => b.shared - a.shared)
    .slice(0, NEAREST_MAX)
    .map(({ each }) => each);
}

/** @param named only those of this document. */
async function allEntries(place: MemoryPlace, named?: string): Promise<Pick<FoundEntry, "document" | "entry">[]> {
  const all: Pick<FoundEntry, "document" | "entry">[] = [];
  for (const source of await listReadable(place)) {
    if (!MemoryDocument.safeParse(source.name).success || (named !== undefined && source.name !== named)) continue;
    const { text = "" } = (await readSource(source)) ?? {};
    for (const entry of entriesOf(text)) all.push({ document: source.name, entry });
  }
  return all;
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
