/**
 * `POST /api/steer`, `/api/tasks/:id/steer`, `/api/stop` and `/api/clear`: what the user says meanwhile (SPEC I5). 202
 * once the wish is durable; the same Idempotency-Key is the same wish.
 */
import { SteerBody } from "@mimikit/protocol/api";
import type { Request, Response } from "express";
import { idempotencyKeyOf, idFrom, NoBody, readBody } from "../limits.ts";
import type { Wishes } from "../wishes.ts";

/** Words for the task in the address or, where it names none, for what runs now. */
export function steer(wishes: Wishes) {
  return async (request: Request, response: Response): Promise<void> => {
    const taskId = request.params.id === undefined ? undefined : idFrom(request.params.id);
    const key = idempotencyKeyOf(request);
    const { text } = await readBody(request, SteerBody);
    response.status(202).json({ id: await wishes.steer(text, taskId, key) });
  };
}

export function stop(wishes: Wishes) {
  return async (request: Request, response: Response): Promise<void> => {
    const key = idempotencyKeyOf(request);
    await readBody(request, NoBody);
    response.status(202).json({ id: await wishes.stop(key) });
  };
}

export function clear(wishes: Wishes) {
  return async (request: Request, response: Response): Promise<void> => {
    const key = idempotencyKeyOf(request);
    await readBody(request, NoBody);
    response.status(202).json({ id: await wishes.clear(key) });
  };
}
