/** Lists waiting, queued and running tasks, recently ended ones, and triggers, in lines. A turn is no task to its user. */

import { Role } from "@mimikit/protocol/base/role";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { TaskState, type TaskSummary } from "@mimikit/protocol/wire/api";
import { z } from "zod";
import { block } from "../prompt/quote.ts";
import { type Job, jobLine, jobsIn, triggerLine } from "../prompt/state-lines.ts";
import { type ReadContext, tool } from "./tool.ts";

const TRIGGERS_MAX = 50;
const PROMPT_CHARS = 120;
const TRIGGER_PROMPT_CHARS = 4_000;
/** Characters of all lines; the rest is named by its number. */
const LINES_CHARS_MAX = 8_000;

export const listTasks = tool({
  name: "list_tasks",
  level: "read-only",
  roles: ["teller", "planner"],
  input: z
    .strictObject({
      scope: z.enum(["open", "ended", "triggers", "all"]).default("all"),
      role: Role.exclude(["teller"]).optional(),
      state: TaskState.optional(),
    })
    .describe("See what waits, runs and has ended lately, and the triggers."),
  run: ({ scope, role, state }, { reads }) => {
    const jobs = jobsIn(reads.tasks).filter(
      (job) =>
        (scope === "all" || (scope !== "triggers" && (scope === "open") === job.isOpen)) &&
        job.tasks.some((task) => (role ?? task.role) === task.role && (state ?? task.state) === task.state),
    );
    const isWithTriggers = scope !== "ended" && role === undefined && state === undefined;
    const triggers = isWithTriggers ? reads.triggers.slice(0, TRIGGERS_MAX) : [];
    const lines = [
      ...jobs.map((job) => jobRecord(job, reads)),
      ...triggers.map((trigger) => triggerLine(trigger, reads, TRIGGER_PROMPT_CHARS)),
    ];
    return { text: lines.length === 0 ? "none" : within(lines) };
  },
});

/** The line of a job; below it the beginning of its prompt, and a line for each of its tasks. */
function jobRecord(job: Job, reads: ReadContext): string {
  const request = job.tasks.find(({ id }) => id === job.id);
  const below = job.tasks.filter(({ id }) => id !== job.id);
  const body = [
    ...(request === undefined ? [] : [`prompt: ${cut(request.prompt)}`]),
    ...below.map((task) => taskLine(task)),
  ];
  return [jobLine(job, reads), ...(body.length === 0 ? [] : [block(body.join("\n"))])].join("\n");
}

function taskLine({ id, state, title }: TaskSummary): string {
  return `${id} ${state}: ${cut(title)}`;
}

function cut(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= PROMPT_CHARS ? line : `${beginningOf(line, PROMPT_CHARS)}…`;
}

function within(lines: readonly string[]): string {
  const shown: string[] = [];
  let chars = 0;
  for (const line of lines) {
    chars += line.length + 1;
    if (chars > LINES_CHARS_MAX && shown.length > 0) break;
    shown.push(line);
  }
  const left = lines.length - shown.length;
  return [...shown, ...(left === 0 ? [] : [`${left} more: ask for one scope or state`])].join("\n");
}
