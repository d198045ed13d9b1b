/**
 * Ends a task and everything below it, whether it waits, is queued or runs, or a trigger that stands (SPEC C9); or a question
 * of the Teller's that needs no answer any more.
 */

import { ancestorsOf, turnNumber } from "@mimikit/protocol/base/id";
import { CancelEffect } from "@mimikit/protocol/records/effect";
import { isTurn } from "@mimikit/protocol/records/task";
import type { TaskSummary } from "@mimikit/protocol/wire/api";
import { z } from "zod";
import { type ToolContext, tool } from "./tool.ts";

const OPEN: readonly TaskSummary["state"][] = ["waiting", "queued", "running"];

export const cancelTask = tool({
  name: "cancel_task",
  level: "process-control",
  input: z
    .strictObject({ id: CancelEffect.shape.id })
    .describe("End a task and all below it, a trigger, or a question of yours."),
  refuse: ({ id }, context) => refuse(id, context),
  effect: ({ id }) => ({ type: "cancel_task", id }),
});

function refuse(id: string, { task, reads: { tasks, triggers, questions } }: ToolContext): string | null {
  const asked = isTurn(task) ? questions.find((each) => each.id === id) : undefined;
  if (asked !== undefined) return asked.purpose.type === "teller" ? null : "only the user answers that question";
  if (triggers.some((each) => each.id === id)) return null;
  if (turnNumber(id) > 0) return "a reply is not a task: name a task from list_tasks";
  const family = tasks.filter((each) => each.id === id || ancestorsOf(each.id).includes(id));
  if (family.length === 0) return `no task or trigger ${id} is known: list_tasks shows the ids`;
  return family.some((each) => OPEN.includes(each.state)) ? null : `${id} has already ended`;
}
