/**
 * Decides about the calls of one answer, before any of them is made. Every call is answered: one that is not executed is
 * told why, because a call that stays open makes strict endpoints refuse the whole conversation.
 */
import { BadJson, parseJson, tryJson } from "@mimikit/protocol/base/json";
import { EFFECTS_MAX } from "@mimikit/protocol/records/effect";
import type { RunLimits } from "./limits.ts";
import type { ModelAnswer, ToolCall } from "./model.ts";

/** Calls of one answer that are kept, made or not: as many as a plan has room for. More are dropped, unanswered. */
export const CALLS_KEPT_MAX = EFFECTS_MAX;

export type PlannedCall =
  | { call: ToolCall; input: unknown }
  /** `isLeftOut`: nothing is wrong with it, but that there were too many before it in the same answer. */
  | { call: ToolCall; refused: string; isLeftOut?: true };

/** @param made how many calls the run has made before this answer. */
export function planRound(
  answer: Pick<ModelAnswer, "calls" | "isTruncated">,
  made: number,
  limits: RunLimits,
): PlannedCall[] {
  return answer.calls.slice(0, CALLS_KEPT_MAX).map((call, i): PlannedCall => {
    const refused = (why: string) => ({ call, refused: `not executed: ${why}` });
    if (call.problem !== undefined) return refused(call.problem);
    if (answer.isTruncated) return refused("your answer was cut off at its length limit; send less at once");
    if (i >= limits.callsPerRound)
      return {
        ...refused(`at most ${limits.callsPerRound} calls in one answer; make it again if it is still needed`),
        isLeftOut: true,
      };
    if (made + i >= limits.callsTotal) return refused(`at most ${limits.callsTotal} calls in one run`);
    try {
      return { call, input: readArguments(call) };
    } catch (error) {
      if (!(error instanceof BadJson)) throw error;
      return refused(`the arguments are ${error.message}`);
    }
  });
}

/** A call as it is shown to the model again. Endpoints that parse what they are sent choke on torn JSON. */
export function replayable(call: ToolCall): ToolCall {
  const isWhole = call.arguments.trim() === "" || tryJson(call.arguments) !== undefined;
  return isWhole ? call : { ...call, arguments: "{}" };
}

/** Some endpoints send no text at all for a call without arguments. */
function readArguments(call: ToolCall): unknown {
  return call.arguments.trim() === "" ? {} : parseJson(call.arguments);
}
