/** What goes between a process and the thread that searches for it. */
import type { MemoryAnswer } from "@mimikit/protocol/api";
import type { MemoryQuery } from "./memory-query.ts";

export interface SearchRequest {
  /** Of this request; the reply has the same. */
  number: number;
  query: MemoryQuery;
}

export type SearchReply = { number: number } & ({ answer: MemoryAnswer } | { error: string });
