/** When the watchdog kills a role that hangs, and when it does not (docs/operations.md#a-process-that-hangs). */

import { Judge, type Sight } from "@mimikit/runtime/process/watchdog";
import { describe, expect, test } from "vitest";

const LIMIT_MS = 30_000;
const EVERY_MS = 5_000;
const WALL_MS = 1_700_000_000_000;

/** Looks every 5 s from `from` until `until`, both in seconds. @param see changes the sight of a look. @returns when which role was to be killed. */
function watch(until: number, see: (second: number) => Partial<Sight> = () => ({}), judge = new Judge(), from = 0) {
  const killed: [number, string][] = [];
  for (let ms = from * 1_000; ms <= until * 1_000; ms += EVERY_MS) {
    const sight = { monotonicMs: ms, wallMs: WALL_MS + ms, silentMs: new Map(), endedMs: null, ...see(ms / 1_000) };
    const role = judge.look(sight, LIMIT_MS);
    if (role !== null) killed.push([ms / 1_000, role]);
  }
  return killed;
}

const silentSince = (second: number) => (now: number) =>
  now < second ? {} : { silentMs: new Map([["workers", (now - second) * 1_000] as const]) };

describe("a role that hangs", () => {
  test("is killed after the limit, and not before", () => {
    expect(watch(95, silentSince(60))[0]).toEqual([90, "workers"]);
    expect(watch(85, silentSince(60))).toEqual([]);
  });

  test("is not killed for the time before the watcher started", () => {
    expect(watch(25, silentSince(-600))).toEqual([]);
    expect(watch(30, silentSince(-600))).toEqual([[30, "workers"]]);
  });

  test("gets its full time again after the watcher itself was held up", () => {
    const judge = new Judge();
    watch(60, undefined, judge);
    // No look for 60 s: all processes were held up together.
    expect(watch(145, silentSince(60), judge, 120)).toEqual([]);
    expect(watch(150, silentSince(60), judge, 150)).toEqual([[150, "workers"]]);
  });

  test("gets one more minute after the machine slept", () => {
    const slept = (now: number) => ({
      ...silentSince(60)(now),
      ...(now >= 60 && { wallMs: WALL_MS + now * 1_000 + 3_600_000 }),
    });
    expect(watch(145, slept)).toEqual([]);
    expect(watch(150, slept)).toEqual([[150, "workers"]]);
  });

  test("is left alone for five minutes after the last kill", () => {
    const after = (now: number) => ({ ...silentSince(60)(now), endedMs: 50_000 });
    expect(watch(345, after)).toEqual([]);
    expect(watch(350, after)).toEqual([[350, "workers"]]);
  });

  test("is the only one that is killed: the one that is overdue longest", () => {
    const two = (now: number) => ({
      silentMs: new Map([
        ["workers", now * 1_000],
        ["gateway", now * 1_000 + 1],
      ] as const),
    });
    expect(watch(30, two)).toEqual([[30, "gateway"]]);
  });
});
