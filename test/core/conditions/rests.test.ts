/** For how long a file must have stayed the same before its change counts. */
import { expect, test } from "vitest";
import { PATIENCE_FACTOR, Rests } from "../../../packages/core/src/conditions/rests.ts";

/**
 * Looks at one path, whose stamps are these, each so many seconds after noon; null where it moves, undefined where nobody could look.
 * @returns whether it has settled then.
 */
function settledAt(
  looks: readonly (readonly [atSec: number, stamp: string | null | undefined])[],
  settleSec = 2,
): boolean[] {
  const rests = new Rests();
  return looks.map(([atSec, stamp]) => {
    const stamps = new Map(stamp === undefined ? [] : [["a", stamp ?? "1"]]);
    return rests.look([{ path: "a", settleSec }], stamps, () => stamp === null, atSec * 1_000)("a", settleSec);
  });
}

test("a file has settled when it has been the same for long enough, counted from the first sight of it", () => {
  const looks = [
    [0, "1"],
    [1.9, "1"],
    [2, "1"],
    [3, "2"],
    [4.9, "2"],
    [5, "2"],
  ] as const;
  expect(settledAt(looks)).toEqual([false, false, true, false, false, true]);
});

test("a path that is known to move has not settled, though its stamp is the same as before", () => {
  expect(
    settledAt([
      [0, "1"],
      [1, null],
      [2, null],
      [3, "1"],
      [4, "1"],
      [5, "1"],
    ]),
  ).toEqual([...[false, false, false, false, false, true]]);
});

test("a file that never rests counts as settled at last, again and again, until it has rested once", () => {
  const restless = Array.from({ length: 2 * PATIENCE_FACTOR + 3 }, (_, i) => [i, String(i)] as const);
  const settled = settledAt(restless);
  expect(settled.indexOf(true)).toBe(2 * PATIENCE_FACTOR);
  expect(settled.slice(2 * PATIENCE_FACTOR)).toEqual([true, true, true]);
  const end = restless.length;
  expect(settledAt([...restless, [end + 2, "rested"], [end + 5, "rested"], [end + 6, "new"]]).slice(-1)).toEqual([
    false,
  ]);
});

test("a clock that was set back begins the rest anew, and one that jumps ahead ends it", () => {
  expect(
    settledAt([
      [0, "1"],
      [-3_600, "1"],
      [-3_599, "1"],
      [-3_598, "1"],
    ]),
  ).toEqual([false, false, false, true]);
  expect(
    settledAt([
      [0, "1"],
      [3_600, "1"],
    ]),
  ).toEqual([false, true]);
});

test("a path that nobody could look at for long begins anew when it is seen again", () => {
  const unseen = Array.from({ length: 200 }, (_, i) => [i, undefined] as const);
  expect(settledAt([...unseen, [200, "1"], [201, "1"], [202, "1"]]).slice(-3)).toEqual([false, false, true]);
});

test("a path that is asked about no more is forgotten", () => {
  const rests = new Rests();
  const look = (paths: string[], atMs: number) =>
    rests.look(
      paths.map((path) => ({ path, settleSec: 2 })),
      new Map([["a", "1"]]),
      () => false,
      atMs,
    );
  look(["a"], 0);
  expect(look([], 1_000)("a", 2)).toBe(false);
  expect(look(["a"], 9_000)("a", 2)).toBe(false);
});
