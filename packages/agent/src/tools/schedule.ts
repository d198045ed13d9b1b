/** Work that starts later: again and again, at one moment, or when something becomes true (SPEC D, G). */
import { definitionOf, problemOf } from "@mimikit/core/triggers/triggers";
import { isTurn } from "@mimikit/protocol/records/task";
import { TRIGGER_DEPTH_MAX, TRIGGERS_MAX, TriggerInput } from "@mimikit/protocol/triggers/trigger-order";
import { z } from "zod";
import { clockAt } from "../prompt/clock.ts";
import { CONDITION_FORMS, ConditionInput } from "./condition-input.ts";
import { refuseWaiting } from "./delegate.ts";
import { type ToolContext, tool } from "./tool.ts";

const { shape } = TriggerInput;

const Input = z
  .strictObject({
    prompt: shape.prompt,
    title: shape.title,
    type: shape.type,
    interval: shape.interval,
    cron: shape.cron,
    timezone: shape.timezone.describe("of the cron; else the user's"),
    runAt: shape.runAt,
    condition: ConditionInput.optional().describe(CONDITION_FORMS),
    cooldown: shape.cooldown.describe("seconds of rest after it held"),
    stableFor: shape.stableFor.describe("seconds that it must hold without a break"),
    missed: shape.missed.describe("what was due while the system was down"),
    target: shape.target,
    priority: shape.priority,
    timeoutSec: shape.timeoutSec,
    onInterrupt: shape.onInterrupt,
    budget: shape.budget.describe('{"tokens":N,"costUsd":N} a day'),
  })
  .describe("Let something start later, by exactly one of interval, cron, runAt, condition. Answers its id.");
type Input = z.output<typeof Input>;

export const schedule = tool({
  name: "schedule",
  level: "process-control",
  input: Input,
  refuse,
  effect: (input, context) => {
    const definition = definitionFor(input, context);
    if ("problem" in definition) throw new Error(definition.problem);
    return { type: "schedule", ...definition };
  },
});

/** A cron that names no zone means the wall clock of its author. */
function definitionFor(input: Input, { reads }: ToolContext) {
  return definitionOf(input, clockAt(reads).timeZone);
}

function refuse(input: Input, context: ToolContext): string | null {
  const { task, reads, effects } = context;
  if (isTurn(task) && (input.target ?? "teller") !== "teller")
    return "what you schedule comes back to you when it is due: leave target out, and delegate then";
  const standing = reads.triggers.length + effects.filter((effect) => effect.type === "schedule").length;
  if (standing >= TRIGGERS_MAX) return `there are ${TRIGGERS_MAX} triggers already: cancel some first`;
  if ((task.triggerDepth ?? 0) > TRIGGER_DEPTH_MAX)
    return `triggers make triggers at most ${TRIGGER_DEPTH_MAX} deep, and this is the work of such a one`;
  const definition = definitionFor(input, context);
  if ("problem" in definition) return definition.problem;
  return problemOf(definition.when, Date.parse(reads.now)) ?? refuseWaiting(input.condition, context);
}
