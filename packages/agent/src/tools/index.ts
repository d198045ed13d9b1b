/** Every tool. A new one is a file beside this and a line here. */
import type { Role } from "@mimikit/protocol/base/role";
import { askUser } from "./ask-user.ts";
import { cancelTask } from "./cancel-task.ts";
import { compressContext } from "./compress-context.ts";
import { delegate } from "./delegate.ts";
import { forget } from "./forget.ts";
import { getHistoryByTime } from "./get-history-by-time.ts";
import { getRecentHistory } from "./get-recent-history.ts";
import { listTasks } from "./list-tasks.ts";
import { notify } from "./notify.ts";
import { queryHistory } from "./query-history.ts";
import { remember } from "./remember.ts";
import { reply } from "./reply.ts";
import { restartServer } from "./restart-server.ts";
import { schedule } from "./schedule.ts";
import { searchMemory } from "./search-memory.ts";
import { summarizeTaskResult } from "./summarize-task-result.ts";
import type { Tool } from "./tool.ts";
import { updateBacklog } from "./update-backlog.ts";

export const TOOLS: readonly Tool[] = [
  reply,
  delegate,
  schedule,
  askUser,
  remember,
  forget,
  updateBacklog,
  cancelTask,
  listTasks,
  summarizeTaskResult,
  queryHistory,
  compressContext,
  searchMemory,
  getRecentHistory,
  getHistoryByTime,
  restartServer,
  notify,
];

/** The tools that `role` may use, with what it is told of them. @param pools that work for this home. */
export function toolsOf(role: Role, pools: readonly unknown[] = []): Tool[] {
  return TOOLS.filter((tool) => tool.roles.includes(role)).map((tool) => ({
    ...tool,
    shown: (pools.length > 0 ? tool.shownWithPools?.[role] : undefined) ?? tool.shownTo[role] ?? tool.input,
  }));
}
