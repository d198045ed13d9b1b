/** `GET /api/messages`: a page of the conversation, oldest first, with what still waits in inbox/ at its end. */

import { Id } from "@mimikit/protocol/base/id";
import { MessagesAnswer } from "@mimikit/protocol/wire/api";
import { z } from "zod";
import { route } from "../api/route.ts";
import { numberFrom } from "../http/query-fields.ts";

const PAGE_MESSAGES = 50;
const PAGE_MESSAGES_MAX = 200;

const MessagesQuery = z.strictObject({
  limit: numberFrom(z.number().int().min(1).max(PAGE_MESSAGES_MAX)).prefault(PAGE_MESSAGES),
  before: Id.optional(),
});

export const messages = route({
  method: "get",
  path: "/api/messages",
  summary:
    "the conversation, oldest first, or the page of it in front of a message; what no settled turn holds yet is `pending`",
  query: MessagesQuery,
  status: 200,
  answer: MessagesAnswer,
  handle: async ({ query }, { view }) => ({ messages: await view.messagesBefore(query.before, query.limit) }),
});
