/** `GET /api/improvements?limit=`: what self-improvement did and why, newest first, with diffs and reasons (SPEC J1). */
import { ImprovementsAnswer } from "@mimikit/protocol/wire/api";
import { readImprovements } from "@mimikit/store/views/improvements";
import { z } from "zod";
import { route } from "../api/route.ts";
import { numberFrom } from "../http/query-fields.ts";

const PAGE = 20;
const PAGE_MAX = 100;

export const improvements = route({
  method: "get",
  path: "/api/improvements",
  summary: "the runs of self-improvement with their reasons, newest first ([self-improvement](self-improvement.md))",
  query: z.strictObject({ limit: numberFrom(z.number().int().min(1).max(PAGE_MAX)).prefault(PAGE) }),
  status: 200,
  answer: ImprovementsAnswer,
  handle: async ({ query }, { view, cache }) => {
    await view.refresh();
    return { improvements: await readImprovements(cache, query.limit) };
  },
});
