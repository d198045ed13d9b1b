/** `/api/questions`: what the user is asked, and the wish that answers (SPEC G3). */
import { AnswerBody } from "@mimikit/protocol/api";
import type { Request, Response } from "express";
import { idempotencyKeyOf, idFrom, readBody } from "../limits.ts";
import type { View } from "../view.ts";
import type { Wishes } from "../wishes.ts";

/** `GET /api/questions`: those that are open, the oldest first. */
export function questions(view: View) {
  return async (_request: Request, response: Response): Promise<void> => {
    response.json({ questions: (await view.refresh()).questions });
  };
}

/** `POST /api/questions/:id/answer`: 202 once the answer is durable. */
export function answer(wishes: Wishes) {
  return async (request: Request, response: Response): Promise<void> => {
    const id = idFrom(request.params.id);
    const key = idempotencyKeyOf(request);
    const body = await readBody(request, AnswerBody);
    response.status(202).json({ id: await wishes.answer(id, body.answer, key) });
  };
}
