/** `GET /api/messages`: a page of the conversation, oldest first, with what still waits in inbox/ at its end; and what of memory a reply has used. */

import { usedMemory } from "@mimikit/memory/sources/used-memory";
import { Id } from "@mimikit/protocol/base/id";
import { coded } from "@mimikit/protocol/texts/coded";
import { MessagesAnswer } from "@mimikit/protocol/wire/api";
import { UsedAnswer } from "@mimikit/protocol/wire/used-memory";
import { z } from "zod";
import { route } from "../api/route.ts";
import { IdParams } from "../http/params.ts";
import { HttpProblem } from "../http/problem.ts";
import { numberFrom } from "../http/query-fields.ts";
import { pageOfMessages } from "../state/page-of-messages.ts";

const PAGE_MESSAGES = 50;
const PAGE_MESSAGES_MAX = 200;

const MessagesQuery = z.strictObject({
  limit: numberFrom(z.number().int().min(1).max(PAGE_MESSAGES_MAX)).prefault(PAGE_MESSAGES),
  before: Id.optional(),
  around: Id.optional(),
});

export const messages = route({
  method: "get",
  path: "/api/messages",
  summary:
    "a page of the conversation, oldest first: the newest messages, those before the message `before`, or those on both sides of the message `around`, of any age; a page with fewer than `limit` reaches the beginning or, with `around`, the end; messages that are not in an applied turn yet are `pending`",
  query: MessagesQuery,
  status: 200,
  answer: MessagesAnswer,
  errors: { 404: "no such message" },
  handle: async ({ query: { limit, before, around } }, { view, said }) => {
    if (before !== undefined && around !== undefined) throw new HttpProblem(400, coded("one_message_place"));
    if (before !== undefined) return { messages: await pageOfMessages(view, said, { before, limit }) };
    if (around !== undefined) return { messages: await pageOfMessages(view, said, { around, limit }) };
    return { messages: await view.newestMessages(limit) };
  },
});

export const messageUsed = route({
  method: "get",
  path: "/api/messages/:id/used",
  summary:
    "the memory that the model was shown for a reply: what every turn gets (`always`) and what was found, each with its place and whether it still reads the same",
  params: IdParams,
  status: 200,
  answer: UsedAnswer,
  errors: { 404: "no such reply" },
  handle: async ({ params: { id } }, { cache, memory }) => {
    const answer = await usedMemory(id, memory, cache.archiveIndex);
    if (answer === null) throw new HttpProblem(404, coded("no_such_reply"));
    return answer;
  },
});
