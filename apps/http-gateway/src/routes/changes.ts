/** `/api/changes` and `/api/undo`: what was changed lately, and the wish that takes it back (SPEC J3). */
import { CHANGES_LISTED_DEFAULT, UndoBody } from "@mimikit/protocol/api";
import { CHANGES_KEPT_MAX } from "@mimikit/protocol/change";
import { type ChangePlace, listChanges } from "@mimikit/runtime/list-changes";
import type { Request, Response } from "express";
import { z } from "zod";
import { checkedAs, idempotencyKeyOf, readBody } from "../limits.ts";
import type { View } from "../view.ts";
import type { Wishes } from "../wishes.ts";

/** A query in an address has only texts. */
const ChangesQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(CHANGES_KEPT_MAX).default(CHANGES_LISTED_DEFAULT),
});

/** `GET /api/changes?limit=`: the newest first. */
export function changes(view: View, place: ChangePlace) {
  return async (request: Request, response: Response): Promise<void> => {
    const { limit } = checkedAs(ChangesQuery, request.query);
    await view.refresh();
    response.json({ changes: await listChanges(place, Date.now(), limit) });
  };
}

/** `POST /api/undo`: 202 once the wish is durable. */
export function undo(wishes: Wishes) {
  return async (request: Request, response: Response): Promise<void> => {
    const key = idempotencyKeyOf(request);
    const { id } = await readBody(request, UndoBody);
    response.status(202).json({ id: await wishes.undo(id, key) });
  };
}
