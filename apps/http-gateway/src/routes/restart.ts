/** `POST /api/restart`: a sealed wish to start the processes anew; 202 once it is durable. */
import type { Request, Response } from "express";
import { NoBody, readBody } from "../limits.ts";
import type { Wishes } from "../wishes.ts";

export function restart(wishes: Wishes) {
  return async (request: Request, response: Response): Promise<void> => {
    await readBody(request, NoBody);
    response.status(202).json({ id: await wishes.restart() });
  };
}
