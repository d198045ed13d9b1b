/**
 * The file from which `mimikit mcp tools` answers as the run itself would: its task, what reads look at, and what was staged so far.
 * The pool writes it before each start of a CLI, into the run's own folder; nothing is ever read back from it.
 */
import { readFile, writeFile } from "node:fs/promises";
import { parseRecord } from "@mimikit/protocol/base/json";
import { SkillSummary } from "@mimikit/protocol/base/skill";
import { HistoryMessage } from "@mimikit/protocol/records/history";
import { ClientClock } from "@mimikit/protocol/records/inbox";
import { Question } from "@mimikit/protocol/records/question";
import { Task } from "@mimikit/protocol/records/task";
import { TimeZone } from "@mimikit/protocol/triggers/condition-schema";
import { PoolSummary, TaskSummary, TriggerSummary } from "@mimikit/protocol/wire/api";
import { z } from "zod";
import type { ReadContext } from "../../../tools/tool.ts";

const LIMITS = { bytes: 64 * 1_048_576, depth: 64 };

const reads: z.ZodType<Omit<ReadContext, "said">> = z.object({
  now: z.iso.datetime(),
  client: ClientClock.optional(),
  zone: z.object({ timeZone: TimeZone, isSetting: z.boolean() }).optional(),
  tasks: z.array(TaskSummary),
  summaries: z.record(z.string(), z.string()),
  endings: z.record(z.string(), z.object({ gist: z.string().optional(), paths: z.array(z.string()) })).optional(),
  steps: z.record(z.string(), z.string()).optional(),
  triggers: z.array(TriggerSummary),
  questions: z.array(Question),
  skills: z.array(SkillSummary),
  backlog: z.array(z.object({ item: z.string(), done: z.boolean() })).optional(),
  pools: z.array(PoolSummary).optional(),
  memoryPlace: z.object({ home: z.string(), workDir: z.string() }),
});

export const ToolsFile = z.object({
  task: Task,
  reads,
  /** The newest messages; the server looks up the rest in the state directory itself, which may not have these yet. */
  newest: z.array(HistoryMessage),
  /** The successful calls so far, in the order of their ids. */
  calls: z.array(z.object({ tool: z.string(), input: z.unknown() })),
  /** Tools that are not ours, and where the pool takes calls of them. */
  external: z
    .object({
      socket: z.string(),
      tools: z.array(
        z.object({
          name: z.string(),
          description: z.string().optional(),
          parameters: z.record(z.string(), z.unknown()),
        }),
      ),
    })
    .optional(),
});
export type ToolsFile = z.infer<typeof ToolsFile>;

/** Throws what the disk throws. */
export async function writeToolsFile(path: string, file: ToolsFile): Promise<void> {
  await writeFile(path, JSON.stringify(file), { mode: 0o600 });
}

/** Throws `BadJson` where it is not such a file. */
export async function readToolsFile(path: string): Promise<ToolsFile> {
  return parseRecord(ToolsFile, await readFile(path, "utf8"), LIMITS);
}
