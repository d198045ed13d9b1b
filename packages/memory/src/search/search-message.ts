/** Messages between a process and the thread that searches for it. */
import type { MemoryAnswer, MemoryIndexState } from "@mimikit/protocol/wire/api";
import type { MemoryPlace, MemoryQuery } from "../sources/memory-query.ts";

/** A document, as it is at one time. */
export interface SourceVersion {
  path: string;
  stamp: string;
}

/**
 * To search by the index or without it, or to bring the index of a place up to date. The reply has the number of its request.
 * Documents that are left out are not read.
 */
export type SearchRequest = { number: number; leftOut: readonly SourceVersion[] } & (
  | { query: MemoryQuery }
  | { scan: MemoryQuery }
  | { place: MemoryPlace }
);

export type SearchReply = { number: number } & (
  | { answer: MemoryAnswer }
  | { index: MemoryIndexState }
  | { error: string }
);

/** Sent before a document is read, so that it is known which one a thread that falls silent has read. */
export interface ReadNotice {
  reads: SourceVersion;
}
