/** Whose work is to look: their shell and their CLI may change nothing. */
import type { Task } from "@mimikit/protocol/task";

/**
 * Semantic conditions are judged by looking (SPEC D3), notes are summed up as they stand (SPEC E3), something to improve is
 * looked for (SPEC J1), and a task that names a read-only skill is held to it (SPEC I7).
 */
export function looksOnly(task: Pick<Task, "evaluation" | "rollUp" | "improve" | "skill">): boolean {
  const { evaluation, rollUp, improve } = task;
  return evaluation !== undefined || rollUp !== undefined || improve?.step === "look" || followsReadOnly(task);
}

/** Does the task name a skill that is declared to change nothing, whoever follows it? */
export function followsReadOnly({ skill }: Pick<Task, "skill">): boolean {
  return skill?.level === "read-only";
}
