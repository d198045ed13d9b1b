/** `/api/tasks`: the list, one task with all that is known of it, and the wish to cancel it. */

import { Role } from "@mimikit/protocol/base/role";
import { Accepted, NoBody, TaskDetail, TaskState, TasksAnswer } from "@mimikit/protocol/wire/api";
import { z } from "zod";
import { route } from "../api/route.ts";
import { IdParams } from "../http/params.ts";
import { numberFrom } from "../http/query-fields.ts";

const PAGE_TASKS = 50;
const PAGE_TASKS_MAX = 500;

const TasksQuery = z.strictObject({
  state: TaskState.optional(),
  role: Role.optional(),
  limit: numberFrom(z.number().int().min(1).max(PAGE_TASKS_MAX)).prefault(PAGE_TASKS),
});

export const tasks = route({
  method: "get",
  path: "/api/tasks",
  summary:
    "tasks, the newest first: what somebody has ordered, or a trigger. A batch of semantic conditions is told by its " +
    "id only",
  query: TasksQuery,
  status: 200,
  answer: TasksAnswer,
  handle: async ({ query: { state, role, limit } }, { view }) => {
    const look = await view.refresh();
    const chosen = look.tasks.filter(
      (task) => (state === undefined || task.state === state) && (role === undefined || task.role === role),
    );
    return { tasks: chosen.slice(0, limit) };
  },
});

export const task = route({
  method: "get",
  path: "/api/tasks/:id",
  summary: "one task with its `result`, `error`, `upstream` and `timeline`",
  params: IdParams,
  status: 200,
  answer: TaskDetail,
  errors: { 404: "unknown" },
  handle: ({ params }, { view }) => view.taskDetail(params.id),
});

export const cancel = route({
  method: "post",
  path: "/api/tasks/:id/cancel",
  summary: "cancels a task and all that comes of it",
  params: IdParams,
  body: NoBody,
  status: 202,
  answer: Accepted,
  errors: { 404: "unknown", 409: "it has ended" },
  handle: async ({ params }, { wishes }) => ({ id: await wishes.cancelTask(params.id) }),
});
