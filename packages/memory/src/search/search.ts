/**
 * Memory is plain Markdown, and this is how it is searched (SPEC E1, E5): by an index that a thread of this process holds,
 * and where that finds nothing or has no answer in time, in the files themselves, by a thread with a limit. The caller's own
 * thread reads no document: whatever is in one, it holds up nothing else. Nothing has to be built before.
 */
import { pathToFileURL } from "node:url";
import type { MemoryAnswer, MemoryIndexState } from "@mimikit/protocol/wire/api";
import { programOf } from "@mimikit/runtime/home/programs";
import type { MemoryPlace, MemoryQuery } from "../sources/memory-query.ts";
import { hasNotes, hasSources } from "../sources/sources.ts";
import { type LeftOut, SearchThread } from "./search-thread.ts";

/** A search without the index that takes longer is ended, with its thread. */
const SCAN_MS_MAX = 5_000;
const SCAN_REST_MS = 30_000;

const PROGRAM = pathToFileURL(programOf("search-worker"));
const leftOut: LeftOut = new Map();
const thread = new SearchThread(PROGRAM, undefined, leftOut);
/** Searches while the other one builds its index, hangs, or rests. */
const scanner = new SearchThread(PROGRAM, { answerMs: SCAN_MS_MAX, silenceMs: 0, restMs: SCAN_REST_MS }, leftOut);

const NOTHING: MemoryAnswer = { method: "scan", hits: [] };
const UNANSWERED: MemoryAnswer = { ...NOTHING, unanswered: true };

/**
 * The paragraphs and list items that fit `query` best, each cut to 300 characters. Equal ones keep the order of SPEC E1:
 * long-term memory, notes, summaries, the workspace's documents. `unanswered` where no thread had an answer in time. Throws what
 * the disk throws. Where there is nothing to search, no thread is started.
 */
export async function searchMemory(query: MemoryQuery): Promise<MemoryAnswer> {
  if (!thread.isStarted && !(await hasSources(query))) return NOTHING;
  return (await thread.search(query)) ?? (await scanner.scan(query)) ?? UNANSWERED;
}

/**
 * The same for a turn, which does not wait for the index to be built: its first search does without it.
 * @returns null where there is nothing to search.
 */
export async function recallMemory(query: MemoryQuery): Promise<MemoryAnswer | null> {
  if (thread.isStarted) return searchMemory(query);
  if (!(await hasSources(query))) return null;
  const found = thread.scan(query);
  void thread.index({ home: query.home, workDir: query.workDir });
  return (await found) ?? (await scanner.scan(query)) ?? UNANSWERED;
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
  scanner.onFailure = report;
}

/** Bounds the heap of each thread, in megabytes. To be said before the first search. */
export function limitMemorySearch(heapMb: number): void {
  thread.heapMb = heapMb;
  scanner.heapMb = heapMb;
}

/** Ends the threads. Later searches find nothing. */
export async function closeMemorySearch(): Promise<void> {
  await Promise.all([thread.close(), scanner.close()]);
}
