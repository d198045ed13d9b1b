/** `/api/tasks`: the list, one task with all that is known of it, and the command to cancel it. */

import { Role } from "@mimikit/protocol/base/role";
import {
  Accepted,
  AgainBody,
  MESSAGE_BODY_BYTES_MAX,
  NoBody,
  TaskDetail,
  TaskState,
  TasksAnswer,
} from "@mimikit/protocol/wire/api";
import { fits, TASK_TEXT_CHARS_MAX } from "@mimikit/protocol/wire/task-filter";
import { TranscriptAnswer } from "@mimikit/protocol/wire/transcript";
import { readTranscript } from "@mimikit/store/views/transcript";
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
  text: z.string().max(TASK_TEXT_CHARS_MAX).optional(),
});

export const tasks = route({
  method: "get",
  path: "/api/tasks",
  summary:
    "tasks requested by people or started by triggers, newest first. A batch of semantic conditions is only listed by its id. `text` is searched in the title, the beginning of the prompt and the id",
  query: TasksQuery,
  status: 200,
  answer: TasksAnswer,
  handle: async ({ query: { limit, ...filter } }, { view }) => {
    const state = await view.refresh();
    return { tasks: state.tasks.filter((task) => fits(task, filter)).slice(0, limit) };
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

const TranscriptQuery = z.strictObject({ after: numberFrom(z.number().int().min(0)).prefault(0) });

export const transcript = route({
  method: "get",
  path: "/api/tasks/:id/transcript",
  summary:
    "the text, thoughts and tool calls of a task while it ran, with the outcome of each call, in order; `after` is the `next` of the previous answer",
  params: IdParams,
  query: TranscriptQuery,
  status: 200,
  answer: TranscriptAnswer,
  errors: { 404: "unknown" },
  handle: async ({ params: { id }, query: { after } }, { view, home }) => {
    await view.taskDetail(id);
    return readTranscript(home, id, after);
  },
});

export const again = route({
  method: "post",
  path: "/api/tasks/:id/again",
  summary:
    "runs an ended task again, with `text` in place of its own if given; `id` is that of the new task, the first is kept",
  params: IdParams,
  body: AgainBody,
  bodyBytesMax: MESSAGE_BODY_BYTES_MAX,
  takesKey: true,
  status: 202,
  answer: Accepted,
  errors: { 404: "unknown", 409: "it has not ended, or is not a requested task" },
  handle: async ({ params, body, key }, { commands }) => ({ id: await commands.tryAgain(params.id, body.text, key) }),
});

export const cancel = route({
  method: "post",
  path: "/api/tasks/:id/cancel",
  summary: "cancels a task and everything that follows from it",
  params: IdParams,
  body: NoBody,
  status: 202,
  answer: Accepted,
  errors: { 404: "unknown", 409: "it has ended" },
  handle: async ({ params }, { commands }) => ({ id: await commands.cancelTask(params.id) }),
});
