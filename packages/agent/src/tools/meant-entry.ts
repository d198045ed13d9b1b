/** The entry of memory that a call means. */

import { findEntries } from "@mimikit/memory/sources/find-entries";
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
  if (first === undefined) throw new Error("nothing in memory says so: give the line exactly as it is shown");
  if (found.length === 1) return { document: first.document, entry: entryName(first.entry) };
  const named = found
    .slice(0, NAMED_MAX)
    .map(({ document, entry }) => `[${document}] ${beginningOf(entry.text.replaceAll("\n", " "), NAMED_CHARS_MAX)}`);
  throw new Error(`${found.length} lines say so, give the whole line of one:\n${named.join("\n")}`);
}
