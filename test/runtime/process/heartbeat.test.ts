/** What a role says of its loop (docs/operations.md#a-process-that-stands-still). */
import { mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { Heartbeat, monotonicMs, SILENCE_SAID_MS, silenceOf, silentSecOf } from "@mimikit/runtime/process/heartbeat";
import { writeRole } from "@mimikit/runtime/process/role-record";
import { expect, test } from "vitest";
import { temporaryHome } from "../temporary-home.ts";

function home(): string {
  const path = temporaryHome();
  mkdirSync(join(path, "locks"), { recursive: true });
  return path;
}

test("a role that has not begun is silent for no time, and neither is one that nobody is", () => {
  const place = home();
  expect(silenceOf(place, "workers")).toBe(null);
  writeRole(place, "workers");
  expect(silenceOf(place, "workers")).toBe(null);
  expect(silentSecOf(place, "workers")).toBe(undefined);
});

test("a role that goes on is not silent until its rest is over", () => {
  const place = home();
  writeRole(place, "workers");
  new Heartbeat(place, "workers").beat(60_000);
  expect(silenceOf(place, "workers")).toBe(0);
  new Heartbeat(place, "workers").beat(-SILENCE_SAID_MS - 5_000);
  const silentMs = silenceOf(place, "workers");
  expect(silentMs).toBeGreaterThanOrEqual(SILENCE_SAID_MS + 5_000);
  expect(silentMs).toBeLessThan(monotonicMs());
  expect(silentSecOf(place, "workers")).toBeGreaterThanOrEqual(15);
});

test("a loop without a rest says so once a second at most, and costs no byte", () => {
  const place = home();
  writeRole(place, "workers");
  const heartbeat = new Heartbeat(place, "workers");
  const path = join(place, "locks/workers.json");
  const { size } = statSync(path);
  heartbeat.beat();
  const first = statSync(path).mtimeMs;
  for (let n = 0; n < 1_000; n++) heartbeat.beat();
  expect(statSync(path).mtimeMs - first).toBeLessThanOrEqual(1_000);
  expect(statSync(path).size).toBe(size);
});

test("a role whose disk does not take what it says knows that it was not heard", () => {
  const place = home();
  writeRole(place, "workers");
  const heartbeat = new Heartbeat(place, "workers");
  heartbeat.beat();
  expect(heartbeat.isHeard).toBe(true);
  rmSync(join(place, "locks/workers.json"));
  heartbeat.beat(5_000);
  expect(heartbeat.isHeard).toBe(false);
});
