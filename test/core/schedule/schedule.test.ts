/** Schedules by the wall: compared with counting through its days, around every kind of change of its clocks. */
import {
  COUNT_MAX,
  dueOf,
  firstOf,
  localTime,
  momentId,
  nextOf,
  scheduleProblem,
} from "@mimikit/core/schedule/schedule";
import type { Schedule } from "@mimikit/protocol/triggers/trigger-order";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { occurrencesOf } from "../../sim/calendar/occurrences.ts";
import { ZONES, zoneOf } from "../../sim/calendar/zone.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW_MS = Date.parse("2026-11-22T12:00:00Z");

function listed(schedule: Schedule, afterMs: number, toMs: number): number[] {
  const all: number[] = [];
  for (let at = nextOf(schedule, afterMs); at !== null && at <= toMs; at = nextOf(schedule, at)) {
    if (at <= (all.at(-1) ?? afterMs)) throw new Error("it goes back");
    all.push(at);
  }
  return all;
}

const between = (cron: string, timezone: string, from: string, to: string) =>
  listed({ cron, timezone }, Date.parse(from), Date.parse(to)).map((ms) => new Date(ms).toISOString());

/** A list, a range, a step or one value. */
const field = (max: number) => {
  const value = fc.integer({ min: 0, max });
  return fc.oneof(
    { weight: 4, arbitrary: value.map(String) },
    fc.tuple(value, value).map(([a, b]) => `${a},${b}`),
    fc.tuple(value, value).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
  );
};
const hours = fc.oneof({ weight: 3, arbitrary: field(23) }, fc.constantFrom("*", "*/2", "*/5"));
const minutes = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 59 }).map(String) },
  fc.constantFrom("*/15", "*/20", "0,30", "0,59"),
);
const seconds = fc.oneof({ weight: 3, arbitrary: fc.constant("0") }, fc.integer({ min: 1, max: 59 }).map(String));
const days = fc.tuple(
  fc.oneof(fc.constant("*"), fc.integer({ min: 1, max: 28 }).map(String), fc.constant("1,15,31"), fc.constant("L")),
  fc.oneof(fc.constant("*"), fc.integer({ min: 1, max: 12 }).map(String)),
  fc.oneof(fc.constant("*"), fc.integer({ min: 0, max: 7 }).map(String), fc.constant("1-5")),
);
const crons = fc.tuple(seconds, minutes, hours, days).map(([s, m, h, [d, mo, w]]) => `${s} ${m} ${h} ${d} ${mo} ${w}`);

/** A zone, and a time near one of the moments at which it changes its clocks, if it does. */
const placesInTime = fc
  .tuple(fc.constantFrom(...ZONES), fc.nat(), fc.integer({ min: -2 * DAY_MS, max: 0 }))
  .map(([timezone, edge, offset]) => {
    const { edges } = zoneOf(timezone);
    const ms = edges[edge % Math.max(1, edges.length)]?.ms ?? NOW_MS;
    return { timezone, fromMs: ms + offset, toMs: ms + 2 * DAY_MS };
  });

describe("the next occurrence of a cron", () => {
  test("is the one that counting through the days of the wall finds, in every zone", () => {
    fc.assert(
      fc.property(crons, placesInTime, (cron, { timezone, fromMs, toMs }) => {
        const schedule = { cron, timezone };
        expect(listed(schedule, fromMs, toMs)).toEqual(occurrencesOf(schedule, fromMs, toMs));
      }),
      { numRuns: 300 },
    );
  });

  test("at a time that a gap swallows is the first moment after the gap, once", () => {
    expect(between("0 30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-30T12:00:00Z")).toEqual([
      "2026-03-29T01:00:00.000Z",
      "2026-03-30T00:30:00.000Z",
    ]);
    expect(between("0 0,30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-29T12:00:00Z")).toEqual([
      "2026-03-29T01:00:00.000Z",
    ]);
  });

  test("at a fixed time that comes twice is the first of the two", () => {
    expect(between("0 30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", "2026-10-25T12:00:00Z")).toEqual([
      "2026-10-25T00:30:00.000Z",
    ]);
  });

  test("at a time with a wildcard is every one that the wall shows", () => {
    expect(between("0 30 * * * *", "Europe/Berlin", "2026-10-25T00:00:00Z", "2026-10-25T02:00:00Z")).toEqual([
      "2026-10-25T00:30:00.000Z",
      "2026-10-25T01:30:00.000Z",
    ]);
  });

  test("on the last day of a month is that of each month, also of a leap year", () => {
    expect(between("0 0 9 L * *", "UTC", "2027-12-31T12:00:00Z", "2028-04-30T12:00:00Z")).toEqual(
      ["01-31", "02-29", "03-31", "04-30"].map((day) => `2028-${day}T09:00:00.000Z`),
    );
  });

  test("where a gap reaches midnight, the day has no such time", () => {
    expect(between("0 30 23 * * *", "America/Nuuk", "2026-03-28T12:00:00Z", "2026-03-30T12:00:00Z")).toEqual([
      "2026-03-30T00:30:00.000Z",
    ]);
  });
});

