/** Finds what was said earlier: the messages that hold most words of the query, the newest first among equals. */

import { tokenize } from "@mimikit/memory/tokenize";
import { HistoryMessage } from "@mimikit/protocol/history";
import { Id } from "@mimikit/protocol/id";
import { z } from "zod";
import { tool } from "../tool.ts";

const QUERY_CHARS_MAX = 1_000;
const LIMIT_DEFAULT = 5;
const LIMIT_MAX = 20;
const TEXT_CHARS = 500;

const Query = z.strictObject({
  query: z.string().min(1).max(QUERY_CHARS_MAX),
  limit: z.number().int().min(1).max(LIMIT_MAX).default(LIMIT_DEFAULT),
  roles: z.array(HistoryMessage.shape.role).optional(),
  before_id: Id.optional(),
  from: z.iso.datetime({ offset: true }).optional(),
  to: z.iso.datetime({ offset: true }).optional(),
});

export const queryHistory = tool({
  name: "query_history",
  level: "read-only",
  roles: ["teller", "planner"],
  input: Query.describe("Find what was said earlier in the conversation."),
  run: (query, { reads }) => ({ messages: findMessages(reads.history, query) }),
});

/** The messages of `history` (oldest first) that hold most words of the query; long ones are cut. */
export function findMessages(
  history: readonly HistoryMessage[],
  { query, limit, roles, before_id, from, to }: z.output<typeof Query>,
): Pick<HistoryMessage, "id" | "role" | "at" | "text">[] {
  const end = before_id === undefined ? -1 : history.findIndex((message) => message.id === before_id);
  const words = new Set(tokenize(query));
  return (end < 0 ? history : history.slice(0, end))
    .filter((message) => roles === undefined || roles.includes(message.role))
    .filter((message) => from === undefined || Date.parse(message.at) >= Date.parse(from))
    .filter((message) => to === undefined || Date.parse(message.at) <= Date.parse(to))
    .map((message) => ({ message, score: countShared(message.text, words) }))
    .filter(({ score }) => score > 0)
    .reverse()
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ message: { id, role, at, text } }) => ({ id, role, at, text: cut(text) }));
}

function countShared(text: string, words: ReadonlySet<string>): number {
  return [...new Set(tokenize(text))].filter((word) => words.has(word)).length;
}

function cut(text: string): string {
  return text.length > TEXT_CHARS ? `${text.slice(0, TEXT_CHARS)}… [truncated]` : text;
}
