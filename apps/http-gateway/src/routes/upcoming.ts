/** `GET /api/triggers/upcoming?cron=&timezone=&interval=`: when a schedule would fire, before it is saved. */

import { nextOf } from "@mimikit/core/schedule/schedule";
import { definitionOf, problemOf } from "@mimikit/core/triggers/triggers";
import { coded, codeOrQuote } from "@mimikit/protocol/texts/coded";
import { TriggerInput } from "@mimikit/protocol/triggers/trigger-order";
import { UpcomingAnswer } from "@mimikit/protocol/wire/api";
import { z } from "zod";
import { route } from "../api/route.ts";
import { HttpProblem } from "../http/problem.ts";
import { numberFrom } from "../http/query-fields.ts";

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
    "the next three occurrences of a schedule that is not saved yet, by its `cron` or `interval`; 400 explains what would be valid",
  query: UpcomingQuery,
  status: 200,
  answer: UpcomingAnswer,
  handle: ({ query }, { commands }) => {
    // The moments are the same whatever is to be done at them.
    const definition = definitionOf({ ...query, prompt: "anything" }, commands.timeZone());
    if ("problem" in definition) throw new HttpProblem(400, codeOrQuote(definition.problem));
    const { when } = definition;
    const nowMs = Date.now();
    const problem = problemOf(when, nowMs);
    if (problem !== null || when.type !== "recurring")
      throw new HttpProblem(400, problem === null ? coded("cron_or_interval") : codeOrQuote(problem));
    const moments: string[] = [];
    for (let ms = nextOf(when.schedule, nowMs); ms !== null; ms = nextOf(when.schedule, ms)) {
      moments.push(new Date(ms).toISOString());
      if (moments.length === UPCOMING_MAX) break;
    }
    return { upcoming: moments };
  },
});
