/** Hands work on: the Teller's goes to the Planner, the Planner's to a Worker. A condition makes it a link of a chain. */
import { needsOf } from "@mimikit/core/conditions/index";
import { ancestorsOf, childId } from "@mimikit/protocol/base/id";
import { SkillName } from "@mimikit/protocol/base/skill";
import { DelegateEffect, type EffectOf } from "@mimikit/protocol/records/effect";
import { isTurn } from "@mimikit/protocol/records/task";
import type { Condition } from "@mimikit/protocol/triggers/condition";
import { z } from "zod";
import { ConditionInput } from "./condition-input.ts";
import { type Scene, tool } from "./tool.ts";

/** A Teller that starts more than this in one turn has misunderstood its role (SPEC G). */
export const TELLER_DELEGATIONS_MAX = 3;

const { prompt, title, priority, timeoutSec, onInterrupt } = DelegateEffect.shape;

const Work = z.strictObject({ prompt, title, priority, timeoutSec });

export const delegate = tool({
  name: "delegate",
  level: "process-control",
  input: Work.extend({
    condition: ConditionInput.optional().describe("as for schedule"),
    onInterrupt,
    skill: SkillName.optional().describe("The name of a skill of M:skills that the Worker is to follow."),
  }).describe("Hand work on. Answers the id that the task will have; with a condition it waits until that holds."),
  shownTo: { teller: Work.describe("Hand work on. Answers the id that the task will have.") },
  refuse: (input, scene) =>
    isTurn(scene.task)
      ? refuseTeller(input, scene)
      : (refuseWaiting(input.condition, scene) ?? refuseUnknown(input.skill, scene)),
  effect: ({ skill, ...input }, { reads }) => {
    const named = reads.skills.find(({ name }) => name === skill);
    if (named === undefined) return { type: "delegate", ...input };
    const { name, level } = named;
    return { type: "delegate", ...input, skill: { name, ...(level !== undefined && { level }) } };
  },
});

function refuseTeller(
  input: Pick<EffectOf<"delegate">, "condition" | "onInterrupt"> & { skill?: string | undefined },
  { effects }: Scene,
): string | null {
  if (input.condition !== undefined)
    return "only the Planner chains tasks: put the order of the work into the prompt, or schedule what starts later";
  if (input.onInterrupt !== undefined)
    return "only the Planner sets onInterrupt: say in the prompt what must not run twice";
  if (input.skill !== undefined) return "only the Planner names skills: say in the prompt what should be followed";
  const delegated = effects.filter((effect) => effect.type === "delegate").length;
  if (delegated < TELLER_DELEGATIONS_MAX) return null;
  return `at most ${TELLER_DELEGATIONS_MAX} delegations in one turn: put the rest into one prompt`;
}

function refuseUnknown(skill: string | undefined, { reads }: Scene): string | null {
  if (skill === undefined || reads.skills.some(({ name }) => name === skill)) return null;
  return `there is no skill "${skill}"; there are: ${reads.skills.map(({ name }) => name).join(", ") || "none"}`;
}

/** What waits for a task that never existed would wait in vain, so its id must be known now. */
export function refuseWaiting(wanted: Condition | undefined, { task, effects, reads }: Scene): string | null {
  if (wanted === undefined) return null;
  for (const taskId of needsOf(wanted).tasks) {
    const staged = effects.some((effect, k) => effect.type === "delegate" && childId(task.id, k) === taskId);
    if (staged || reads.tasks.some((each) => each.id === taskId)) continue;
    const place = ancestorsOf(taskId)[0] === task.id ? "this plan has delegated no such task" : "no such task is known";
    return `nothing can wait for ${taskId}: ${place}`;
  }
  return null;
}