describe("what is due", () => {
  const schedules: fc.Arbitrary<Schedule> = fc.oneof(
    fc.integer({ min: 10, max: 100_000 }).map((interval) => ({ interval })),
    placesInTime.map(({ timezone }) => ({ cron: "0 0 9 * * 1-5", timezone })),
    placesInTime.map(({ timezone }) => ({ cron: "0 */10 * * * *", timezone })),
  );

  test("is every occurrence since the last, of those that are too many the newest, and the first", () => {
    fc.assert(
      fc.property(schedules, fc.nat(NOW_MS), fc.nat(12 * DAY_MS), (schedule, offset, spanMs) => {
        const lastMs = Math.max(NOW_MS - offset, NOW_MS - 300 * DAY_MS);
        const all = listed(schedule, lastMs, lastMs + spanMs);
        const { occurrences, older } = dueOf(schedule, lastMs, lastMs + spanMs);
        expect(occurrences).toEqual(all.slice(-COUNT_MAX));
        const rest = all.slice(0, -COUNT_MAX);
        if (rest.length === 0) expect(older).toBeNull();
        else expect(older).toMatchObject({ fromMs: rest[0] });
        if (older?.count != null) expect(older.count).toBe(rest.length);
      }),
      { numRuns: 40 },
    );
  });

  test.each([{ interval: 60 }, { cron: "0 * * * * *", timezone: "Europe/Berlin" }])(
    "of $interval$cron is nothing up to the last one, however far the clock is set back",
    (schedule) => {
      for (const backMs of [0, 1, 59_999, HOUR_MS, 366 * DAY_MS])
        expect(dueOf(schedule, NOW_MS, NOW_MS - backMs)).toEqual({ occurrences: [], older: null });
    },
  );

  test("is also known of ten years in which nobody was there", () => {
    const { occurrences, older } = dueOf({ interval: 10 }, NOW_MS, NOW_MS + 3_650 * DAY_MS);
    expect(occurrences).toHaveLength(COUNT_MAX);
    expect(older?.count).toBe((365 * DAY_MS) / 1_000 - COUNT_MAX);
  });
});

test("the first occurrence from a moment on is that of the whole schedule", () => {
  const schedules: Schedule[] = [{ interval: 70 }, { cron: "*/20 * * * * *", timezone: "Asia/Kolkata" }];
  for (const schedule of schedules)
    for (const aheadMs of [-HOUR_MS, 0, 1, 69_999, 70_000, 70_001, 140_500, HOUR_MS]) {
      const fromMs = NOW_MS + aheadMs;
      const all = listed(schedule, NOW_MS, NOW_MS + 2 * HOUR_MS);
      expect(firstOf(schedule, NOW_MS, fromMs)).toBe(all.find((ms) => ms >= fromMs));
    }
});

describe("a schedule is refused, in words that say what would be right,", () => {
  test.each([
    ["every day at nine", "is not a cron pattern"],
    ["0 0 25 * * *", "hour"],
    ["0 61 9 * * *", "minute"],
    ["0 0 9 * *  8", "the weekday cannot be 8"],
    ["2026-12-01T09:00:00", "it has 1 fields"],
    ["@midnight", "it has 1 fields"],
    ["0 0 9 * * * 2030", "it has 7 fields"],
  ])("where the cron is %s", (cron, words) => {
    const problem = scheduleProblem({ cron, timezone: "UTC" }, NOW_MS);
    expect(problem).toContain(words);
    expect(problem).toContain("second minute hour day month weekday");
  });

  test("where it never occurs", () => {
    expect(scheduleProblem({ cron: "0 0 9 30 2 *", timezone: "UTC" }, NOW_MS)).toContain("never occurs");
  });

  test.each(["* * * * * *", "*/7 * * * * *", "0,5 0 9 * * *", "0,55 * * * * *"])("where %s is too often", (cron) => {
    expect(scheduleProblem({ cron, timezone: "UTC" }, NOW_MS)).toContain("every 10 seconds");
  });
});

test.each([
  "0 0 9 * * 1-5",
  "0 9 * * *",
  "*/10 * * * * *",
  "0,30 * * * * *",
  "0 0 9 29 2 *",
  "0 0 9 L * *",
  "0 0 9 * jan MON",
])("%s is a cron", (cron) => expect(scheduleProblem({ cron, timezone: "Asia/Shanghai" }, NOW_MS)).toBeNull());

test("the wall shows the day that begins at midnight, and 00 for its hour", () => {
  const midnightMs = Date.parse("2026-11-21T16:00:00Z");
  expect(localTime(midnightMs, "Asia/Shanghai")).toEqual({
    weekday: "sun",
    date: "2026-11-22",
    hhmm: "00:00",
    second: "00",
  });
  expect(localTime(midnightMs - 1, "Asia/Shanghai")).toMatchObject({ weekday: "sat", hhmm: "23:59", second: "59" });
});

test("a moment is part of an id", () => {
  expect(momentId(Date.parse("2026-11-21T09:00:00.250Z"))).toBe("20261121t090000z");
});
