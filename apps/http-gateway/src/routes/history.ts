/** `GET /api/history/search?q=&limit&roles&from&to` and `/api/history/export?format=`: what was ever said, and what still waits in inbox/. */

import { EXPORT_FORMATS, historyFile } from "@mimikit/core/views/history-file";
import { HISTORY_MESSAGES_MAX } from "@mimikit/protocol/records/history";
import { HISTORY_HITS_DEFAULT, HistoryAnswer, HistoryQuery } from "@mimikit/protocol/wire/api";
import { wholeHistory } from "@mimikit/store/views/whole-history";
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
    "messages of the whole conversation, best match first; `roles` is a list of `user,assistant,system`, `from` and `to` are ISO 8601 with a zone",
  query: SearchQuery,
  status: 200,
  answer: HistoryAnswer,
  handle: async ({ query: { q, ...rest } }, { view, said }) => {
    const newest = await view.newestMessages(HISTORY_MESSAGES_MAX);
    return { hits: await said.with(newest).search({ query: q, ...rest }) };
  },
});

const EXPORT_TYPES = { md: "text/markdown; charset=utf-8", json: "application/json; charset=utf-8" };

export const exportHistory = route({
  method: "get",
  path: "/api/history/export",
  summary: "the whole conversation as a file: `format` is `md`, or `json` with earlier versions and all details",
  query: z.strictObject({ format: z.enum(EXPORT_FORMATS).prefault("md") }),
  status: 200,
  types: [EXPORT_TYPES.md, EXPORT_TYPES.json],
  handle: async ({ query: { format }, response }, { view, home }) => {
    const messages = await wholeHistory(home, await view.newestMessages(HISTORY_MESSAGES_MAX));
    response.setHeader("Content-Type", EXPORT_TYPES[format]);
    response.setHeader("Content-Disposition", `attachment; filename="mimikit-conversation.${format}"`);
    response.send(historyFile(messages, format));
  },
});
