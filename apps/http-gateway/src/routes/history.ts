/** `GET /api/history/search?q=&limit&roles&from&to`: what was ever said, and what still waits in inbox/. */

import { HISTORY_MESSAGES_MAX } from "@mimikit/protocol/records/history";
import { HISTORY_HITS_DEFAULT, HistoryAnswer, HistoryQuery } from "@mimikit/protocol/wire/api";
import { z } from "zod";
import { route } from "../api/route.ts";
import { listFrom, numberFrom } from "../http/query-fields.ts";

const SearchQuery = z.strictObject({
  q: HistoryQuery.shape.query,
  limit: numberFrom(HistoryQuery.shape.limit.unwrap()).prefault(HISTORY_HITS_DEFAULT),
  roles: listFrom(HistoryQuery.shape.roles.unwrap()).optional(),
  from: HistoryQuery.shape.from,
  to: HistoryQuery.shape.to,
});

export const searchHistory = route({
  method: "get",
  path: "/api/history/search",
  summary:
    "messages out of everything that was ever said, the best first; `roles` is `user,assistant,system` or some of them, " +
    "`from` and `to` are ISO 8601 with a zone",
  query: SearchQuery,
  status: 200,
  answer: HistoryAnswer,
  handle: async ({ query: { q, ...rest } }, { view, said }) => {
    const newest = await view.messagesBefore(undefined, HISTORY_MESSAGES_MAX);
    return { hits: await said.with(newest).search({ query: q, ...rest }) };
  },
});
