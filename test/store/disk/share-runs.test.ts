import { shareRuns } from "@mimikit/store/disk/share-runs";
import { expect, test } from "vitest";

/** Runs whose ends the test decides. */
function controlled() {
  const ends: (() => void)[] = [];
  let begun = 0;
  const call = shareRuns(() => {
    const number = ++begun;
    return new Promise<number>((resolve) => ends.push(() => resolve(number)));
  });
  return { call, end: (at: number) => ends[at]?.(), begun: () => begun };
}

test("whoever asks while a run is under way gets the next one, and shares it", async () => {
  const { call, end, begun } = controlled();
  const first = call();
  const [second, third] = [call(), call()];
  expect(begun()).toBe(1);
  end(0);
  expect(await first).toBe(1);
  await new Promise(setImmediate);
  expect(begun()).toBe(2);
  end(1);
  expect(await Promise.all([second, third])).toEqual([2, 2]);
});

test("a run that fails fails for those who share it, and the next one begins all the same", async () => {
  let runs = 0;
  const call = shareRuns(async () => {
    runs++;
    if (runs === 1) throw new Error("the disk is gone");
    return runs;
  });
  const first = call();
  const second = call();
  await expect(first).rejects.toThrow("the disk is gone");
  expect(await second).toBe(2);
});
