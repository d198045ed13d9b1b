/** The schedules' future, before they reach it (SPEC D7). */
import { COLLISIONS_MAX, SIMULATED_FIRINGS_MAX, simulateTriggers } from "@mimikit/core/triggers/simulate";
import type { Trigger } from "@mimikit/protocol/records/trigger";
import { describe, expect, test } from "vitest";
import { conditional, NOON, NOON_MS, recurring, scheduled } from "../facts.ts";

const DAY_MS = 86_400_000;
const facts = { timeZone: "Asia/Shanghai", costOf: () => null };
const morning = recurring("morning", { schedule: { cron: "0 30 2 * * *", timezone: "Europe/Berlin" }, last: NOON });

describe("a simulation", () => {
  test("lists every firing, soonest first, on the clock of its zone, over a change of the clocks", () => {
    const fromMs = Date.parse("2027-03-27T00:00:00Z");
    const once = scheduled("once", { runAt: "2027-03-28T20:00:00Z" });
    const { firings, isCut, from, to } = simulateTriggers([once, morning], fromMs, fromMs + 2 * DAY_MS, facts);
    expect(firings.map(({ triggerId, local }) => [triggerId, local])).toEqual([
      ["morning", "2027-03-27 02:30:00 Europe/Berlin"],
      ["morning", "2027-03-28 03:00:00 Europe/Berlin"],
      ["once", "2027-03-29 04:00:00 Asia/Shanghai"],
    ]);
    expect(isCut).toBe(false);
    expect([from, to]).toEqual(["2027-03-27T00:00:00.000Z", "2027-03-29T00:00:00.000Z"]);
  });

  test("keeps the beat of an interval, whenever it is asked", () => {
    const beat = recurring("beat", { schedule: { interval: 70 }, last: NOON });
    const fromMs = NOON_MS + DAY_MS;
    const { firings } = simulateTriggers([beat], fromMs, fromMs + 100_000, facts);
    for (const { at } of firings) expect((Date.parse(at) - NOON_MS) % 70_000).toBe(0);
    expect(firings.length).toBeGreaterThan(0);
  });

  test("leaves out what was decided, what is paused or over, and lists what waits for a condition", () => {
    const triggers = [
      recurring("decided", { schedule: { interval: 3_600 }, last: new Date(NOON_MS + DAY_MS).toISOString() }),
      recurring("paused", { paused: true }),
      recurring("over", { over: "deleted" }),
      scheduled("past", { runAt: new Date(NOON_MS - 1).toISOString() }),
      conditional("waiting"),
    ];
    const simulation = simulateTriggers(triggers, NOON_MS, NOON_MS + DAY_MS, facts);
    expect(simulation.firings).toEqual([]);
    expect(simulation.conditional).toEqual([{ triggerId: "waiting", title: "title of waiting" }]);
  });

  test("names what falls into the same minute, as many as there is room for", () => {
    const all = Array.from({ length: COLLISIONS_MAX + 5 }, (_, i) =>
      scheduled(`at-${i}`, { runAt: new Date(NOON_MS + 1_000 + i).toISOString() }),
    );
    const { firings } = simulateTriggers(
      [...all, scheduled("later", { runAt: "2026-11-22T12:01:00Z" })],
      NOON_MS,
      NOON_MS + DAY_MS,
      facts,
    );
    for (const { triggerId, collidesWith } of firings.slice(0, -1)) {
      expect(collidesWith).toHaveLength(COLLISIONS_MAX);
      expect(collidesWith).not.toContain(triggerId);
    }
    expect(firings.at(-1)).toMatchObject({ triggerId: "later", collidesWith: [] });
  });

  test("expects of each firing what the earlier ones have cost", () => {
    const costOf = ({ id }: Trigger) => (id === "morning" ? { tokens: 1_000, costUsd: 0.25 } : null);
    const triggers = [morning, scheduled("new", { runAt: "2026-11-23T00:00:00Z" })];
    const { firings, expected } = simulateTriggers(triggers, NOON_MS, NOON_MS + 4 * DAY_MS, { ...facts, costOf });
    expect(firings.map(({ triggerId, expected: each }) => [triggerId, each?.tokens ?? null])).toEqual([
      ["new", null],
      ["morning", 1_000],
      ["morning", 1_000],
      ["morning", 1_000],
      ["morning", 1_000],
    ]);
    expect(expected).toEqual({ tokens: 4_000, costUsd: 1 });
  });

  test("is cut where there is too much of it, and says so", () => {
    const triggers = [recurring("a", { schedule: { interval: 10 } }), recurring("b", { schedule: { interval: 10 } })];
    const { firings, isCut } = simulateTriggers(triggers, NOON_MS, NOON_MS + 366 * DAY_MS, facts);
    expect([firings.length, isCut]).toEqual([SIMULATED_FIRINGS_MAX, true]);
  });
});
