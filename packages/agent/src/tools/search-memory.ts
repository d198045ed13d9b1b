/** Finds what is remembered: in long-term memory, notes, summaries and the workspace's documents (SPEC E1). */

import { readForgotten, shownHits } from "@mimikit/memory/forgotten/read-forgotten";
import { searchMemory as search } from "@mimikit/memory/search/search";
import { HITS_DEFAULT, HITS_MAX } from "@mimikit/memory/sources/memory-query";
import { z } from "zod";
import { tool } from "./tool.ts";

const QUERY_CHARS_MAX = 1_000;
/** Says that nothing was found because nothing was searched. */
export const UNANSWERED = "memory could not be searched in time: it may hold what was sought";

export const searchMemory = tool({
  name: "search_memory",
  level: "read-only",
  roles: ["planner"],
  input: z
    .strictObject({
      query: z.string().min(1).max(QUERY_CHARS_MAX),
      after: z.iso.date().optional(),
      before: z.iso.date().optional(),
      limit: z.number().int().min(1).max(HITS_MAX).default(HITS_DEFAULT),
    })
    .describe("Find notes, summaries and documents; after and before are days, YYYY-MM-DD, and inclusive."),
  run: async (input, { reads }) => {
    const { hits, unanswered } = await search({ ...reads.memoryPlace, ...input });
    if (unanswered) return { hits: [], note: UNANSWERED };
    const shown = shownHits(hits, await readForgotten(reads.memoryPlace.home));
    return { hits: shown.map(({ source, text, score, at }) => ({ source, content: text, score, at })) };
  },
});
