/** Hands work on: the Teller's goes to the Planner, the Planner's to a Worker. A condition makes it a dependent task. */
import { unknownPool } from "@mimikit/core/base/named-pool";
import { needsOf } from "@mimikit/core/conditions/index";
import { PoolName } from "@mimikit/protocol/base/fields";
import { ancestorsOf, childId } from "@mimikit/protocol/base/id";
import { SkillName } from "@mimikit/protocol/base/skill";
import { DelegateEffect, type EffectOf } from "@mimikit/protocol/records/effect";
import { isTurn } from "@mimikit/protocol/records/task";
import { CONDITION_LEAVES_MAX, type Condition, isPossible } from "@mimikit/protocol/triggers/condition";
import { z } from "zod";
import { ConditionInput } from "./condition-input.ts";
import { type ToolContext, tool } from "./tool.ts";

/**
 * A Teller that starts more than this in one turn has misunderstood its role (SPEC G), unless it takes up more messages or
 * triggers that are due: each may order something, and they pile up while nothing runs.
 */
const TELLER_DELEGATIONS_MAX = 3;

const { name, prompt, title, priority, timeoutSec, onInterrupt } = DelegateEffect.shape;

const Work = z.strictObject({ prompt, title, priority, timeoutSec });
const Planned = Work.extend({
  name: name.describe("A short name of your own, for `after`."),
  after: z
    .array(z.string().trim().min(1))
    .min(1)
    .max(CONDITION_LEAVES_MAX)
    .optional()
    .describe("Starts when these are done: names, or ids, of tasks that were delegated before."),
  condition: ConditionInput.optional().describe("as for schedule"),
  onInterrupt,
  skill: SkillName.optional().describe("The name of a skill of M:skills that the Worker is to follow."),
});
const ABOUT = "Hand work on. Answers the id that the task will have; with a condition it waits until that holds.";
const Input = Planned.extend({
  pool: PoolName.optional().describe(
    "A name or a label of M:pools: the work is done on that machine, in a folder of its own. Only where the request says so or needs it.",
  ),
}).describe(ABOUT);

export const delegate = tool({
  name: "delegate",
  level: "process-control",
  input: Input,
  shownTo: { teller: Work.describe("Hand work on. Answers the id of the task."), planner: Planned.describe(ABOUT) },
  shownWithPools: { planner: Input },
  refuse: (input, context) =>
    isTurn(context.task)
      ? refuseTeller(input, context)
      : (refuseName(input.name, context) ??
        refuseAfter(input.after ?? [], input.condition, context) ??
        refuseWaiting(input.condition, context) ??
        refuseUnknown(input.skill, context) ??
        refusePool(input.pool, context)),
  effect: ({ skill, after = [], condition: given, ...input }, context) => {
    const condition = conditionOf(after, given, context);
    const named = context.reads.skills.find(({ name }) => name === skill);
    return {
      type: "delegate",
      ...input,
      ...(condition !== undefined && { condition }),
      ...(named !== undefined && {
        skill: { name: named.name, ...(named.level !== undefined && { level: named.level }) },
      }),
    };
  },
});

/** Waits for all of these tasks, and for what was wanted beside them; undefined where it waits for nothing. */
function conditionOf(
  after: readonly string[],
  given: Condition | undefined,
  context: ToolContext,
): Condition | undefined {
  const done = after.map(
    (named): Condition => ({ type: "task_done", params: { taskId: idOf(named, context) ?? named } }),
  );
  const conditions = given === undefined ? done : [...done, given];
  return conditions.length > 1 ? { type: "and", conditions } : conditions[0];
}

/** The id of a task by the name that this plan has given it, or by its id; null where it is neither. */
function idOf(named: string, { task, effects, reads }: ToolContext): string | null {
  const k = effects.findIndex(
    (effect, k) => effect.type === "delegate" && (effect.name === named || childId(task.id, k) === named),
  );
  if (k >= 0) return childId(task.id, k);
  return reads.tasks.some(({ id }) => id === named) ? named : null;
}

function refuseName(name: string | undefined, { effects }: ToolContext): string | null {
  const isTaken = effects.some((effect) => effect.type === "delegate" && effect.name === name);
  return name !== undefined && isTaken ? `a task of this plan is named "${name}" already: choose another name` : null;
}

function refuseAfter(after: readonly string[], given: Condition | undefined, context: ToolContext): string | null {
  const unknown = after.find((named) => idOf(named, context) === null);
  if (unknown === undefined) {
    const condition = conditionOf(after, given, context);
    return condition === undefined || isPossible(condition)
      ? null
      : "that is too much to wait for: name fewer in `after`";
  }
  const names = context.effects.flatMap((effect) => (effect.type === "delegate" ? (effect.name ?? []) : []));
  return `no task can wait for "${unknown}": delegate it first. This plan has named so far: ${names.join(", ") || "no task"}`;
}

function refuseTeller(
  input: Pick<EffectOf<"delegate">, "name" | "condition" | "onInterrupt"> & {
    after?: readonly string[] | undefined;
    skill?: string | undefined;
    pool?: string | undefined;
  },
  { task, effects }: ToolContext,
): string | null {
  if (input.condition !== undefined || input.after !== undefined || input.name !== undefined)
    return "only the Planner chains tasks: put the order of the work into the prompt, or schedule what starts later";
  if (input.onInterrupt !== undefined)
    return "only the Planner sets onInterrupt: say in the prompt what must not run twice";
  if (input.skill !== undefined) return "only the Planner names skills: say in the prompt what should be followed";
  if (input.pool !== undefined) return "only the Planner names machines: say in the prompt where it should be done";
  const delegated = effects.filter((effect) => effect.type === "delegate").length;
  const { messages = [], events = [] } = task.turn ?? {};
  const due = events.filter(({ name }) => name === "cron_trigger");
  const most = Math.max(TELLER_DELEGATIONS_MAX, messages.length + due.length);
  if (delegated < most) return null;
  return `at most ${most} delegations in one turn, and they are made: tell the user what is not started`;
}

function refuseUnknown(skill: string | undefined, { reads }: ToolContext): string | null {
  if (skill === undefined || reads.skills.some(({ name }) => name === skill)) return null;
  return `there is no skill "${skill}"; there are: ${reads.skills.map(({ name }) => name).join(", ") || "none"}`;
}

function refusePool(pool: string | undefined, { task, reads }: ToolContext): string | null {
  if (pool === undefined) return null;
  if (task.pool !== undefined && task.pool !== pool)
    return `the user has named ${task.pool}, and all of it is done there: leave pool out`;
  return unknownPool(pool, reads.pools ?? []);
}

/** A task that waits for one that never existed would wait in vain, so its id must be known now. */
export function refuseWaiting(wanted: Condition | undefined, { task, effects, reads }: ToolContext): string | null {
  if (wanted === undefined) return null;
  for (const taskId of needsOf(wanted).tasks) {
    const staged = effects.some((effect, k) => effect.type === "delegate" && childId(task.id, k) === taskId);
    if (staged || reads.tasks.some((each) => each.id === taskId)) continue;
    const place = ancestorsOf(taskId)[0] === task.id ? "this plan has delegated no such task" : "no such task is known";
    return `no task can wait for ${taskId}: ${place}`;
  }
  return null;
}
