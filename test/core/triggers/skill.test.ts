/** A trigger may hold its runs to a skill. */
import { occurrenceTask, triggerOf } from "@mimikit/core/triggers/triggers";
import { TriggerDefinition, TriggerInput, TriggerPatch } from "@mimikit/protocol/triggers/trigger-order";
import { expect, test } from "vitest";

const AT = "2026-11-25T12:00:00.000Z";
const SKILL = { name: "look", level: "read-only" } as const;

function taskOf(target: "worker" | "planner") {
  const order = { prompt: "look at it", target, skill: SKILL };
  const definition = TriggerDefinition.parse({ order, when: { type: "recurring", schedule: { interval: 60 } } });
  const trigger = triggerOf("trg-1", definition, { createdAt: AT, traceId: "trg-1", depth: 0, target: "teller" });
  return occurrenceTask(trigger, { id: "trg-1--1", at: AT }, [], Date.parse(AT));
}

test("a run of a Worker has the skill, with the level that it had when the trigger was made; a plan has none", () => {
  expect(taskOf("worker").skill).toEqual(SKILL);
  expect(taskOf("planner").skill).toBeUndefined();
});

test("neither a flat order of a model or the API nor a change says it", () => {
  expect(TriggerInput.safeParse({ prompt: "x", interval: 60, skill: SKILL }).success).toBe(false);
  expect(TriggerPatch.safeParse({ order: { skill: SKILL } }).success).toBe(false);
});
