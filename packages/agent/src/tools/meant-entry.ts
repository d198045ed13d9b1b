/** The entry of memory that a call means. */

import { type FoundEntry, findEntries, nearestEntries } from "@mimikit/memory/sources/find-entries";
import type { MemoryPlace } from "@mimikit/memory/sources/memory-query";
import { entryName } from "@mimikit/protocol/records/memory-entry";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { z } from "zod";

const SAID_CHARS_MAX = 2_000;
/** Of several that may be meant so many are named, and so much of each. */
const NAMED_MAX = 5;
const NAMED_CHARS_MAX = 120;

export const SaidEntry = z.string().trim().min(1).max(SAID_CHARS_MAX);

/** Throws in words that tell the caller what to say instead, where no entry is meant, or one of several. */
export async function meantEntry(line: string, place: MemoryPlace): Promise<{ document: string; entry: string }> {
  const found = await findEntries(line, place);
  const [first] = found;
  if (first === undefined) throw new Error(notThere("nothing in memory says so", await nearestLines(line, place)));
  if (found.length === 1) return { document: first.document, entry: entryName(first.entry) };
  const named = found.slice(0, NAMED_MAX).map(shownEntry).join("\n");
  throw new Error(`${found.length} lines say so, give the whole line of one:\n${named}`);
}

/** The lines of memory that share words with what was not found. */
export async function nearestLines(line: string, place: MemoryPlace): Promise<string[]> {
  return (await nearestEntries(line, place)).map(shownEntry);
}

/** Why a line is refused, and what may be meant. */
export function notThere(reason: string, nearest: readonly string[]): string {
  const lines = nearest.slice(0, NAMED_MAX).map((each) => beginningOf(each.replaceAll("\n", " "), NAMED_CHARS_MAX));
  if (lines.length === 0) return `${reason}: give the line exactly as it is shown`;
  return `${reason}: give the line exactly as it is shown. The nearest:\n${lines.join("\n")}`;
}

function shownEntry({ document, entry }: FoundEntry): string {
  return `[${document}] ${beginningOf(entry.text.replaceAll("\n", " "), NAMED_CHARS_MAX)}`;
}
