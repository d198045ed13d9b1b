/** `POST /api/input`: 202 only when the message is durable; the same Idempotency-Key is the same message (SPEC K2). */
import { InputBody } from "@mimikit/protocol/api";
import type { Request, Response } from "express";
import { idempotencyKeyOf, readBody } from "../limits.ts";
import type { Wishes } from "../wishes.ts";

export function input(wishes: Wishes) {
  return async (request: Request, response: Response): Promise<void> => {
    const key = idempotencyKeyOf(request);
    const body = await readBody(request, InputBody);
    response.status(202).json({ id: await wishes.sendMessage(body, key) });
  };
}
