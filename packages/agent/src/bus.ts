/**
 * The Tool Bus: the only gate between a role and the world. It checks that the role may use the tool, validates the
 * input, answers reads at once and stages writes as effects (SPEC G).
 */
import { EFFECTS_MAX, type Effect } from "@mimikit/protocol/effect";
import { childId } from "@mimikit/protocol/id";
import { describeIssues } from "@mimikit/protocol/json";
import type { Task } from "@mimikit/protocol/task";
import type { Reads, Tool } from "./tool.ts";

export type ToolAnswer =
  | { ok: true; data: unknown }
  | { ok: false; code: "not_allowed" | "unknown_tool" | "bad_input" | "failed"; message: string };

export interface ToolBus {
  /** Never throws. A staged write answers `{id}`: the id that its record will have. */
  call(tool: string, input: unknown): Promise<ToolAnswer>;
  /** What has been staged so far, in order; effect k of task T becomes `T.k`. */
  readonly effects: readonly Effect[];
}

/** The bus of one run of `task`. A second `reply` takes the place of the first: a turn has one reply, and the last wins. */
export function createToolBus({ task, tools, reads }: { task: Task; tools: readonly Tool[]; reads: Reads }): ToolBus {
  const effects: Effect[] = [];

  function stage(effect: Effect): ToolAnswer {
    const earlierReply = effect.type === "reply" ? effects.findIndex((each) => each.type === "reply") : -1;
    const k = earlierReply < 0 ? effects.length : earlierReply;
    // The last place is the reply's: a turn that did a lot can still speak.
    const room = effect.type === "reply" ? EFFECTS_MAX : EFFECTS_MAX - 1;
    if (k >= room) return refusal("not_allowed", `at most ${room} changes in one run`);
    effects[k] = effect;
    return { ok: true, data: { id: childId(task.id, k) } };
  }

  return {
    effects,
    async call(name, input) {
      const tool = tools.find((each) => each.name === name);
      const allowed = tools.filter((each) => each.roles.includes(task.role)).map((each) => each.name);
      const choice = `the ${task.role} has: ${allowed.join(", ") || "no tools"}`;
      if (tool === undefined) return refusal("unknown_tool", `there is no tool "${name}"; ${choice}`);
      if (!allowed.includes(name)) return refusal("not_allowed", `"${name}" is not for the ${task.role}; ${choice}`);
      try {
        const checked = tool.input.safeParse(input);
        if (!checked.success) return refusal("bad_input", describeIssues(checked.error));
        const outcome = await tool.apply(checked.data, { task, reads, effects });
        if ("refused" in outcome) return refusal("not_allowed", outcome.refused);
        return "effect" in outcome ? stage(outcome.effect) : { ok: true, data: outcome.answer };
      } catch (error) {
        // The caller may be a model: it is told, and decides what to do about it.
        return refusal("failed", error instanceof Error ? error.message : String(error));
      }
    },
  };
}

function refusal(code: Extract<ToolAnswer, { ok: false }>["code"], message: string): ToolAnswer {
  return { ok: false, code, message };
}
