import { runLoop } from "@mimikit/runtime/process/loop";
import { expect, test } from "vitest";

/** A tick that the test lets go on, one at a time. */
function steps() {
  const waiting: (() => void)[] = [];
  let begun: (() => void) | undefined;
  let count = 0;
  return {
    get count() {
      return count;
    },
    tick: () =>
      new Promise<void>((resolve) => {
        count++;
        waiting.push(resolve);
        begun?.();
      }),
    async begins(n: number) {
      while (count < n) await new Promise<void>((resolve) => (begun = resolve));
    },
    release: () => waiting.shift()?.(),
  };
}

const HOUR_MS = 3_600_000;
const noError = (error: unknown) => {
  throw error;
};

test("the first tick comes at once, and the next after the pause", async () => {
  let ticks = 0;
  let third: (() => void) | undefined;
  const loop = runLoop({ tickMs: 1, tick: async () => void (++ticks === 3 && third?.()), onError: noError });
  await new Promise<void>((resolve) => (third = resolve));
  await loop.stop();
  expect(ticks).toBe(3);
});

test("a nudge cuts the pause short", async () => {
  const run = steps();
  const loop = runLoop({ tickMs: HOUR_MS, tick: run.tick, onError: noError });
  await run.begins(1);
  run.release();
  await new Promise((resolve) => setImmediate(resolve));
  loop.nudge();
  await run.begins(2);
  run.release();
  await loop.stop();
  expect(run.count).toBe(2);
});

test("any number of nudges during a tick make one more tick, and never two at once", async () => {
  const run = steps();
  const loop = runLoop({ tickMs: HOUR_MS, tick: run.tick, onError: noError });
  await run.begins(1);
  for (let n = 0; n < 10; n++) loop.nudge();
  expect(run.count).toBe(1);
  run.release();
  await run.begins(2);
  run.release();
  await loop.stop();
  expect(run.count).toBe(2);
});

test("a failing tick is told and does not end the loop", async () => {
  const errors: unknown[] = [];
  let ticks = 0;
  let recovered: (() => void) | undefined;
  const loop = runLoop({
    tickMs: 1,
    tick: async () => {
      loop.nudge();
      if (++ticks <= 3) throw new Error(`failure ${ticks}`);
      recovered?.();
    },
    onError: (error) => errors.push(error),
  });
  await new Promise<void>((resolve) => (recovered = resolve));
  await loop.stop();
  expect(errors).toEqual([new Error("failure 1"), new Error("failure 2"), new Error("failure 3")]);
});

test("a loop whose every tick nudges it still lets timers run", async () => {
  const loop = runLoop({ tickMs: HOUR_MS, tick: async () => loop.nudge(), onError: noError });
  await new Promise((resolve) => setTimeout(resolve, 1));
  await loop.stop();
});

test("stop waits for the running tick and lets no other begin", async () => {
  const run = steps();
  const loop = runLoop({ tickMs: 1, tick: run.tick, onError: noError });
  await run.begins(1);
  let stopped = false;
  const stopping = loop.stop().then(() => (stopped = true));
  loop.nudge();
  await new Promise((resolve) => setImmediate(resolve));
  expect(stopped).toBe(false);
  run.release();
  await stopping;
  expect(run.count).toBe(1);
});
