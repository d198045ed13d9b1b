/**
 * Memory is plain Markdown, and this is how it is searched (SPEC E1, E5): by an index that a thread of this process holds,
 * and where that finds nothing or cannot be asked, in the files themselves. Nothing has to be built before.
 */
import type { MemoryAnswer } from "@mimikit/protocol/api";
import type { MemoryQuery } from "./memory-query.ts";
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

/** Ends the thread. Later searches do without it. */
export function closeMemorySearch(): Promise<void> {
  return thread.close();
}
