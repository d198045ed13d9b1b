/** Every role. A new one is a file beside this, a line here and its name in packages/protocol/src/base/role.ts. */
import type { Role } from "@mimikit/protocol/base/role";
import type { Task } from "@mimikit/protocol/records/task";
import { evaluator } from "./evaluator.ts";
import { improver } from "./improver.ts";
import { planner } from "./planner.ts";
import { reviewer } from "./reviewer.ts";
import type { RoleDefinition } from "./role.ts";
import { summarizer } from "./summarizer.ts";
import { teller } from "./teller.ts";
import { worker } from "./worker.ts";

export const ROLE_DEFINITIONS: Record<Role, RoleDefinition> = { teller, planner, worker, reviewer };

/**
 * What whoever runs `task` is: its role, or the evaluator, the summarizer or the improver, which are Workers in all but what
 * they may do and must hand in.
 */
export function definitionOf({
  role,
  evaluation,
  rollUp,
  improve,
}: Pick<Task, "role" | "evaluation" | "rollUp" | "improve">): RoleDefinition {
  if (evaluation !== undefined) return evaluator;
  if (improve?.step === "look") return improver;
  return rollUp === undefined ? ROLE_DEFINITIONS[role] : summarizer;
}

/**
 * Whether whoever runs `task` may change the workspace; otherwise its shell, where it has one, only looks. A task that names
 * a read-only skill is held to it (SPEC I7).
 */
export function mayWrite(task: Pick<Task, "role" | "evaluation" | "rollUp" | "improve" | "skill">): boolean {
  return definitionOf(task).levels.includes("local-write") && !followsReadOnly(task);
}

/** Does the task name a skill that is declared to change nothing, whoever follows it? */
export function followsReadOnly({ skill }: Pick<Task, "skill">): boolean {
  return skill?.level === "read-only";
}
