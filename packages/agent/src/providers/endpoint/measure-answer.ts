/** Checks and measures an answer, whatever wire it came over: its bounds, its price in tokens. */
import { NO_USAGE, type Usage } from "@mimikit/protocol/base/usage";
import { measure } from "../../kernel/budget.ts";
import type { ModelRequest } from "../../kernel/model.ts";
import { estimateTokens } from "../../prompt/tokens.ts";

/** A longer answer (text, thoughts and calls) is cut here, and counts as truncated. */
export const ANSWER_CHARS_MAX = 2 * 1_048_576;
/** How people are told of an answer without its end. */
export const BROKE_OFF = "the model broke off in the middle of an answer";
/** More calls than this in one answer are not read. */
export const CALLS_MAX = 128;

/** The token counts of an endpoint, as far as it gave them. */
export interface Counted {
  input?: number | null | undefined;
  cached?: number | null | undefined;
  output?: number | null | undefined;
}

/** The usage of an answer, estimated where the endpoint does not count. @param written all that the model wrote. */
export function usageOf({ input, cached, output }: Counted, request: ModelRequest, written: string): Usage {
  const tools = request.mayCall ? request.tools : [];
  const inputTokens = input ?? measure(request.messages, tools);
  return {
    ...NO_USAGE,
    inputTokens,
    cachedTokens: Math.min(inputTokens, cached ?? 0),
    outputTokens: output ?? estimateTokens(written),
  };
}
