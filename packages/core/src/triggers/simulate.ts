/** Simulates the schedules over a stretch of time, without running anything (SPEC D7). */

import type { Recurring, Scheduled, Trigger } from "@mimikit/protocol/records/trigger";
import type { SimulatedFiring, Simulation } from "@mimikit/protocol/wire/api";
import type { Spending } from "../base/budget.ts";
import { firstOf, localTime, nextOf } from "../schedule/schedule.ts";

/** More firings than these are not listed. */
export const SIMULATED_FIRINGS_MAX = 10_000;
/** So many of the others that fire in the same minute are named. */
export const COLLISIONS_MAX = 20;
const MINUTE_MS = 60_000;

interface Firing {
  trigger: Recurring | Scheduled;
  ms: number;
}

export interface SimulationFacts {
  /** The IANA zone in which moments are shown whose trigger names none. */
  timeZone: string;
  /** The average cost of one firing of a trigger so far; null if unknown. */
  costOf(trigger: Trigger): Spending | null;
}

/**
 * Every firing of the schedules from `fromMs` to `toMs`, both included, soonest first. Paused and ended triggers are
 * left out, and so are decided occurrences.
 */
export function simulateTriggers(
  triggers: Iterable<Trigger>,
  fromMs: number,
  toMs: number,
  { timeZone, costOf }: SimulationFacts,
): Simulation {
  const awake = [...triggers].filter(({ paused, over }) => !paused && over === undefined);
  const { firings, isCut } = firingsOf(awake, fromMs, toMs);
  const inMinute = idsByMinute(firings);
  const costs = new Map(awake.map((trigger) => [trigger.id, costOf(trigger)]));
  const expected = { tokens: 0, costUsd: 0 };
  const listed = firings.map(({ trigger, ms }): SimulatedFiring => {
    const { id, title } = trigger;
    const cost = costs.get(id) ?? null;
    expected.tokens += cost?.tokens ?? 0;
    expected.costUsd += cost?.costUsd ?? 0;
    const ids = inMinute.get(minuteOf(ms)) ?? [];
    return {
      triggerId: id,
      title,
      at: new Date(ms).toISOString(),
      local: localText(ms, zoneOf(trigger) ?? timeZone),
      collidesWith: ids.filter((other) => other !== id).slice(0, COLLISIONS_MAX),
      expected: cost === null ? null : { tokens: cost.tokens, costUsd: cost.costUsd },
    };
  });
  return {
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    firings: listed,
    isCut,
    expected,
    conditional: awake.flatMap(({ id, type, title }) => (type === "conditional" ? [{ triggerId: id, title }] : [])),
  };
}

function minuteOf(ms: number): number {
  return Math.floor(ms / MINUTE_MS);
}

/** The triggers that fire in each minute: as many as can be named, and one more for the one being named itself. */
function idsByMinute(firings: readonly Firing[]): Map<number, string[]> {
  const ids = new Map<number, Set<string>>();
  for (const { trigger, ms } of firings) {
    const here = ids.get(minuteOf(ms)) ?? new Set();
    ids.set(minuteOf(ms), here);
    if (here.size <= COLLISIONS_MAX) here.add(trigger.id);
  }
  return new Map([...ids].map(([minute, each]) => [minute, [...each]]));
}

/** The soonest firings, as many as are listed. Of a thousand schedules each is only followed as far as it is among them. */
function firingsOf(triggers: readonly Trigger[], fromMs: number, toMs: number): { firings: Firing[]; isCut: boolean } {
  const coming = triggers.flatMap((trigger): Firing[] => {
    if (trigger.type === "conditional") return [];
    const ms = firstMoment(trigger, fromMs);
    return ms === null || ms > toMs ? [] : [{ trigger, ms }];
  });
  const firings: Firing[] = [];
  for (let at = soonest(coming); at !== undefined; at = soonest(coming)) {
    if (firings.length === SIMULATED_FIRINGS_MAX) return { firings, isCut: true };
    const { trigger, ms } = at;
    firings.push({ trigger, ms });
    const next = trigger.type === "recurring" ? nextOf(trigger.schedule, ms) : null;
    if (next === null || next > toMs) coming.splice(coming.indexOf(at), 1);
    else at.ms = next;
  }
  return { firings, isCut: false };
}

function firstMoment(trigger: Recurring | Scheduled, fromMs: number): number | null {
  if (trigger.type === "recurring") return firstOf(trigger.schedule, Date.parse(trigger.last), fromMs);
  const ms = Date.parse(trigger.runAt);
  return ms < fromMs ? null : ms;
}

function soonest(coming: readonly Firing[]): Firing | undefined {
  let first: Firing | undefined;
  for (const each of coming) if (first === undefined || each.ms < first.ms) first = each;
  return first;
}

function zoneOf(trigger: Recurring | Scheduled): string | undefined {
  return trigger.type === "recurring" && "cron" in trigger.schedule ? trigger.schedule.timezone : undefined;
}

function localText(ms: number, timeZone: string): string {
  const { date, hhmm, second } = localTime(ms, timeZone);
  return `${date} ${hhmm}:${second} ${timeZone}`;
}
