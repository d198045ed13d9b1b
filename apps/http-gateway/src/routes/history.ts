/** `GET /api/history/search?q=&limit&roles&from&to`: what was ever said, and what still waits in inbox/. */
import type { HistoryIndex } from "@mimikit/memory/history-index";
import { HistoryQuery } from "@mimikit/protocol/api";
import { HISTORY_MESSAGES_MAX } from "@mimikit/protocol/history";
import type { Request, Response } from "express";
import { z } from "zod";
import { checkedAs } from "../limits.ts";
import type { View } from "../view.ts";

/** A query in an address has only texts. */
const SearchQuery = z.strictObject({
  q: HistoryQuery.shape.query,
  limit: z.coerce.number().pipe(HistoryQuery.shape.limit.unwrap()).optional(),
  roles: z
    .string()
    .transform((list) => list.split(","))
    .pipe(HistoryQuery.shape.roles.unwrap())
    .optional(),
  from: HistoryQuery.shape.from,
  to: HistoryQuery.shape.to,
});

export function searchHistory(view: View, said: HistoryIndex) {
  return async (request: Request, response: Response): Promise<void> => {
    const { q, ...rest } = checkedAs(SearchQuery, request.query);
    const newest = await view.messagesBefore(undefined, HISTORY_MESSAGES_MAX);
    response.json({ hits: await said.with(newest).search(HistoryQuery.parse({ query: q, ...rest })) });
  };
}
