import { expect, test } from "vitest";
import { deliveryOf } from "../../../apps/http-gateway/src/push/deliver.ts";

const NOW_MS = Date.parse("2026-11-25T12:00:00.000Z");

test.each([
  [200, "taken"],
  [201, "taken"],
  [202, "taken"],
  [404, "gone"],
  [410, "gone"],
  [400, "unacceptable"],
  [413, "unacceptable"],
  [301, "refused"],
  [401, "refused"],
  [403, "refused"],
  [408, "unreachable"],
  [429, "unreachable"],
  [500, "unreachable"],
  [503, "unreachable"],
])("HTTP %i: %s", (status, outcome) => {
  expect(deliveryOf(status, null, NOW_MS).outcome).toBe(outcome);
});

test.each([
  ["120", 120_000],
  ["Wed, 25 Nov 2026 12:01:00 GMT", 60_000],
  ["Wed, 25 Nov 2026 11:00:00 GMT", undefined],
  ["soon", undefined],
  ["-1", undefined],
  ["999999999", 3_600_000],
  [null, undefined],
])("Retry-After: %s is %s ms", (retryAfter, afterMs) => {
  expect(deliveryOf(503, retryAfter, NOW_MS)).toMatchObject({ outcome: "unreachable", afterMs });
});
