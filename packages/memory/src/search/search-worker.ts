/** The thread that holds the indexes of a process, one for each place, and answers one search after the other. */
import { parentPort } from "node:worker_threads";
import type { MemoryAnswer } from "@mimikit/protocol/wire/api";
import type { MemoryPlace, MemoryQuery } from "../sources/memory-query.ts";
import { MemoryIndex } from "./memory-index.ts";
import { scanMemory } from "./scan.ts";
import type { ReadNotice, SearchReply, SearchRequest } from "./search-message.ts";

/** A process serves one place; only one that looks at several of them has more. The one unused for longest goes first. */
const INDEXES_MAX = 4;

const indexes = new Map<string, MemoryIndex>();
let leftOut: ReadonlySet<string> = new Set();

const keyOf = (path: string, stamp: string) => JSON.stringify([path, stamp]);

function mayRead(path: string, stamp: string): boolean {
  if (leftOut.has(keyOf(path, stamp))) return false;
  parentPort?.postMessage({ reads: { path, stamp } } satisfies ReadNotice);
  return true;
}

function indexOf({ home, workDir }: MemoryPlace): MemoryIndex {
  const key = JSON.stringify([home, workDir]);
  const index = indexes.get(key) ?? new MemoryIndex({ home, workDir, mayRead });
  indexes.delete(key);
  indexes.set(key, index);
  const [oldest] = indexes.keys();
  if (indexes.size > INDEXES_MAX && oldest !== undefined) indexes.delete(oldest);
  return index;
}

/** By the index, and where that finds nothing, without it (SPEC E5): then parts of words are found, which recalls by chance. */
async function answer(query: MemoryQuery): Promise<MemoryAnswer> {
  const hits = await indexOf(query).search(query);
  const isFound = hits.length > 0 || query.subject !== undefined;
  return isFound ? { method: "bm25", hits } : await scanMemory({ ...query, mayRead });
}

async function reply(request: SearchRequest): Promise<SearchReply> {
  const { number } = request;
  leftOut = new Set(request.leftOut.map(({ path, stamp }) => keyOf(path, stamp)));
  try {
    if ("place" in request) return { number, index: await indexOf(request.place).refresh() };
    if ("scan" in request) return { number, answer: await scanMemory({ ...request.scan, mayRead }) };
    return { number, answer: await answer(request.query) };
  } catch (error) {
    // The caller has another thread search without an index.
    return { number, error: error instanceof Error ? error.message : String(error) };
  }
}

/** An index follows its files in one search at a time. */
let last: Promise<void> = Promise.resolve();
parentPort?.on("message", (request: SearchRequest) => {
  last = last.then(async () => parentPort?.postMessage(await reply(request)));
});
