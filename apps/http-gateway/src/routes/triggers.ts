/** `/api/triggers`: what stands, why it fires or does not, what is to come, and the commands that change it (SPEC D). */

import { nextOf } from "@mimikit/core/schedule/schedule";
import { explainTrigger } from "@mimikit/core/triggers/explain";
import { simulateTriggers } from "@mimikit/core/triggers/simulate";
import { triggerSummary } from "@mimikit/core/views/board";
import type { Trigger } from "@mimikit/protocol/records/trigger";
import { coded, sentence, withCodes } from "@mimikit/protocol/texts/coded";
import { TriggerChange, TriggerInput } from "@mimikit/protocol/triggers/trigger-order";
import {
  Accepted,
  NoBody,
  Simulation,
  TriggerDetail,
  TriggerExplanation,
  TriggersAnswer,
} from "@mimikit/protocol/wire/api";
import { triggerFacts } from "@mimikit/runtime/workspace/trigger-facts";
import { meanCost } from "@mimikit/store/views/mean-cost";
import { z } from "zod";
import { route } from "../api/route.ts";
import { IdParams } from "../http/params.ts";
import { HttpProblem } from "../http/problem.ts";
import type { StateView } from "../state/view.ts";

const UPCOMING_MAX = 5;
const DAY_MS = 86_400_000;
const SIMULATED_DAYS = 7;
const SIMULATED_DAYS_MAX = 366;

const Moment = z.iso.datetime({
  offset: true,
  error: sentence("wrong_moment", { moment: "2026-12-01T00:00:00+00:00" }),
});
const SimulationQuery = z.strictObject({ from: Moment.optional(), to: Moment.optional() });

const ABSENT = { 404: "unknown", 410: "over" };

export const triggers = route({
  method: "get",
  path: "/api/triggers",
  summary: "the triggers, the next to fire first; those that wait for a condition or cool down come last",
  status: 200,
  answer: TriggersAnswer,
  handle: async (_asked, { view }) => ({ triggers: [...(await view.refresh()).triggers] }),
});

export const putTrigger = route({
  method: "post",
  path: "/api/triggers",
  summary:
    "creates a trigger; `id` is that of the trigger ([triggers and questions](#triggers-and-questions)); 400 explains what would be valid",
  body: TriggerInput,
  takesKey: true,
  status: 202,
  answer: Accepted,
  errors: { 409: "there are 1,000" },
  handle: async ({ body, key }, { commands }) => ({ id: await commands.putTrigger(body, key) }),
});

export const trigger = route({
  method: "get",
  path: "/api/triggers/:id",
  summary:
    "one trigger with its full `prompt`, its next five occurrences (`upcoming`) and its recent ones (`recent`, with the `state` of the tasks that they started)",
  params: IdParams,
  status: 200,
  answer: TriggerDetail,
  errors: ABSENT,
  handle: async ({ params }, { view }) => {
    const trigger = await view.triggerOf(params.id);
    const { tasks } = await view.refresh();
    return withCodes(detailOf(trigger, tasks));
  },
});

export const patchTrigger = route({
  method: "patch",
  path: "/api/triggers/:id",
  summary: "changes any field but `type`, and `paused`; `anew` recovers from a clock that was ahead",
  params: IdParams,
  body: TriggerChange,
  takesKey: true,
  status: 202,
  answer: Accepted,
  errors: ABSENT,
  handle: async ({ params, body, key }, { commands }) => ({ id: await commands.patchTrigger(params.id, body, key) }),
});

/** It has no body, and no page of others can send one unasked. */
export const deleteTrigger = route({
  method: "delete",
  path: "/api/triggers/:id",
  summary: "deletes the trigger",
  params: IdParams,
  takesKey: true,
  status: 202,
  answer: Accepted,
  errors: ABSENT,
  handle: async ({ params, key }, { commands }) => ({ id: await commands.deleteTrigger(params.id, key) }),
});

export const runTrigger = route({
  method: "post",
  path: "/api/triggers/:id/run",
  summary: "fires the trigger once, also while it is paused",
  params: IdParams,
  body: NoBody,
  takesKey: true,
  status: 202,
  answer: Accepted,
  errors: ABSENT,
  handle: async ({ params, key }, { commands }) => ({ id: await commands.runTrigger(params.id, key) }),
});

/** With the evidence of every leaf (SPEC D7). */
export const explain = route({
  method: "get",
  path: "/api/triggers/:id/explain",
  summary:
    "why the trigger fires or not, as a word (`state`) and a sentence (`text`), and the truth tree of its condition with each leaf (`atom`) and its evidence",
  params: IdParams,
  status: 200,
  answer: TriggerExplanation,
  errors: ABSENT,
  handle: async ({ params }, { view, world }) => {
    const trigger = await view.triggerOf(params.id);
    return withCodes(explainTrigger(trigger, await triggerFacts(trigger, world, Date.now())));
  },
});

/** Nothing is run (SPEC D7). */
export const simulate = route({
  method: "get",
  path: "/api/triggers/simulate",
  summary:
    "all future firings with their local time, others of the same minute and the expected cost; nothing is run. ISO " +
    `8601; by default the next ${SIMULATED_DAYS} days, at most ${SIMULATED_DAYS_MAX}`,
  query: SimulationQuery,
  status: 200,
  answer: Simulation,
  handle: async ({ query: { from, to } }, { view, world: { timeZone }, usage }) => {
    const fromMs = from === undefined ? Date.now() : Date.parse(from);
    const toMs = to === undefined ? fromMs + SIMULATED_DAYS * DAY_MS : Date.parse(to);
    if (toMs <= fromMs) throw new HttpProblem(400, coded("simulated_backwards"));
    if (toMs - fromMs > SIMULATED_DAYS_MAX * DAY_MS)
      throw new HttpProblem(400, coded("simulated_too_far", { days: SIMULATED_DAYS_MAX }));
    const costOf = (each: Trigger) => meanCost(each, usage, Date.now());
    return simulateTriggers(await view.allTriggers(), fromMs, toMs, { timeZone, costOf });
  },
});

function detailOf(trigger: Trigger, tasks: StateView["tasks"]): TriggerDetail {
  const summary = triggerSummary(trigger);
  const { prompt, timeoutSec, onInterrupt, depth } = trigger;
  const recent = summary.recent.map((past) => {
    const task = past.outcome === "fired" ? tasks.find(({ id }) => id === past.id) : undefined;
    return task === undefined ? past : { ...past, state: task.state };
  });
  return { ...summary, prompt, timeoutSec, onInterrupt, depth, recent, upcoming: upcomingOf(trigger, summary.next) };
}

/** The next moments of a trigger. @param next the first of them. */
function upcomingOf(trigger: Trigger, next: string | null): string[] {
  if (next === null) return [];
  const upcoming = [next];
  if (trigger.type !== "recurring") return upcoming;
  while (upcoming.length < UPCOMING_MAX) {
    const ms = nextOf(trigger.schedule, Date.parse(upcoming.at(-1) ?? next));
    if (ms === null) break;
    upcoming.push(new Date(ms).toISOString());
  }
  return upcoming;
}
