/**
 * The Tool Bus: the only gate between a role and the world. Is the tool for the role, is its level one of the role's and
 * not above what the skill in use declares, is the input valid: only then it runs. Reads are answered at once, writes are
 * staged as effects (SPEC G, I7).
 */

import { childId } from "@mimikit/protocol/base/id";
import { isAbove, type Level, type SkillRef } from "@mimikit/protocol/base/skill";
import { EFFECTS_MAX, type Effect } from "@mimikit/protocol/records/effect";
import { SHOWN_BYTES_MAX, SHOWN_CHARS_MAX, SHOWN_MAX, type ShownMemory } from "@mimikit/protocol/records/shown-memory";
import { isTurn, type Task } from "@mimikit/protocol/records/task";
import { describeIssues } from "@mimikit/protocol/texts/issues";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import type { CallReach, Gate } from "./approval/gate.ts";
import { definitionOf } from "./roles/index.ts";
import type { External } from "./tools/external.ts";
import type { ReadContext, Tool, ToolContext } from "./tools/tool.ts";
import { ToolText } from "./tools/tool-text.ts";

/** Names come from models, and may be anything. */
const NAME_CHARS_MAX = 200;
/** The message for the model about a call that waits. */
const ASKED =
  "not made: the owner is asked first, and you go on when there is an answer. End here, without a result and without another call";

export type ToolAnswer =
  | { ok: true; data: unknown }
  | { ok: false; code: "not_allowed" | "unknown_tool" | "bad_input" | "failed" | "needs_approval"; message: string };

/** One call as the audit log tells it: which, how it ended, how long it took (SPEC I9). Never what was said or answered. */
export interface ToolCallRecord {
  tool: string;
  /** The id that the model gave the call, or a number of our own. */
  requestId: string;
  ok: boolean;
  errorCode?: string;
  durationMs: number;
  /** Where the whole output is, when the answer holds a part of it. */
  artifact?: string;
}

/** The facts about a call beside its input. */
export interface CallOrigin {
  requestId?: string;
  /** How long it took where it was made, when that was not here. */
  durationMs?: number;
}

export interface ToolBus {
  /** Never throws. A staged write answers `{id}`: the id that its record will have. */
  call(tool: string, input: unknown, origin?: CallOrigin): Promise<ToolAnswer>;
  /** The run uses this skill from now on: what is above its level is refused, whatever the skill itself says. */
  use(skill: SkillRef): void;
  /** The effects staged so far, in order; effect k of task T becomes `T.k`. */
  readonly effects: readonly Effect[];
  /** The model is shown this of memory, in its prompt or as an answer; shown twice, it counts once. */
  show(memory: readonly ShownMemory[]): void;
  /** The memories that it was shown so far, as far as they are kept. */
  readonly shown: readonly ShownMemory[];
}

export interface BusOptions {
  task: Task;
  tools: readonly Tool[];
  /** Tools that may become more during the run. */
  external?: External | undefined;
  reads: ReadContext;
  /** The gate that asks the owner; without one, nothing asks. */
  gate?: Gate | undefined;
  /** Hears of every call when it has ended. */
  onCall: (call: ToolCallRecord) => void;
}

