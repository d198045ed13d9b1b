/**
 * Finds what was said earlier, in everything that was ever said, and what is remembered: the best first (SPEC G). Words are
 * found, so that a model finds what was told in another language by giving the words of both.
 */
import { readForgotten, shownHits } from "@mimikit/memory/forgotten/read-forgotten";
import { searchMemory } from "@mimikit/memory/search/search";
import { HistoryQuery } from "@mimikit/protocol/wire/api";
import { memoryShown, saidShown } from "../prompt/shown-memory.ts";
import { UNANSWERED } from "./search-memory.ts";
import { tool } from "./tool.ts";

const MEMORY_HITS_MAX = 5;

export const queryHistory = tool({
  name: "query_history",
  level: "read-only",
  roles: ["teller", "planner"],
  input: HistoryQuery.describe("Find what was said or is remembered."),
  run: async (query, { reads, show }) => {
    const messages = await reads.said.search(query);
    show(saidShown(messages));
    // A caller that filters messages means those alone.
    const isNarrow =
      query.roles !== undefined || query.before_id !== undefined || query.from !== undefined || query.to !== undefined;
    if (isNarrow) return { messages };
    const { hits, unanswered } = await searchMemory({
      ...reads.memoryPlace,
      query: query.query,
      limit: MEMORY_HITS_MAX,
    });
    if (unanswered) return { messages, note: UNANSWERED };
    const shown = shownHits(hits, await readForgotten(reads.memoryPlace.home));
    show(memoryShown(shown));
    const memory = shown.map(({ source, text }) => ({ source, text }));
    return memory.length === 0 ? { messages } : { messages, memory };
  },
});
