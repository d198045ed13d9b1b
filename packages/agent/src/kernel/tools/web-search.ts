/** Asks the search engine that the owner has set up. Its words leave the machine, so it asks as a command with the network does. */
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { z } from "zod";
import { lines, record } from "../../prompt/quote.ts";
import { tool } from "../../tools/tool.ts";
import type { SearchPlace } from "../../web/web.ts";
import type { Workspace } from "./workspace.ts";

const QUERY_CHARS_MAX = 400;
const HITS_MAX = 20;
const HITS_DEFAULT = 8;
const HIT_CHARS_MAX = 600;

export const webSearchTool = ({ task, signal }: Workspace, place: SearchPlace) =>
  tool({
    name: "web_search",
    level: "message-send",
    roles: [task.role],
    input: z
      .strictObject({
        query: z.string().min(1).max(QUERY_CHARS_MAX),
        count: z.number().int().min(1).max(HITS_MAX).default(HITS_DEFAULT),
      })
      .describe("Searches the web. The owner may be asked first."),
    wants: async ({ query }) => ({ reaches: ["network"], shown: `search with ${place.engine}: ${query}` }),
    run: async ({ query, count }) => {
      const { searchWeb } = await import("../../web/search-web.ts");
      const found = await searchWeb(place, query, count, signal);
      if (found.length === 0) return { text: "[nothing was found]" };
      return {
        text: lines(...found.map(({ title, url, text }) => record({ url, title }, beginningOf(text, HIT_CHARS_MAX)))),
      };
    },
  });
