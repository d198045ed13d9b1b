import { expect, test } from "vitest";
import { EventLog, REPLAY_BYTES_MAX } from "../../../apps/http-gateway/src/live/event-log.ts";

const numbersOf = (frames: string[] | null) => frames?.map((text) => (JSON.parse(text) as { data: number }).data);

function logOf(count: number): EventLog {
  const log = new EventLog("life");
  for (let n = 1; n <= count; n++) log.append({ type: "message", data: n });
  return log;
}

test("every frame carries the cursor that asks for what comes after it", () => {
  const log = new EventLog("life");
  expect(log.cursor).toBe("life-0");
  const frame = JSON.parse(log.append({ type: "message", data: 1 })) as { cursor: string };
  expect(frame.cursor).toBe("life-1");
  log.append({ type: "message", data: 2 });
  expect(numbersOf(log.since(frame.cursor))).toEqual([2]);
  expect(log.since(log.cursor)).toEqual([]);
});

test("the last 1,000 events are kept; a cursor before them is told to start afresh", () => {
  const log = logOf(1_500);
  expect(numbersOf(log.since("life-500"))).toHaveLength(1_000);
  expect(log.since("life-499")).toBeNull();
});

test("an event that has not happened yet, another life, and what is no cursor, say nothing", () => {
  const log = logOf(3);
  for (const cursor of ["life-4", "other-1", "life", "life-", "life--1", "life-1-1", "life-1e1", "life-0x1", ""]) {
    expect(log.since(cursor)).toBeNull();
  }
});

test("big events push out old ones before they fill the memory, and are not replayed all at once", () => {
  const log = new EventLog("life");
  const big = "a".repeat(REPLAY_BYTES_MAX / 4);
  for (let n = 1; n <= 100; n++) log.append({ type: "message", data: big });
  expect(log.since("life-1")).toBeNull();
  expect(log.since("life-95")).toBeNull();
  expect(log.since("life-98")).toHaveLength(2);
});
