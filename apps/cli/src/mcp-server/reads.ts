/** The tools `search` and `tasks`: they read the state directory, and change nothing. */
import { triggerSummary } from "@mimikit/core/views/board";
import { readForgotten, shownHits, shownLog } from "@mimikit/memory/forgotten/read-forgotten";
import { HistoryIndex } from "@mimikit/memory/search/history-index";
import { searchMemory } from "@mimikit/memory/search/search";
import { TaskState } from "@mimikit/protocol/wire/api";
import { fits, TASK_TEXT_CHARS_MAX } from "@mimikit/protocol/wire/task-filter";
import { readHistory } from "@mimikit/store/views/history";
import { z } from "zod";
import { type State, withState } from "../instance/state.ts";
import { listTasks, readTask } from "../instance/task-list.ts";
import { type AddTool, answered } from "./tool-answer.ts";

const HITS_DEFAULT = 5;
const HITS_MAX = 20;
const QUERY_CHARS_MAX = 1_000;
const TASKS_DEFAULT = 20;
const TASKS_MAX = 100;

const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

export const addSearch: AddTool = (server) => {
  server.registerTool(
    "search",
    {
      title: "Search memory and conversation",
      description: "Find what Mimikit remembers of the user, and what was said in its conversation, the best first.",
      inputSchema: z.object({
        query: z.string().trim().min(1).max(QUERY_CHARS_MAX),
        in: z.enum(["both", "memory", "conversation"]).default("both"),
        limit: z.number().int().min(1).max(HITS_MAX).default(HITS_DEFAULT).describe("of each"),
      }),
      outputSchema: z.object({
        memory: z.array(z.object({ source: z.string(), text: z.string() })),
        conversation: z.array(z.object({ id: z.string(), role: z.string(), at: z.string(), text: z.string() })),
      }),
      annotations: READS,
    },
    async ({ query, in: place, limit }) =>
      withState(async (state) => {
        const { home, workDir } = state;
        // The caller is a model.
        const hits = place === "conversation" ? [] : (await searchMemory({ home, workDir, query, limit })).hits;
        const memory = shownHits(hits, await readForgotten(home));
        const said = place === "memory" ? [] : await searchSaid(state, query, limit);
        return answered({
          memory: memory.map(({ source, text }) => ({ source, text })),
          conversation: said.map(({ id, role, at, text }) => ({ id, role, at, text })),
        });
      }),
  );
};

async function searchSaid({ home, fs, cache }: State, query: string, limit: number) {
  const { messages } = await readHistory(fs, cache.archiveIndex);
  const log = shownLog(new HistoryIndex(home).with(messages), await readForgotten(home));
  return log.search({ query, limit });
}

const Line = z.object({
  id: z.string(),
  role: z.string(),
  state: TaskState,
  title: z.string(),
  createdAt: z.string(),
  completedAt: z.string().optional(),
  failureReason: z.string().optional(),
});

export const addTasks: AddTool = (server) => {
  server.registerTool(
    "tasks",
    {
      title: "Look at tasks",
      description:
        "What Mimikit works on, has done and has scheduled, the newest first; with an id all about that one task, its result included.",
      inputSchema: z.object({
        id: z.string().optional().describe("one task, by its id"),
        state: TaskState.optional(),
        text: z.string().max(TASK_TEXT_CHARS_MAX).optional().describe("in the title, in the prompt or in the id"),
        limit: z.number().int().min(1).max(TASKS_MAX).default(TASKS_DEFAULT),
      }),
      outputSchema: z.object({
        tasks: z.array(Line),
        scheduled: z.array(
          z.object({ id: z.string(), title: z.string(), next: z.string().optional(), paused: z.boolean() }),
        ),
        task: z.object({ prompt: z.string(), result: z.string(), error: z.string().optional() }).optional(),
      }),
      annotations: READS,
    },
    async ({ id, limit, ...filter }) =>
      withState(async (state) => {
        if (id !== undefined) {
          const found = await readTask(state, id);
          const { prompt, result, error } = found;
          const task = { prompt, result: textOf(result), ...(error !== undefined && { error }) };
          return answered({ tasks: [Line.parse(found)], scheduled: [], task });
        }
        const tasks = (await listTasks(state)).filter((task) => fits(task, filter)).slice(0, limit);
        const scheduled = [...state.triggers.values()]
          .map(triggerSummary)
          .map(({ id, title, next, paused }) => ({ id, title, paused, ...(next !== null && { next }) }));
        return answered({ tasks: tasks.map((task) => Line.parse(task)), scheduled });
      }),
  );
};

/** The result of a task: a text as it is, all else as JSON; empty where there is none yet. */
function textOf(result: unknown): string {
  if (result === undefined || result === null) return "";
  return Text.safeParse(result).data?.text ?? JSON.stringify(result);
}

const Text = z.object({ text: z.string() });
