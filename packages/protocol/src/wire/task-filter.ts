/** Which tasks of a list are meant: the same for the page, the command line and the gateway. */
import type { Role } from "../base/role.ts";
import type { TaskState, TaskSummary } from "./api.ts";

/** Characters of what is looked for. */
export const TASK_TEXT_CHARS_MAX = 200;

export interface TaskFilter {
  state?: TaskState | undefined;
  role?: Role | undefined;
  /** In its title, in the beginning of what was asked, or in its id; in whatever case. */
  text?: string | undefined;
}

export function fits(task: TaskSummary, { state, role, text = "" }: TaskFilter): boolean {
  if ((state ?? task.state) !== task.state || (role ?? task.role) !== task.role) return false;
  const wanted = text.trim().toLowerCase();
  return [task.title, task.prompt, task.id].some((part) => part.toLowerCase().includes(wanted));
}
