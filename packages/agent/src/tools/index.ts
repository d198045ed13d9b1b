/** Every tool. A new one is a file beside this and a line here. */
import type { Role } from "@mimikit/protocol/role";
import type { Tool } from "../tool.ts";
import { cancelTask } from "./cancel-task.ts";
import { delegate } from "./delegate.ts";
import { listTasks } from "./list-tasks.ts";
import { queryHistory } from "./query-history.ts";
import { remember } from "./remember.ts";
import { reply } from "./reply.ts";
import { updateBacklog } from "./update-backlog.ts";

export const TOOLS: readonly Tool[] = [reply, delegate, remember, updateBacklog, cancelTask, listTasks, queryHistory];

/** The tools that `role` may use. */
export function toolsOf(role: Role): Tool[] {
  return TOOLS.filter((tool) => tool.roles.includes(role));
}
