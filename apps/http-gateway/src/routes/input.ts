/** `POST /api/input`: 202 only when the message is durable; the same Idempotency-Key is the same message (SPEC K2). */
import { InputBody } from "@mimikit/protocol/api";
import type { Request, Response } from "express";
import { IDEMPOTENCY_KEY_CHARS_MAX, readBody } from "../limits.ts";
import { Problem } from "../problem.ts";
import type { Wishes } from "../wishes.ts";

export function input(wishes: Wishes) {
  return async (request: Request, response: Response): Promise<void> => {
    const key = idempotencyKey(request);
    const body = await readBody(request, InputBody);
    response.status(202).json({ id: await wishes.sendMessage(body, key) });
  };
}

function idempotencyKey(request: Request): string | undefined {
  const keys = request.headersDistinct["idempotency-key"];
  if (keys === undefined) return undefined;
  const [key, ...others] = keys;
  if (others.length === 0 && key !== undefined && key.length > 0 && key.length <= IDEMPOTENCY_KEY_CHARS_MAX) return key;
  throw new Problem(400, `Idempotency-Key must be one value of 1 to ${IDEMPOTENCY_KEY_CHARS_MAX} characters`);
}
