/** `/api/triggers`: what stands, why it fires or does not, what is to come, and the wishes that change it (SPEC D). */
import { triggerSummary } from "@mimikit/core/board";
import { explainTrigger } from "@mimikit/core/explain";
import { nextOf } from "@mimikit/core/schedule";
import { simulateTriggers } from "@mimikit/core/simulate";
import type { TriggerDetail } from "@mimikit/protocol/api";
import type { Standing } from "@mimikit/protocol/trigger";
import { TriggerChange, TriggerInput } from "@mimikit/protocol/trigger-order";
import { type TriggerWorld, triggerFacts } from "@mimikit/runtime/trigger-facts";
import { meanCost } from "@mimikit/store/mean-cost";
import type { UsageBook } from "@mimikit/store/usage-book";
import type { Request, Response } from "express";
import { z } from "zod";
import { checkedAs, idempotencyKeyOf, idFrom, NoBody, readBody } from "../limits.ts";
import { Problem } from "../problem.ts";
import type { Look, View } from "../view.ts";
import type { Wishes } from "../wishes.ts";

const UPCOMING_MAX = 5;
const DAY_MS = 86_400_000;
const SIMULATED_DAYS = 7;
const SIMULATED_DAYS_MAX = 366;

const Moment = z.iso.datetime({ offset: true, error: "a moment is ISO 8601 with its zone, like 2026-12-01T00:00:00Z" });
const SimulationQuery = z.strictObject({ from: Moment.optional(), to: Moment.optional() });

/** `GET /api/triggers`: the soonest first; those that wait for a condition or rest come last. */
export function triggers(view: View) {
  return async (_request: Request, response: Response): Promise<void> => {
    response.json({ triggers: (await view.refresh()).triggers });
  };
}

/** `POST /api/triggers`: 202 once the order is durable; the id is that of the trigger. */
export function putTrigger(wishes: Wishes) {
  return async (request: Request, response: Response): Promise<void> => {
    const key = idempotencyKeyOf(request);
    const body = await readBody(request, TriggerInput);
    response.status(202).json({ id: await wishes.putTrigger(body, key) });
  };
}

/** `GET /api/triggers/:id` */
export function trigger(view: View) {
  return async (request: Request, response: Response): Promise<void> => {
    const standing = await view.standingOf(idFrom(request.params.id));
    const { tasks } = await view.refresh();
    response.json(detailOf(standing, tasks));
  };
}

/** `PATCH /api/triggers/:id`: 202 once the change is durable. */
export function patchTrigger(wishes: Wishes) {
  return async (request: Request, response: Response): Promise<void> => {
    const id = idFrom(request.params.id);
    const key = idempotencyKeyOf(request);
    const body = await readBody(request, TriggerChange);
    response.status(202).json({ id: await wishes.patchTrigger(id, body, key) });
  };
}

/** `DELETE /api/triggers/:id`: 202 once the wish is durable. It has no body, and no page of others can send one unasked. */
export function deleteTrigger(wishes: Wishes) {
  return async (request: Request, response: Response): Promise<void> => {
    const id = idFrom(request.params.id);
    const key = idempotencyKeyOf(request);
    response.status(202).json({ id: await wishes.deleteTrigger(id, key) });
  };
}

/** `POST /api/triggers/:id/run`: 202 once the wish is durable. */
export function runTrigger(wishes: Wishes) {
  return async (request: Request, response: Response): Promise<void> => {
    const id = idFrom(request.params.id);
    const key = idempotencyKeyOf(request);
    await readBody(request, NoBody);
    response.status(202).json({ id: await wishes.runTrigger(id, key) });
  };
}

/** `GET /api/triggers/:id/explain`: why it fires or does not, with the evidence of every leaf (SPEC D7). */
export function explain(view: View, world: TriggerWorld) {
  return async (request: Request, response: Response): Promise<void> => {
    const standing = await view.standingOf(idFrom(request.params.id));
    response.json(explainTrigger(standing, await triggerFacts(standing, world, Date.now())));
  };
}

/** `GET /api/triggers/simulate?from&to`: every firing to come. Nothing is run (SPEC D7). */
export function simulate(view: View, { timeZone }: TriggerWorld, book: UsageBook) {
  return async (request: Request, response: Response): Promise<void> => {
    const { from, to } = checkedAs(SimulationQuery, request.query);
    const fromMs = from === undefined ? Date.now() : Date.parse(from);
    const toMs = to === undefined ? fromMs + SIMULATED_DAYS * DAY_MS : Date.parse(to);
    if (toMs <= fromMs) throw new Problem(400, "to: it is not after from");
    if (toMs - fromMs > SIMULATED_DAYS_MAX * DAY_MS)
      throw new Problem(400, `to: more than ${SIMULATED_DAYS_MAX} days after from`);
    const standing = await view.allStanding();
    const costOf = (each: Standing) => meanCost(each, book, Date.now());
    response.json(simulateTriggers(standing, fromMs, toMs, { timeZone, costOf }));
  };
}

function detailOf(standing: Standing, tasks: Look["tasks"]): TriggerDetail {
  const summary = triggerSummary(standing);
  const { prompt, timeoutSec, onInterrupt, depth } = standing;
  const recent = summary.recent.map((past) => {
    const task = past.outcome === "fired" ? tasks.find(({ id }) => id === past.id) : undefined;
    return task === undefined ? past : { ...past, state: task.state };
  });
  return { ...summary, prompt, timeoutSec, onInterrupt, depth, recent, upcoming: upcomingOf(standing, summary.next) };
}

/** The next moments of a trigger. @param next the first of them. */
function upcomingOf(standing: Standing, next: string | null): string[] {
  if (next === null) return [];
  const upcoming = [next];
  if (standing.type !== "recurring") return upcoming;
  while (upcoming.length < UPCOMING_MAX) {
    const ms = nextOf(standing.schedule, Date.parse(upcoming.at(-1) ?? next));
    if (ms === null) break;
    upcoming.push(new Date(ms).toISOString());
  }
  return upcoming;
}
