/**
 * A tool is one thing that a role can do. A tool that reads answers at once; a tool that writes only returns an effect,
 * which the Tool Bus stages (SPEC G). A writing tool has the name of its effect, and so the roles of its effect.
 */
import type { Role } from "@mimikit/protocol/base/role";
import type { Level, SkillRef } from "@mimikit/protocol/base/skill";
import { EFFECT_ROLES, type Effect, type EffectOf } from "@mimikit/protocol/records/effect";
import type { ClientClock } from "@mimikit/protocol/records/inbox";
import type { ShownMemory } from "@mimikit/protocol/records/shown-memory";
import type { Task } from "@mimikit/protocol/records/task";
import type { z } from "zod";
import type { CallReach } from "../approval/gate.ts";
import type { Context } from "./context.ts";

/** The context that tools read. */
export interface ReadContext
  extends Pick<Context, "now" | "said" | "tasks" | "summaries" | "triggers" | "questions" | "skills" | "memoryPlace"> {
  backlog?: Context["backlog"] | undefined;
  pools?: Context["pools"] | undefined;
  endings?: Context["endings"] | undefined;
  steps?: Context["steps"] | undefined;
  client?: ClientClock | undefined;
  zone?: Context["zone"] | undefined;
}

/** The part of a run that its tools can see. */
export interface ToolContext {
  task: Task;
  reads: ReadContext;
  /** The effects staged so far, in order. */
  effects: readonly Effect[];
  /** From now on the run uses this skill, and may do no more than it declares. */
  use: (skill: SkillRef) => void;
  /** The model is shown this of memory with the answer. */
  show: (memory: readonly ShownMemory[]) => void;
  /** The limit of the skills in use, if they have one. */
  limit?: Level | undefined;
  /** The real path outside the workspace that the call may use. */
  place?: string | undefined;
}

interface Definition<Input extends z.ZodType> {
  level: Level;
  /** Below its level it is called nevertheless, and keeps itself within `context.limit`; it throws where it cannot. */
  keepsWithin?: boolean;
  input: Input;
  /** The input that a role is shown if that is less: the rest is refused to it, in words. */
  shownTo?: Partial<Record<Role, z.ZodType>>;
  /** The same where other machines work for this home. */
  shownWithPools?: Partial<Record<Role, z.ZodType>>;
  /** The reach of a well-formed call, if it may have to ask the owner. */
  wants?: (input: z.output<Input>, context: ToolContext) => Promise<CallReach | null>;
  /** Why a well-formed call is not allowed here, in words that tell the caller what would be; null when it is. */
  refuse?: (input: z.output<Input>, context: ToolContext) => string | null;
}

interface ReadDefinition<Input extends z.ZodType> extends Definition<Input> {
  name: string;
  roles: readonly Role[];
  run: (input: z.output<Input>, context: ToolContext) => unknown;
}

interface WriteDefinition<Input extends z.ZodType, Name extends Effect["type"]> extends Definition<Input> {
  name: Name;
  effect: (input: z.output<Input>, context: ToolContext) => EffectOf<Name> | Promise<EffectOf<Name>>;
}

/** The outcome of a valid call: an effect to stage, an answer, or the reason for a refusal. */
export type ToolOutcome = { effect: Effect } | { answer: unknown } | { refused: string };

export interface Tool {
  name: string;
  level: Level;
  keepsWithin: boolean;
  roles: readonly Role[];
  input: z.ZodType;
  shownTo: Partial<Record<Role, z.ZodType>>;
  shownWithPools?: Partial<Record<Role, z.ZodType>>;
  /** The part of the input that the role of `toolsOf` is shown. */
  shown: z.ZodType;
  /** Description and schema of a tool from outside, as a model is told them. */
  told?: { description: string; parameters: Readonly<Record<string, unknown>> };
  /** The call that is meant by a call of this tool, where that is one of another; null where the input says none. */
  forward?(input: unknown): { name: string; input: unknown } | null;
  /** The reach of the call, if it may have to ask the owner; null if it need not. May throw where a read fails. */
  wants?(input: unknown, context: ToolContext): Promise<CallReach | null>;
  /** `input` is what `tool.input` made of the caller's input. May throw where a read fails. */
  apply(input: unknown, context: ToolContext): Promise<ToolOutcome>;
}

export function tool<Input extends z.ZodType>(definition: ReadDefinition<Input>): Tool;
export function tool<Input extends z.ZodType, Name extends Effect["type"]>(
  definition: WriteDefinition<Input, Name>,
): Tool;
/** Defines a tool. One file each in tools/, one line each in tools/index.ts. */
export function tool<Input extends z.ZodType>(
  definition: ReadDefinition<Input> | WriteDefinition<Input, Effect["type"]>,
): Tool {
  const { wants } = definition;
  return {
    name: definition.name,
    level: definition.level,
    keepsWithin: definition.keepsWithin ?? false,
    roles: "roles" in definition ? definition.roles : EFFECT_ROLES[definition.name],
    input: definition.input,
    shownTo: definition.shownTo ?? {},
    ...(definition.shownWithPools !== undefined && { shownWithPools: definition.shownWithPools }),
    shown: definition.input,
    ...(wants !== undefined && {
      wants: (checked: unknown, context: ToolContext) => wants(checked as z.output<Input>, context),
    }),
    async apply(checked, context) {
      const input = checked as z.output<Input>;
      const refused = definition.refuse?.(input, context) ?? null;
      if (refused !== null) return { refused };
      if ("run" in definition) return { answer: await definition.run(input, context) };
      return { effect: await definition.effect(input, context) };
    },
  };
}
