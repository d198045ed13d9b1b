/** Triggers in words, as lists, the page of tasks and the command line show them. */
import { conditionText, durationText, momentText, whenText } from "@mimikit/core/schedule/trigger-words";
import { triggerOf } from "@mimikit/core/triggers/triggers";
import type { Condition } from "@mimikit/protocol/triggers/condition";
import type { When } from "@mimikit/protocol/triggers/trigger-order";
import { expect, test } from "vitest";
import { NOON } from "../facts.ts";

test.each([
  [0, "0 s"],
  [90, "1 min 30 s"],
  [7_200, "2 h"],
  [86_400 + 60, "1 d"],
  [93_600, "1 d 2 h"],
])("%d seconds are %j", (sec, text) => {
  expect(durationText(sec)).toBe(text);
});

test("a moment is shown on the clock of its zone", () => {
  expect(momentText(Date.parse(NOON), "Asia/Shanghai")).toBe("2026-11-22 20:00");
});

const WHENS: [When, string][] = [
  [{ type: "recurring", schedule: { interval: 600 } }, "every 10 min"],
  [
    { type: "recurring", schedule: { cron: "0 0 9 * * *", timezone: "Europe/Paris" } },
    "cron 0 0 9 * * * in Europe/Paris",
  ],
  [{ type: "scheduled", runAt: "2026-12-01T09:00:00+08:00" }, "once, 2026-12-01 01:00"],
  [{ type: "conditional", condition: { type: "file_changed", params: { path: "src/**" } } }, "when src/** changes"],
];

test.each(WHENS)("%j is said as %j", (when, text) => {
  const maker = { createdAt: NOON, traceId: "trg-a", depth: 0, target: "teller" } as const;
  expect(whenText(triggerOf("trg-a", { order: { prompt: "x" }, when }, maker), "UTC")).toBe(text);
});

const leaf: Condition = { type: "file_exists", params: { path: "a" } };
const CONDITIONS: [Condition, string][] = [
  [{ type: "task_done", params: { taskId: "t-000001.0" } }, "t-000001.0 is done"],
  [{ type: "task_failed", params: { taskId: "t-000001.0" } }, "t-000001.0 has failed"],
  [{ type: "llm_eval", params: { prompt: "is it\nraining?" } }, 'a model says yes to "is it raining?"'],
  [
    { type: "time", params: { after: "09:00", before: "18:00", weekdays: ["mon", "tue"], timezone: "UTC" } },
    "it is after 09:00 before 18:00 on mon tue in UTC",
  ],
  [
    { type: "and", conditions: [leaf, { type: "or", conditions: [leaf, leaf] }] },
    "a is there and (a is there or a is there)",
  ],
  [{ type: "not", condition: leaf }, "not (a is there)"],
];

test.each(CONDITIONS)("%j waits for: %s", (condition, text) => {
  expect(conditionText(condition)).toBe(text);
});
