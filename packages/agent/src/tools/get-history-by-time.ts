/** Reads what was said in a span of time, in everything that was ever said (SPEC G). */
import { z } from "zod";
import { PAGE_MESSAGES_MAX, shownMessage } from "./history-page.ts";
import { tool } from "./tool.ts";

const Moment = z.iso.datetime({ offset: true });

export const getHistoryByTime = tool({
  name: "get_history_by_time",
  level: "read-only",
  roles: ["planner"],
  input: z
    .strictObject({ after: Moment.optional(), before: Moment.optional() })
    .describe(
      `Read what was said between two moments, oldest first: the last ${PAGE_MESSAGES_MAX} messages of that time.`,
    ),
  refuse: ({ after, before }) =>
    after === undefined && before === undefined ? "say after, before or both: ISO 8601 with a zone" : null,
  run: async (span, { reads }) => ({
    messages: (await reads.said.between({ ...span, limit: PAGE_MESSAGES_MAX })).map(shownMessage),
  }),
});
