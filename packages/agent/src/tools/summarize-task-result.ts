/** Puts a summary in the place of what a task has handed in, once (SPEC G). */

import { SummarizeResultEffect } from "@mimikit/protocol/records/effect";
import type { TaskSummary } from "@mimikit/protocol/wire/api";
import { z } from "zod";
import { type ToolContext, tool } from "./tool.ts";

const ENDED: readonly TaskSummary["state"][] = ["done", "failed", "needs_input", "cancelled"];

const { taskId, summary } = SummarizeResultEffect.shape;

export const summarizeTaskResult = tool({
  name: "summarize_task_result",
  level: "local-write",
  input: z
    .strictObject({ taskId, summary })
    .describe("Later turns read this in place of what an ended task handed in."),
  refuse: (input, context) => refuse(input.taskId, context),
  effect: (input) => ({ type: "summarize_task_result", ...input }),
});

function refuse(id: string, { effects, reads: { tasks, summaries } }: ToolContext): string | null {
  const task = tasks.find((each) => each.id === id);
  if (task === undefined) return `no task ${id} is known: list_tasks shows the ids`;
  if (!ENDED.includes(task.state)) return `${id} has not ended: it is ${task.state}`;
  const isStaged = effects.some((effect) => effect.type === "summarize_task_result" && effect.taskId === id);
  return isStaged || summaries[id] !== undefined ? `${id} has a summary already, which stands` : null;
}
