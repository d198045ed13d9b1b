/** The heartbeat of a role (docs/operations.md#a-process-that-hangs). */
import { mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { monotonicMs } from "@mimikit/runtime/platform/monotonic";
import { Heartbeat, SILENCE_REPORTED_MS, silenceOf, silentSecOf } from "@mimikit/runtime/process/heartbeat";
import { writeRole } from "@mimikit/runtime/process/role-record";
import { expect, test } from "vitest";
import { temporaryHome } from "../temporary-home.ts";

function home(): string {
  const path = temporaryHome();
  mkdirSync(join(path, "locks"), { recursive: true });
  return path;
}

test("a role whose loop has not started is not overdue, and neither is one without a process", () => {
  const place = home();
  expect(silenceOf(place, "workers")).toBe(null);
  writeRole(place, "workers");
  expect(silenceOf(place, "workers")).toBe(null);
  expect(silentSecOf(place, "workers")).toBe(undefined);
});

test("a role is not overdue until its rest is over", () => {
  const place = home();
  writeRole(place, "workers");
  new Heartbeat(place, "workers").beat(60_000);
  expect(silenceOf(place, "workers")).toBe(0);
  new Heartbeat(place, "workers").beat(-SILENCE_REPORTED_MS - 5_000);
  const silentMs = silenceOf(place, "workers");
  expect(silentMs).toBeGreaterThanOrEqual(SILENCE_REPORTED_MS + 5_000);
  expect(silentMs).toBeLessThan(monotonicMs());
  expect(silentSecOf(place, "workers")).toBeGreaterThanOrEqual(15);
});

test("a busy loop beats at most once a second, and writes no bytes", () => {
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

test("a role knows that the disk did not take its heartbeat", () => {
  const place = home();
  writeRole(place, "workers");
  const heartbeat = new Heartbeat(place, "workers");
  heartbeat.beat();
  expect(heartbeat.isWritten).toBe(true);
  rmSync(join(place, "locks/workers.json"));
  heartbeat.beat(5_000);
  expect(heartbeat.isWritten).toBe(false);
});
