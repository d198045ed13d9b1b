/** `/api/memory`: what is remembered, found by what it says, and the wish that adds to it (SPEC E6). */
import { describeMemory } from "@mimikit/memory/describe-memory";
import { type MemoryPlace, MemorySearch } from "@mimikit/memory/memory-query";
import { refreshMemoryIndex, searchMemory as search } from "@mimikit/memory/search";
import { MemoryBody, type MemoryStatus } from "@mimikit/protocol/api";
import type { Ledger } from "@mimikit/store/ledger";
import { countUnarchived } from "@mimikit/store/unarchived";
import type { Request, Response } from "express";
import { z } from "zod";
import { checkedAs, idempotencyKeyOf, readBody } from "../limits.ts";
import type { View } from "../view.ts";
import type { Wishes } from "../wishes.ts";

/** A query in an address has only texts. */
const SearchQuery = z.strictObject({
  q: MemorySearch.shape.query,
  limit: z.coerce.number().pipe(MemorySearch.shape.limit.unwrap()).optional(),
  source: z.string().min(1).optional(),
  after: MemorySearch.shape.after,
  before: MemorySearch.shape.before,
});

/** `GET /api/memory/search?q=&limit=&after=&before=&source=`: the best hits first. */
export function searchMemory(place: MemoryPlace) {
  return async (request: Request, response: Response): Promise<void> => {
    const { q, source, ...rest } = checkedAs(SearchQuery, request.query);
    response.json(await search({ ...place, query: q, ...rest, ...(source !== undefined && { sources: [source] }) }));
  };
}

/** `GET /api/memory/status` */
export function memoryStatus(place: MemoryPlace, view: View, ledger: Ledger) {
  return async (_request: Request, response: Response): Promise<void> => {
    await view.refresh();
    const files = await describeMemory(place);
    const index = await refreshMemoryIndex(place);
    response.json({ ...files, unarchived: await countUnarchived(ledger), index } satisfies MemoryStatus);
  };
}

/** `POST /api/memory`: 202 once the wish is durable. */
export function addMemory(wishes: Wishes) {
  return async (request: Request, response: Response): Promise<void> => {
    const key = idempotencyKeyOf(request);
    const body = await readBody(request, MemoryBody);
    response.status(202).json({ id: await wishes.addMemory(body, key) });
  };
}
