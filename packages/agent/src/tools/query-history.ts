/** Finds what was said earlier, in everything that was ever said: the best first (SPEC G). */
import { HistoryQuery } from "@mimikit/protocol/wire/api";
import { saidShown } from "../prompt/shown-memory.ts";
import { tool } from "./tool.ts";

export const queryHistory = tool({
  name: "query_history",
  level: "read-only",
  roles: ["teller", "planner"],
  input: HistoryQuery.describe("Find what was said earlier, however long ago."),
  run: async (query, { reads, show }) => {
    const messages = await reads.said.search(query);
    show(saidShown(messages));
    return { messages };
  },
});
