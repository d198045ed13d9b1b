/** Every role. A new one is a file beside this, a line here and its name in packages/protocol/src/role.ts. */
import type { Role } from "@mimikit/protocol/role";
import type { Task } from "@mimikit/protocol/task";
import type { RoleDefinition } from "../role.ts";
import { evaluator } from "./evaluator.ts";
import { planner } from "./planner.ts";
import { summarizer } from "./summarizer.ts";
import { teller } from "./teller.ts";
import { worker } from "./worker.ts";

export const ROLE_DEFINITIONS: Record<Role, RoleDefinition> = { teller, planner, worker };

/**
 * What whoever runs `task` is: its role, or the evaluator or the summarizer, which are Workers in all but what they may do
 * and must hand in.
 */
export function definitionOf({
  role,
  evaluation,
  rollUp,
}: Pick<Task, "role" | "evaluation" | "rollUp">): RoleDefinition {
  if (evaluation !== undefined) return evaluator;
  return rollUp === undefined ? ROLE_DEFINITIONS[role] : summarizer;
}

/** Whether whoever runs `task` may change the workspace; otherwise its shell, where it has one, only looks. */
export function mayWrite(task: Pick<Task, "role" | "evaluation" | "rollUp">): boolean {
  return definitionOf(task).levels.includes("local-write");
}
