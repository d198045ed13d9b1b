/** `GET /api/usage?days=`: what each role has cost, by day, provider and model, the newest day first. */
import { USAGE_DAYS_MAX, UsageAnswer } from "@mimikit/protocol/wire/api";
import { z } from "zod";
import { route } from "../api/route.ts";
import { numberFrom } from "../http/query-fields.ts";

const DAYS = 7;

const UsageQuery = z.strictObject({ days: numberFrom(z.number().int().min(1).max(USAGE_DAYS_MAX)).prefault(DAYS) });

export const usage = route({
  method: "get",
  path: "/api/usage",
  summary: "usage by day, role, provider and model, the newest day first",
  query: UsageQuery,
  status: 200,
  answer: UsageAnswer,
  handle: ({ query }, { usage: usageLog }) => ({ rows: usageLog.readDays(query.days, Date.now()) }),
});
