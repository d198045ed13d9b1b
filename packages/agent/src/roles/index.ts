/** Every role. A new one is a file beside this, a line here and its name in packages/protocol/src/base/role.ts. */
import { type Actor, KINDS } from "@mimikit/protocol/base/kind";
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
const DEFINITIONS: Record<Actor, RoleDefinition> = { ...ROLE_DEFINITIONS, evaluator, summarizer, improver };

/** What whoever runs a task is. */
export function definitionOf({ kind }: Pick<Task, "kind">): RoleDefinition {
  return DEFINITIONS[KINDS[kind].actor];
}

/** Does a later attempt go on where the last one was? A step of self-improvement begins afresh, in a tree that is made anew. */
export function isResumable({ kind }: Task): boolean {
  const { role, part } = KINDS[kind];
  return role === "worker" && part !== "improvement";
}

/**
 * Whether whoever runs `task` may change the workspace; otherwise its shell, where it has one, only looks. A task that names
 * a read-only skill is held to it (SPEC I7).
 */
export function mayWrite(task: Pick<Task, "kind" | "skill">): boolean {
  return definitionOf(task).levels.includes("local-write") && !followsReadOnly(task);
}

/** Does the task name a skill that is declared to change nothing, whoever follows it? */
export function followsReadOnly({ skill }: Pick<Task, "skill">): boolean {
  return skill?.level === "read-only";
}
