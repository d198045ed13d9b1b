/** Lists waiting, queued and running tasks, recently ended ones, and triggers. A turn is no task to its user. */

import { Role } from "@mimikit/protocol/base/role";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { TaskState } from "@mimikit/protocol/wire/api";
import { z } from "zod";
import { type ReadContext, tool } from "./tool.ts";

const TASKS_MAX = 50;
const TRIGGERS_MAX = 50;
const PAST_MAX = 3;
const PROMPT_CHARS = 100;

export const listTasks = tool({
  name: "list_tasks",
  level: "read-only",
  roles: ["teller", "planner"],
  input: z
    .strictObject({
      scope: z.enum(["open", "ended", "triggers", "all"]).default("all"),
      role: Role.exclude(["teller"]).optional(),
      state: TaskState.optional(),
    })
    .describe("See what waits, runs and has ended lately, and the triggers."),
  run: ({ scope, role, state }, { reads }) => ({
    tasks: reads.tasks
      .filter((task) => role === undefined || task.role === role)
      .filter((task) => (state === undefined || task.state === state) && isInScope(task.state, scope))
      .slice(0, TASKS_MAX)
      .map(({ prompt, ...task }) => ({
        ...task,
        prompt: beginningOf(prompt, PROMPT_CHARS),
        summary: reads.summaries[task.id],
      })),
    ...(scope !== "ended" && role === undefined && state === undefined && { triggers: triggersOf(reads) }),
  }),
});

function triggersOf({ triggers }: ReadContext) {
  return triggers.slice(0, TRIGGERS_MAX).map(({ prompt, recent, ...trigger }) => ({
    ...trigger,
    prompt: beginningOf(prompt, PROMPT_CHARS),
    recent: recent.slice(-PAST_MAX),
  }));
}

function isInScope(state: TaskState, scope: "open" | "ended" | "triggers" | "all"): boolean {
  const open = state === "waiting" || state === "queued" || state === "running";
  return scope === "all" || (scope !== "triggers" && (scope === "open") === open);
}
