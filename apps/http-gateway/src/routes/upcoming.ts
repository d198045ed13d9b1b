/** `GET /api/triggers/upcoming?cron=&timezone=&interval=`: when an order would fire, before anybody has given it. */
import { nextOf } from "@mimikit/core/schedule";
import { definitionOf, problemOf } from "@mimikit/core/triggers";
import { TriggerInput } from "@mimikit/protocol/trigger-order";
import type { TriggerWorld } from "@mimikit/runtime/trigger-facts";
import type { Request, Response } from "express";
import { z } from "zod";
import { checkedAs } from "../limits.ts";
import { Problem } from "../problem.ts";

const UPCOMING_MAX = 3;

/** A query in an address has only texts. */
const UpcomingQuery = z.strictObject({
  cron: TriggerInput.shape.cron,
  timezone: TriggerInput.shape.timezone,
  interval: z.coerce.number().pipe(TriggerInput.shape.interval.unwrap()).optional(),
});

export function upcoming({ timeZone }: TriggerWorld) {
  return (request: Request, response: Response): void => {
    // The moments are the same whatever is to be done at them.
    const definition = definitionOf({ ...checkedAs(UpcomingQuery, request.query), prompt: "anything" }, timeZone);
    if ("problem" in definition) throw new Problem(400, definition.problem);
    const { when } = definition;
    const nowMs = Date.now();
    const problem = problemOf(when, nowMs);
    if (problem !== null || when.type !== "recurring") throw new Problem(400, problem ?? "say cron or interval");
    const moments: string[] = [];
    for (let ms = nextOf(when.schedule, nowMs); ms !== null; ms = nextOf(when.schedule, ms)) {
      moments.push(new Date(ms).toISOString());
      if (moments.length === UPCOMING_MAX) break;
    }
    response.json({ upcoming: moments });
  };
}
