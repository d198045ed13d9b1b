/** `GET /api/messages`: a page of the conversation, oldest first, with what still waits in inbox/ at its end. */
import { Id } from "@mimikit/protocol/id";
import type { Request, Response } from "express";
import { z } from "zod";
import { checkedAs } from "../limits.ts";
import type { View } from "../view.ts";

const PAGE_MESSAGES = 50;
const PAGE_MESSAGES_MAX = 200;

const MessagesQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(PAGE_MESSAGES_MAX).default(PAGE_MESSAGES),
  before: Id.optional(),
});

export function messages(view: View) {
  return async (request: Request, response: Response): Promise<void> => {
    const { before, limit } = checkedAs(MessagesQuery, request.query);
    response.json({ messages: await view.messagesBefore(before, limit) });
  };
}
