/**
 * The roles as the pool knows them, a row for each: permissions, time limit and prompt. Its row in
 * packages/protocol/src/base/kind.ts and its prompt file are all else that a role has.
 */
import { isMonth } from "@mimikit/core/memory/roll-up";
import { KINDS, type KindActor, ROLES, type Role } from "@mimikit/protocol/base/kind";
import { LEVELS, type Level } from "@mimikit/protocol/base/skill";
import type { Task } from "@mimikit/protocol/records/task";
import type { Config } from "@mimikit/runtime/config/config";

export interface RoleDefinition<Name extends string = string> {
  role: Role;
  /** The permission levels of its calls: the Tool Bus refuses a tool of any other level. */
  levels: readonly Level[];
  /** The time limit of a run in seconds, where its task does not say otherwise (SPEC C3). */
  timeoutSec: (config: Pick<Config, "timeoutSec">) => number;
  /** How many tasks of this role run at once (SPEC A5). */
  concurrency: (config: Pick<Config, "maxConcurrency">) => number;
  /** May it end with a question instead of a result (SPEC C7)? The Teller asks in its reply. */
  mayAsk: boolean;
  /** Its prompt file. */
  prompt: string;
  /**
   * The sections of its prompt, in order: first those that seldom change, then the conversation, then those that change
   * between runs, such as the tasks and the clock. The more of two requests is the same from the beginning on, the more
   * of it a provider's cache has.
   */
  sections: readonly Name[];
}

type Own<Name extends string> = Pick<RoleDefinition, "levels"> &
  Partial<RoleDefinition> & { sections: readonly Name[] };

function define<const Name extends string>(role: Role, own: Own<Name>): RoleDefinition<Name> {
  return {
    role,
    timeoutSec: ({ timeoutSec }) => timeoutSec[role],
    concurrency: ({ maxConcurrency }) => (ROLES[role].hasWorkspace ? maxConcurrency : 1),
    mayAsk: false,
    prompt: `prompts/agents/${role}.md`,
    ...own,
  };
}

/** It may run a command to see how things are; the tools that write are not there. */
const LOOKING = ["read-only", "process-control"] as const;
/** It reads what its prompt shows, and has no tool at all (SPEC E3). */
const SUMMARIZER = { levels: [], sections: ["environment", "sources"] } as const;

const ROWS = {
  /** Talks to the user and delegates; it never does the work itself (SPEC B1). It asks in its reply. */
  teller: define("teller", {
    levels: ["read-only", "local-write", "message-send", "process-control"],
    sections: [
      "persona",
      "profile",
      "summary",
      "history",
      "memory",
      "backlog",
      "tasks",
      "triggers",
      "questions",
      "results",
      "events",
      "environment",
      "attachments",
      "documents",
      "inputs",
    ],
  }),
  /** Splits a request into tasks for Workers, side by side or in a chain (SPEC B2). */
  planner: define("planner", {
    levels: ["read-only", "process-control"],
    mayAsk: true,
    sections: [
      "pools",
      "skills",
      "summary",
      "history",
      "memory",
      "tasks",
      "triggers",
      "environment",
      "attachments",
      "documents",
      "origin",
      "upstream",
      "request",
    ],
  }),
  /** Does one task in the workspace. It has a shell and none of the tools (SPEC B3). The gate says which of the tools from outside need a yes. */
  worker: define("worker", {
    levels: LEVELS,
    mayAsk: true,
    sections: ["workspace", "guides", "skills", "attachments", "texts", "upstream", "attempt", "environment", "task"],
  }),
  /** Judges a change that Mimikit made by itself, from its diff and its checks alone (SPEC B4). */
  reviewer: define("reviewer", {
    levels: ["read-only"],
    sections: ["finding", "said", "checks", "files", "environment", "diff"],
  }),
  /** A Worker that judges semantic conditions, and answers yes or no (SPEC D3). */
  evaluator: define("worker", {
    levels: LOOKING,
    timeoutSec: ({ timeoutSec }) => timeoutSec.evaluation,
    prompt: "prompts/tasks/llm-eval-batch.md",
    sections: ["workspace", "environment", "conditions"],
  }),
  /** A Worker that looks for something worth doing, and names one thing or none (SPEC J1). */
  improver: define("worker", {
    levels: LOOKING,
    prompt: "prompts/agents/self-improve.md",
    sections: ["workspace", "backlog", "failures", "environment"],
  }),
  /** A Worker that makes one summary of old memory. A day and a month are not summed up alike. */
  summarizer: define("worker", { ...SUMMARIZER, prompt: "prompts/tasks/day-summary.md" }),
  "month-summary": define("worker", { ...SUMMARIZER, prompt: "prompts/tasks/month-summary.md" }),
};
/** The names of sections; prompt/sections.ts has their content. */
export type SectionName = (typeof ROWS)[keyof typeof ROWS]["sections"][number];
export const DEFINITIONS: Record<KindActor | "month-summary", RoleDefinition<SectionName>> = ROWS;

/** The definition of a task's actor. */
export function definitionOf({
  kind,
  rollUp,
}: Pick<Task, "kind"> & Partial<Pick<Task, "rollUp">>): RoleDefinition<SectionName> {
  return DEFINITIONS[rollUp !== undefined && isMonth(rollUp.period) ? "month-summary" : KINDS[kind].actor];
}

/** Does a later attempt go on where the last one was? A step of self-improvement begins afresh, in a tree that is made again. */
export function isResumable({ kind }: Task): boolean {
  const { role, part } = KINDS[kind];
  return ROLES[role].hasWorkspace && part !== "improvement";
}

/**
 * Whether the runner of `task` may change the workspace; otherwise its shell, if it has one, only looks. A task that
 * names a read-only skill is held to it (SPEC I7).
 */
export function mayWrite(task: Pick<Task, "kind" | "skill">): boolean {
  return definitionOf(task).levels.includes("local-write") && !followsReadOnly(task);
}

/** Does the task name a skill that is declared to change nothing, for every runner? */
export function followsReadOnly({ skill }: Pick<Task, "skill">): boolean {
  return skill?.level === "read-only";
}
