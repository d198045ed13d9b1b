/** When one process ends another that stands still, and when it does not (docs/operations.md#a-process-that-stands-still). */

import { Judge, type Sight } from "@mimikit/runtime/process/watchdog";
import { describe, expect, test } from "vitest";

const LIMIT_MS = 30_000;
const EVERY_MS = 5_000;
const WALL_MS = 1_700_000_000_000;

/** Looks every 5 s from `from` on until `until`, both in seconds; what each saw can be changed. @returns when which role was to be ended. */
function watch(until: number, see: (second: number) => Partial<Sight> = () => ({}), judge = new Judge(), from = 0) {
  const ended: [number, string][] = [];
  for (let ms = from * 1_000; ms <= until * 1_000; ms += EVERY_MS) {
    const sight = { monotonicMs: ms, wallMs: WALL_MS + ms, silentMs: new Map(), endedMs: null, ...see(ms / 1_000) };
    const role = judge.look(sight, LIMIT_MS);
    if (role !== null) ended.push([ms / 1_000, role]);
  }
  return ended;
}

const silentSince = (second: number) => (now: number) =>
  now < second ? {} : { silentMs: new Map([["workers", (now - second) * 1_000] as const]) };

describe("a process that stands still", () => {
  test("is ended after the limit, and not before", () => {
    expect(watch(95, silentSince(60))[0]).toEqual([90, "workers"]);
    expect(watch(85, silentSince(60))).toEqual([]);
  });

  test("is not ended for what was before this process began to watch", () => {
    expect(watch(25, silentSince(-600))).toEqual([]);
    expect(watch(30, silentSince(-600))).toEqual([[30, "workers"]]);
  });

  test("is given its time anew where the one that watches was held up itself", () => {
    const judge = new Judge();
    watch(60, undefined, judge);
    // Nothing was looked at for 60 s: all of them stood still together.
    expect(watch(145, silentSince(60), judge, 120)).toEqual([]);
    expect(watch(150, silentSince(60), judge, 150)).toEqual([[150, "workers"]]);
  });

  test("is given a minute more after the machine slept", () => {
    const slept = (now: number) => ({
      ...silentSince(60)(now),
      ...(now >= 60 && { wallMs: WALL_MS + now * 1_000 + 3_600_000 }),
    });
    expect(watch(145, slept)).toEqual([]);
    expect(watch(150, slept)).toEqual([[150, "workers"]]);
  });

  test("is left alone for five minutes after another was ended", () => {
    const after = (now: number) => ({ ...silentSince(60)(now), endedMs: 50_000 });
    expect(watch(345, after)).toEqual([]);
    expect(watch(350, after)).toEqual([[350, "workers"]]);
  });

  test("is the only one that is ended at a time: the one that has stood still longest", () => {
    const two = (now: number) => ({
      silentMs: new Map([
        ["workers", now * 1_000],
        ["gateway", now * 1_000 + 1],
      ] as const),
    });
    expect(watch(30, two)).toEqual([[30, "gateway"]]);
  });
});
