/** `GET /api/improvements?limit=`: what self-improvement did and why, newest first, with diffs and reasons (SPEC J1). */
import { readImprovements } from "@mimikit/store/improvements";
import type { Mirror } from "@mimikit/store/mirror";
import type { Request, Response } from "express";
import { z } from "zod";
import { checkedAs } from "../limits.ts";
import type { View } from "../view.ts";

const PAGE = 20;
const PAGE_MAX = 100;

const Query = z.strictObject({ limit: z.coerce.number().int().min(1).max(PAGE_MAX).default(PAGE) });

export function improvements(view: View, mirror: Mirror) {
  return async (request: Request, response: Response): Promise<void> => {
    const { limit } = checkedAs(Query, request.query);
    await view.refresh();
    response.json({ improvements: await readImprovements(mirror, limit) });
  };
}
