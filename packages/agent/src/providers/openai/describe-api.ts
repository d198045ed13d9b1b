/** How a model is asked, and why, for those who show the providers. */
import { sentence } from "@mimikit/protocol/texts/coded";
import { readLearnt } from "../endpoint/learnt.ts";
import type { Api } from "./api.ts";
import { askedApi } from "./asked-api.ts";
import type { Endpoint } from "./endpoint.ts";

/** The parts of a request by the names that its vendor gives them. */
const NAMES: Record<string, string> = {
  stream: "stream",
  summary: "reasoning.summary",
  effort: "reasoning.effort",
  reasoning: "reasoning.encrypted_content",
  cacheKey: "prompt_cache_key",
  outputTokens: "max_output_tokens",
};

/** The API, and a line for each thing that its endpoint refused. */
export function describeApi(at: Pick<Endpoint, "api" | "baseUrl" | "model" | "home">): { api: Api; learnt: string[] } {
  const { api, noEffort = false, left = [], corrections = [] } = readLearnt(at);
  const isAuto = at.api === undefined || at.api === "auto";
  const names = left.map((part) => NAMES[part] ?? part).join(", ");
  return {
    api: askedApi(at),
    learnt: [
      ...(isAuto && api === "responses" ? [sentence("learnt_responses")] : []),
      ...(isAuto && api === "chat" ? [sentence("learnt_chat")] : []),
      ...(noEffort ? [sentence("learnt_no_effort")] : []),
      ...(names === "" ? [] : [sentence("learnt_left", { names })]),
      ...(corrections.length === 0 ? [] : [sentence("learnt_corrected", { names: corrections.join(", ") })]),
    ],
  };
}