/** The bus of one run of `task`. A second `reply` takes the place of the first: a turn has one reply, and the last wins. */
export function createToolBus({ task, tools: own, external, reads, gate, onCall }: BusOptions): ToolBus {
  const allTools = () => [...own, ...(external?.tools ?? [])];
  const effects: Effect[] = [];
  const shown: ShownMemory[] = [];
  let calls = 0;
  /** Of the skills in use, the one that allows least. */
  let limit: SkillRef | undefined;

  function use(skill: SkillRef): void {
    if (skill.level === undefined) return;
    if (limit?.level === undefined || isAbove(limit.level, skill.level)) limit = skill;
  }

  if (task.skill !== undefined) use(task.skill);

  function show(memory: readonly ShownMemory[]): void {
    for (const { text, ...rest } of memory) {
      const each = { ...rest, text: beginningOf(text, SHOWN_CHARS_MAX).toWellFormed() };
      const isKnown = shown.some((one) => isSame(one, each));
      if (isKnown || shown.length >= SHOWN_MAX) continue;
      if (Buffer.byteLength(JSON.stringify([...shown, each])) <= SHOWN_BYTES_MAX) shown.push(each);
    }
  }

  function stage(effect: Effect): ToolAnswer {
    const earlierReply = effect.type === "reply" ? effects.findIndex((each) => each.type === "reply") : -1;
    const k = earlierReply < 0 ? effects.length : earlierReply;
    // The last place is the reply's: a turn that did a lot can still speak. A plan has no reply.
    const room = effect.type === "reply" || !isTurn(task) ? EFFECTS_MAX : EFFECTS_MAX - 1;
    if (k >= room) return refusal("not_allowed", `at most ${room} changes in one run: end, and say what is left out`);
    effects[k] = effect;
    return { ok: true, data: { id: childId(task.id, k) } };
  }

  async function answer(name: string, input: unknown): Promise<ToolAnswer> {
    const tools = allTools();
    const tool = tools.find((each) => each.name === name);
    const allowed = tools.filter((each) => each.roles.includes(task.role)).map((each) => each.name);
    const choice = `the ${task.role} has: ${allowed.join(", ") || "no tools"}`;
    if (tool === undefined) return refusal("unknown_tool", `there is no tool "${name}"; ${choice}`);
    if (!allowed.includes(name)) return refusal("not_allowed", `"${name}" is not for the ${task.role}; ${choice}`);
    if (!definitionOf(task).levels.includes(tool.level))
      return refusal("not_allowed", `"${name}" is ${tool.level}, which the ${task.role} may not do`);
    if (limit?.level !== undefined && isAbove(tool.level, limit.level) && !tool.keepsWithin)
      return refusal("not_allowed", aboveSkill(name, tool.level, limit));
    try {
      const given = tool.input.safeParse(input);
      // Strict modes and small models fill in every field.
      const filled = given.success ? given : tool.input.safeParse(withoutEmpty(input));
      const checked = filled.success ? filled : given;
      if (!checked.success) return refusal("bad_input", describeIssues(checked.error));
      const scene = { task, reads, effects, use, show, limit: limit?.level };
      const wanted = gate === undefined ? null : await wantedOf(tool, checked.data, scene);
      if (wanted !== null && gate !== undefined) {
        const judged = await gate.judge(name, checked.data, wanted);
        if (judged !== "allowed")
          return "refused" in judged ? refusal("not_allowed", judged.refused) : refusal("needs_approval", ASKED);
      }
      const outcome = await tool.apply(checked.data, { ...scene, place: wanted?.place });
      if ("refused" in outcome) return refusal("not_allowed", outcome.refused);
      return "effect" in outcome ? stage(outcome.effect) : { ok: true, data: outcome.answer };
    } catch (error) {
      // The caller may be a model: it is told, and decides what to do about it.
      return refusal("failed", error instanceof Error ? error.message : String(error));
    }
  }

  return {
    effects,
    use,
    shown,
    show,
    async call(asked, given, origin = {}) {
      const meant = allTools()
        .find((each) => each.name === asked)
        ?.forward?.(given);
      const { name, input } = meant ?? { name: asked, input: given };
      const startMs = performance.now();
      const requestId = origin.requestId ?? String(++calls);
      const answered = await answer(name, input);
      const text = answered.ok ? ToolText.safeParse(answered.data).data : undefined;
      onCall({
        tool: beginningOf(name, NAME_CHARS_MAX),
        requestId: beginningOf(requestId, NAME_CHARS_MAX),
        ok: answered.ok,
        durationMs: Math.round(origin.durationMs ?? performance.now() - startMs),
        ...(!answered.ok && { errorCode: answered.code }),
        ...(text?.artifact !== undefined && { artifact: text.artifact }),
      });
      return answered;
    },
  };
}

/** A call without the fields that hold null or an empty text. */
function withoutEmpty(input: unknown): unknown {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return input;
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null && value !== ""));
}

function isSame(a: ShownMemory, b: ShownMemory): boolean {
  return a.source === b.source && a.message === b.message && a.text === b.text;
}

/** A tool from outside asks by its level: nothing else is known of what it does. */
async function wantedOf(tool: Tool, input: unknown, context: ToolContext): Promise<CallReach | null> {
  if (tool.wants !== undefined) return tool.wants(input, context);
  if (tool.told === undefined || !isAbove(tool.level, "local-write")) return null;
  return { reaches: ["level"], shown: JSON.stringify(input, null, 1) };
}

function aboveSkill(name: string, level: Level, skill: SkillRef): string {
  return `"${name}" is ${level}, and the skill "${skill.name}" that is in use declares ${skill.level}: nothing above that runs, whatever the skill says. Go on without it, or say what could not be done`;
}

function refusal(code: Extract<ToolAnswer, { ok: false }>["code"], message: string): ToolAnswer {
  return { ok: false, code, message };
}
