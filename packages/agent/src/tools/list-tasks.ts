/** What is waiting, queued or running, and what ended lately. A turn of the Teller is no task to its user. */
import { TaskState } from "@mimikit/protocol/api";
import { Role } from "@mimikit/protocol/role";
import { z } from "zod";
import { tool } from "../tool.ts";

const TASKS_MAX = 50;
const PROMPT_CHARS = 100;

export const listTasks = tool({
  name: "list_tasks",
  level: "read-only",
  roles: ["teller", "planner"],
  input: z
    .strictObject({
      scope: z.enum(["open", "ended", "all"]).default("all"),
      role: Role.exclude(["teller"]).optional(),
      state: TaskState.optional(),
    })
    .describe("Look at the tasks: what waits, runs and has ended lately."),
  run: ({ scope, role, state }, { reads }) => ({
    tasks: reads.tasks
      .filter((task) => task.role !== "teller" && (role === undefined || task.role === role))
      .filter((task) => (state === undefined || task.state === state) && isInScope(task.state, scope))
      .slice(0, TASKS_MAX)
      .map(({ prompt, ...task }) => ({ ...task, prompt: prompt.slice(0, PROMPT_CHARS) })),
  }),
});

function isInScope(state: TaskState, scope: "open" | "ended" | "all"): boolean {
  const open = state === "waiting" || state === "queued" || state === "running";
  return scope === "all" || (scope === "open") === open;
}
