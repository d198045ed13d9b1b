/** `GET /api/triggers/upcoming?cron=&timezone=&interval=`: when an order would fire, before anybody has given it. */
import { nextOf } from "@mimikit/core/schedule";
import { definitionOf, problemOf } from "@mimikit/core/triggers";
import { UpcomingAnswer } from "@mimikit/protocol/api";
import { TriggerInput } from "@mimikit/protocol/trigger-order";
import { z } from "zod";
import { Problem } from "../problem.ts";
import { numberFrom } from "../query-fields.ts";
import { route } from "../route.ts";

const UPCOMING_MAX = 3;

const UpcomingQuery = z.strictObject({
  cron: TriggerInput.shape.cron,
  timezone: TriggerInput.shape.timezone,
  interval: numberFrom(TriggerInput.shape.interval.unwrap()).optional(),
});

export const upcoming = route({
  method: "get",
  path: "/api/triggers/upcoming",
  summary:
    "the next three moments of an order that nobody has given yet, by its `cron` or its `interval`; 400 in words that " +
    "say what would be right",
  query: UpcomingQuery,
  status: 200,
  answer: UpcomingAnswer,
  handle: ({ query }, { world }) => {
    // The moments are the same whatever is to be done at them.
    const definition = definitionOf({ ...query, prompt: "anything" }, world.timeZone);
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
    return { upcoming: moments };
  },
});
