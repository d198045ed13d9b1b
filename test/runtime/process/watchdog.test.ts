/** When the watchdog kills a role that hangs, and when it does not (docs/operations.md#a-process-that-hangs). */

import type { Activity } from "@mimikit/runtime/platform/platform";
import { Judge, type Sight } from "@mimikit/runtime/process/watchdog";
import { describe, expect, test } from "vitest";

const LIMIT_MS = 30_000;
const EVERY_MS = 5_000;
const WALL_MS = 1_700_000_000_000;

/** Looks every 5 s from `from` until `until`, both in seconds. @param see changes the sight of a look. @returns when which role was to be killed. */
function watch(until: number, see: (second: number) => Partial<Sight> = () => ({}), judge = new Judge(), from = 0) {
  const killed: [number, string][] = [];
  for (let ms = from * 1_000; ms <= until * 1_000; ms += EVERY_MS) {
    const sight: Sight = {
      monotonicMs: ms,
      wallMs: WALL_MS + ms,
      silentMs: new Map(),
      activities: new Map(),
      ended: null,
      ...see(ms / 1_000),
    };
    const verdict = judge.look(sight, LIMIT_MS);
    if (verdict !== null) killed.push([ms / 1_000, `${verdict.role}${verdict.isHung ? " hung" : ""}`]);
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
    const after = (now: number) => ({ ...silentSince(60)(now), ended: { monotonicMs: 50_000 } });
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

describe("whether a role hangs by itself", () => {
  /** Silent from second 60 on, and using that share of a processor. */
  const using =
    (share: number, state: (now: number) => Partial<Activity> = () => ({})) =>
    (now: number) => ({
      ...silentSince(60)(now),
      activities: new Map([
        [
          "workers",
          { cpuMs: Math.max(0, now - 60) * 1_000 * share, isHeld: false, isWaiting: false, ...state(now) },
        ] as const,
      ]),
    });

  test("is said by the processor time that it used while it was silent", () => {
    expect(watch(90, using(0.9))).toEqual([[90, "workers hung"]]);
    expect(watch(90, using(0.12))).toEqual([[90, "workers hung"]]);
    expect(watch(90, using(0.08))).toEqual([[90, "workers"]]);
    expect(watch(90, using(0))).toEqual([[90, "workers"]]);
  });

  test("is said by its waiting for neither processor nor disk, if it did at every look", () => {
    expect(
      watch(
        90,
        using(0, () => ({ isWaiting: true })),
      ),
    ).toEqual([[90, "workers hung"]]);
    expect(
      watch(
        90,
        using(0, (now) => ({ isWaiting: now !== 75 })),
      ),
    ).toEqual([[90, "workers"]]);
  });

  test("is not said of one that was stopped, or kept waiting by a disk, at any look", () => {
    expect(
      watch(
        90,
        using(0.9, (now) => ({ isHeld: now === 75 })),
      ),
    ).toEqual([[90, "workers"]]);
  });

  test("is known from the second look on, and not over a time in which the watcher was held up", () => {
    const judge = new Judge();
    watch(60, undefined, judge);
    expect(watch(120, using(0.9), judge, 120)).toEqual([]);
    expect(watch(150, (now) => using(now === 150 ? 0.05 : 0.9)(now), judge, 125)).toEqual([[150, "workers"]]);
  });

  test("spares it the five minutes after the last kill, ten times in a row", () => {
    const rightAfter = (hungInRow: number, share: number) => (now: number) => ({
      ...using(share)(now),
      ended: { monotonicMs: 50_000, hungInRow },
    });
    expect(watch(90, rightAfter(1, 0.9))).toEqual([[90, "workers hung"]]);
    expect(watch(90, rightAfter(9, 0.9))).toEqual([[90, "workers hung"]]);
    expect(watch(90, rightAfter(1, 0))).toEqual([]);
    expect(watch(345, rightAfter(10, 0.9))).toEqual([]);
    expect(watch(350, rightAfter(10, 0.9))).toEqual([[350, "workers hung"]]);
  });
});
