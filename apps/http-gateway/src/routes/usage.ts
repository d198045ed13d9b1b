/** `GET /api/usage?days=`: what each role has cost, by day, provider and model, the newest day first. */
import { USAGE_DAYS_MAX } from "@mimikit/protocol/api";
import type { UsageBook } from "@mimikit/store/usage-book";
import type { Request, Response } from "express";
import { z } from "zod";
import { checkedAs } from "../limits.ts";

const DAYS = 7;

const UsageQuery = z.strictObject({ days: z.coerce.number().int().min(1).max(USAGE_DAYS_MAX).default(DAYS) });

export function usage(book: UsageBook) {
  return (request: Request, response: Response): void => {
    const { days } = checkedAs(UsageQuery, request.query);
    response.json({ rows: book.readDays(days, Date.now()) });
  };
}
