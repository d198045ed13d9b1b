/** Messages between a process and the thread that searches for it. */
import type { MemoryAnswer, MemoryIndexState } from "@mimikit/protocol/wire/api";
import type { MemoryPlace, MemoryQuery } from "../sources/memory-query.ts";

/** To search, or to bring the index of a place up to date. The reply has the number of its request. */
export type SearchRequest = { number: number } & ({ query: MemoryQuery } | { place: MemoryPlace });

export type SearchReply = { number: number } & (
  | { answer: MemoryAnswer }
  | { index: MemoryIndexState }
  | { error: string }
);
