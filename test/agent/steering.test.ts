import { Steering } from "@mimikit/agent/steering";
import type { Steer } from "@mimikit/protocol/base/signal";
import { STEERS_CHARS_MAX, STEERS_MAX } from "@mimikit/protocol/records/result";
import { expect, test } from "vitest";

const steer = (nth: number, text = `words ${nth}`): Steer => ({ id: `s-${nth}`, at: "2026-11-22T12:00:00.000Z", text });
const steers = (from: number, to: number) => Array.from({ length: to - from }, (_, k) => steer(from + k));

function offered(...all: Steer[]): Steering {
  const steering = new Steering();
  for (const each of all) steering.offer(each);
  return steering;
}

test("what is offered is taken once, in its order, and the run answers for it", () => {
  const steering = offered(steer(1), steer(2), steer(1));
  expect(steering.take()).toEqual([steer(1), steer(2)]);
  steering.offer(steer(2));
  expect(steering.take()).toEqual([]);
  expect(steering.taken).toEqual([steer(1), steer(2)]);
});

test("a run takes so many and no more", () => {
  const steering = offered(...steers(0, STEERS_MAX - 1));
  steering.take();
  for (const each of steers(STEERS_MAX - 1, STEERS_MAX + 5)) steering.offer(each);
  expect(steering.take()).toEqual([steer(STEERS_MAX - 1)]);
  expect(steering.taken).toHaveLength(STEERS_MAX);
});

test("a run takes no more words than its result, and the turn that reports it, have room for", () => {
  const long = "x".repeat(STEERS_CHARS_MAX / 2);
  const steering = offered(steer(1, long), steer(2, long), steer(3));
  expect(steering.take().map(({ id }) => id)).toEqual(["s-1", "s-2"]);
  steering.offer(steer(4));
  expect(steering.take()).toEqual([]);
});

test("what an earlier attempt has heard is not heard again, and counts", async () => {
  // The pool that goes on with it may list them in another order, so that its offer is another part of them.
  const steering = offered(...steers(8, STEERS_MAX + 8));
  steering.recall(steers(0, STEERS_MAX));
  expect(steering.take()).toEqual([]);
  expect(steering.taken).toEqual(steers(0, STEERS_MAX));
  expect(await Promise.race([steering.arrived(), "nothing"])).toBe("nothing");
});

test("whoever waits hears of the next words", async () => {
  const steering = offered(steer(1));
  steering.recall([steer(1)]);
  const arrived = steering.arrived();
  steering.offer(steer(2));
  await arrived;
  expect(steering.take()).toEqual([steer(2)]);
});
