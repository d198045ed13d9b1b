/** Schedules around the world, under kills, power losses and clocks that jump; `simulate.ts` says what is simulated. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { TriggerRecord } from "@mimikit/protocol/records/trigger";
import { createRecord } from "@mimikit/store/disk/record";
import { archivePath, triggerPath } from "@mimikit/store/disk/state";
import { expect, test } from "vitest";
import { recurring } from "../../core/facts.ts";
import { randomOf } from "../random.ts";
import { Machine } from "./machine.ts";
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

test("a version is not replaced before what it has decided survives a power loss, also where another process did it", async () => {
  const nowMs = Date.parse("2026-11-22T12:00:00Z");
  const machine = new Machine(randomOf(1), nowMs, "UTC", { kill: 0, powerLoss: 0 });
  const at = new Date(nowMs - 120_000).toISOString();
  const skip = { id: "a--20261122t115800z-skipped", from: at, to: at, count: 1, reason: "missed" };
  const decided = recurring("a", { last: at, decision: { fire: [], skip: [skip] } });
  await createRecord(machine.fs, TriggerRecord, triggerPath("a", 1), decided);
  // The process that made this record was killed before the name was durable.
  machine.disk.makeDirectory("tmp/late");
  machine.disk.create("tmp/late/skip", JSON.stringify({ ...skip, kind: "skipped", triggerId: "a" }), nowMs);
  machine.disk.syncContent("tmp/late/skip");
  machine.disk.link("tmp/late/skip", archivePath(skip.id));
  machine.start(1);
  await machine.tick();
  expect(machine.disk.names("triggers")).toContain("a.v2.json");
  machine.disk.losePower(() => 0);
  expect(machine.disk.names("archive")).toContain(`${skip.id}.json`);
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
