/** `/api/backlog`: the checkboxes of backlog.md, and the wish that changes them. */
import { BacklogBody } from "@mimikit/protocol/api";
import { BadJson } from "@mimikit/protocol/json";
import { readBacklog } from "@mimikit/store/backlog";
import type { FileSystem } from "@mimikit/store/file-system";
import { BACKLOG_PATH } from "@mimikit/store/state";
import type { Request, Response } from "express";
import { idempotencyKeyOf, readBody } from "../limits.ts";
import { Problem } from "../problem.ts";
import type { Wishes } from "../wishes.ts";

/** `GET /api/backlog`: in the order of the file. */
export function backlog(fs: FileSystem) {
  return async (_request: Request, response: Response): Promise<void> => {
    try {
      response.json({ items: await readBacklog(fs) });
    } catch (error) {
      if (!(error instanceof BadJson)) throw error;
      throw new Problem(503, `${BACKLOG_PATH} cannot be read: ${error.message}`);
    }
  };
}

/** `POST /api/backlog`: 202 once the wish is durable. Whether there is such an item is seen when it is carried out. */
export function editBacklog(wishes: Wishes) {
  return async (request: Request, response: Response): Promise<void> => {
    const key = idempotencyKeyOf(request);
    const body = await readBody(request, BacklogBody);
    response.status(202).json({ id: await wishes.editBacklog(body, key) });
  };
}
