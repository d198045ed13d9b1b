/** Reads the conversation backwards, page by page, as far as the last new beginning (SPEC G, F3). */
import { z } from "zod";
import { PAGE_MESSAGES_MAX, shownMessage } from "./history-page.ts";
import { tool } from "./tool.ts";

const COUNT_DEFAULT = 10;
const OFFSET_MAX = 1_000_000;

export const getRecentHistory = tool({
  name: "get_recent_history",
  level: "read-only",
  roles: ["planner"],
  input: z
    .strictObject({
      count: z.number().int().min(1).max(PAGE_MESSAGES_MAX).default(COUNT_DEFAULT),
      offset: z.number().int().min(0).max(OFFSET_MAX).default(0).describe("how many of the newest to pass over"),
    })
    .describe("Read the last messages of the conversation, oldest first."),
  run: async (page, { reads }) => ({ messages: (await reads.said.recent(page)).map(shownMessage) }),
});
