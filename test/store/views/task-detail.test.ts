import { failedResult } from "@mimikit/core/tasks/finish";
import type { FailedAttempt } from "@mimikit/protocol/records/claim";
import { endedDetail } from "@mimikit/store/views/task-detail";
import { expect, test } from "vitest";
import { taskOf } from "../../agent/fixtures.ts";

const NOON = "2026-11-20T12:00:00.000Z";

test("the course of a task says which of its attempts have left something running", () => {
  const task = taskOf({ id: "t-000001.0.0", role: "worker" });
  const failed = (attempt: number, left?: true): FailedAttempt => ({
    id: task.id,
    attempt,
    failureReason: "timeout",
    error: "too long",
    at: NOON,
    retryAt: NOON,
    ...(left && { left }),
  });
  const result = failedResult(task, "error", "exit code 1", Date.parse(NOON), 3);
  const attempts = [
    { role: task.role, attempt: 1, failed: failed(1, true) },
    { role: task.role, attempt: 2, failed: failed(2) },
  ];
  expect(endedDetail({ ...result, left: true }, attempts).timeline.map(({ event }) => event)).toEqual([
    "created",
    "attempt 1 failed: timeout",
    "attempt 1 left something running that could not be found to be ended",
    "attempt 2 failed: timeout",
    "failed",
    "attempt 3 left something running that could not be found to be ended",
  ]);
});

test("the course of a task says of an attempt that was cut off how its pool died, and whether anything else ran", () => {
  const task = taskOf({ id: "t-000001.0.0", role: "worker" });
  const cutOff = (attempt: number, death: "shared" | "alone"): FailedAttempt => ({
    id: task.id,
    attempt,
    failureReason: "interrupted",
    error: "the worker pool died",
    at: NOON,
    retryAt: NOON,
    death,
  });
  const result = failedResult(task, "poison", "it died", Date.parse(NOON), 2);
  const attempts = [
    { role: task.role, attempt: 1, failed: cutOff(1, "shared") },
    { role: task.role, attempt: 2, failed: cutOff(2, "alone") },
  ];
  expect(endedDetail(result, attempts).timeline.map(({ event }) => event)).toEqual([
    "created",
    "attempt 1 was cut off: the worker pool died",
    "attempt 2 was cut off: the worker pool died while nothing else ran",
    "failed",
  ]);
});
