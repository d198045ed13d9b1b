/**
 * Memory is plain Markdown, and this is how it is searched (SPEC E1, E5): by an index that a thread of this process holds,
 * and where that finds nothing or cannot be asked, in the files themselves. Nothing has to be built before.
 */
import { pathToFileURL } from "node:url";
import type { MemoryAnswer, MemoryIndexState } from "@mimikit/protocol/wire/api";
import { programOf } from "@mimikit/runtime/home/programs";
import type { MemoryPlace, MemoryQuery } from "../sources/memory-query.ts";
import { hasNotes, hasSources } from "../sources/sources.ts";
import { scanMemory } from "./scan.ts";
import { SearchThread } from "./search-thread.ts";

const thread = new SearchThread(pathToFileURL(programOf("search-worker")));

const NOTHING: MemoryAnswer = { method: "scan", hits: [] };

/**
 * The paragraphs and list items that fit `query` best, each cut to 300 characters. Equal ones keep the order of SPEC E1:
 * long-term memory, notes, summaries, the workspace's documents. Throws what the disk throws, but for files that are not
 * there or not for us. Where there is nothing to search, no thread is started.
 */
export async function searchMemory(query: MemoryQuery): Promise<MemoryAnswer> {
  if (!thread.isStarted && !(await hasSources(query))) return NOTHING;
  return (await thread.search(query)) ?? (await scanMemory(query));
}

/**
 * The same for a turn, which does not wait for the thread to start: its first search does without the index.
 * @returns null where there is nothing to search.
 */
export async function recallMemory(query: MemoryQuery): Promise<MemoryAnswer | null> {
  if (thread.isStarted) return searchMemory(query);
  if (!(await hasSources(query))) return null;
  void thread.index({ home: query.home, workDir: query.workDir });
  return scanMemory(query);
}

/** Brings the index of this process up to date; null where its thread has no answer in time. */
export function refreshMemoryIndex(place: MemoryPlace): Promise<MemoryIndexState | null> {
  return thread.index(place);
}

/**
 * Builds the index before the first search needs it, where there is more than a file or two to search: an instance that has
 * nothing to remember does without the thread. Throws what the disk throws.
 * @returns null where nothing was built.
 */
export async function warmMemorySearch(place: MemoryPlace): Promise<MemoryIndexState | null> {
  return (await hasNotes(place)) ? thread.index(place) : null;
}

/** From now on `report` is told, in one line, what goes wrong in the thread. Searches go on without it. */
export function onMemorySearchFailure(report: (reason: string) => void): void {
  thread.onFailure = report;
}

/** Bounds the heap of the thread, in megabytes. To be said before the first search. */
export function limitMemorySearch(heapMb: number): void {
  thread.heapMb = heapMb;
}

/** Ends the thread. Later searches do without it. */
export function closeMemorySearch(): Promise<void> {
  return thread.close();
}
