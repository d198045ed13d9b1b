/** `/api/tasks`: the list, one task with all that is known of it, and the wish to cancel it. */
import { TaskState } from "@mimikit/protocol/api";
import { Role } from "@mimikit/protocol/role";
import type { Request, Response } from "express";
import { z } from "zod";
import { checkedAs, idFrom, NoBody, readBody } from "../limits.ts";
import type { View } from "../view.ts";
import type { Wishes } from "../wishes.ts";

const PAGE_TASKS = 50;
const PAGE_TASKS_MAX = 500;

const TasksQuery = z.strictObject({
  state: TaskState.optional(),
  role: Role.optional(),
  limit: z.coerce.number().int().min(1).max(PAGE_TASKS_MAX).default(PAGE_TASKS),
});

/** `GET /api/tasks?state=&role=&limit=`: newest first. */
export function tasks(view: View) {
  return async (request: Request, response: Response): Promise<void> => {
    const { state, role, limit } = checkedAs(TasksQuery, request.query);
    const look = await view.refresh();
    const chosen = look.tasks.filter(
      (task) => (state === undefined || task.state === state) && (role === undefined || task.role === role),
    );
    response.json({ tasks: chosen.slice(0, limit) });
  };
}

/** `GET /api/tasks/:id` */
export function task(view: View) {
  return async (request: Request, response: Response): Promise<void> => {
    response.json(await view.taskDetail(idFrom(request.params.id)));
  };
}

/** `POST /api/tasks/:id/cancel`: 202 once the wish is durable. */
export function cancel(wishes: Wishes) {
  return async (request: Request, response: Response): Promise<void> => {
    const id = idFrom(request.params.id);
    await readBody(request, NoBody);
    response.status(202).json({ id: await wishes.cancelTask(id) });
  };
}
