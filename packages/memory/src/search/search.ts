/**
 * Memory is plain Markdown, and this is how it is searched (SPEC E1, E5): by an index that a thread of this process holds,
 * and where that finds nothing or cannot be asked, in the files themselves. Nothing has to be built before.
 */
import type { MemoryAnswer, MemoryIndexState } from "@mimikit/protocol/wire/api";
import type { MemoryPlace, MemoryQuery } from "../sources/memory-query.ts";
import { scanMemory } from "./scan.ts";
import { SearchThread } from "./search-thread.ts";

const thread = new SearchThread(new URL("./search-worker.ts", import.meta.url));

/**
 * The paragraphs and list items that fit `query` best, each cut to 300 characters. Equal ones keep the order of SPEC E1:
 * long-term memory, notes, summaries, the workspace's documents. Throws what the disk throws, but for files that are not
 * there or not for us.
 */
export async function searchMemory(query: MemoryQuery): Promise<MemoryAnswer> {
  return (await thread.search(query)) ?? (await scanMemory(query));
}

/** Brings the index of this process up to date; null where its thread has no answer in time. */
export function refreshMemoryIndex(place: MemoryPlace): Promise<MemoryIndexState | null> {
  return thread.index(place);
}

/** From now on `report` is told, in one line, what goes wrong in the thread. Searches go on without it. */
export function onMemorySearchFailure(report: (reason: string) => void): void {
  thread.onFailure = report;
}

/** Ends the thread. Later searches do without it. */
export function closeMemorySearch(): Promise<void> {
  return thread.close();
}
