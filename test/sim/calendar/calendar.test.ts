/** Schedules around the world, under kills, power losses and clocks that jump; `simulate.ts` says what is simulated. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CALENDAR_MUTANTS } from "./mutants.ts";
import { simulate } from "./simulate.ts";
import { allPlaces, placeOf } from "./zone.ts";

const ROOT = join(import.meta.dirname, "../../..");
const SEEDS = 40;

test("in 40 stretches of time every occurrence has exactly one outcome, the right one, and everything comes to rest", async () => {
  let occurrences = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { violations, counts } = await simulate(seed);
    expect(violations, `seed ${seed}`).toEqual([]);
    occurrences += counts.occurrences;
  }
  expect(occurrences).toBeGreaterThan(SEEDS);
});

test("a seed is one stretch of time: it runs the same way each time", async () => {
  expect(await simulate(7)).toEqual(await simulate(7));
});

test("the seeds see every change of the clocks that there is", () => {
  const places = allPlaces();
  expect(places.length).toBeGreaterThan(1_000);
  expect(new Set(places.map((_, seed) => placeOf(seed))).size).toBe(places.length);
});

test("every mutant has its place in the code as it is", () => {
  for (const { name, file, find } of CALENDAR_MUTANTS)
    expect(readFileSync(join(ROOT, file), "utf8").split(find), name).toHaveLength(2);
});
