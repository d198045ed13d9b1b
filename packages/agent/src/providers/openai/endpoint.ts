/** Where the model of a role is and how to talk to it. Light: whoever only shows who answers loads this too. */

import { PROVIDERS } from "@mimikit/protocol/base/provider";
import type { Role } from "@mimikit/protocol/base/role";
import type { Config } from "@mimikit/runtime/config/config";
import { keyOf, type Surroundings } from "@mimikit/runtime/config/providers";
import { capabilitiesOf, type Known } from "../../kernel/capabilities.ts";
import { effortOf, modelOf } from "../../provider.ts";
import { type Hints, hintsOf, type Place, RETRY_DELAYS_MS, TOKENS_MIN } from "../endpoint/place.ts";

/** OpenAI's own address, for those who only give a key. */
const DEFAULT_BASE_URL = "https://api.openai.com/v1";
/** What its owner must look at where it refuses. */
export const HINTS: Hints = hintsOf("openai");

export interface Endpoint extends Place {
  /** What a request may have, in tokens. */
  tokensMax: number;
  /** Whether the model can call tools, as most can; one that cannot writes action tags. */
  toolCalls?: boolean;
  /** What the settings say that it can do; the rest is found out when it matters. */
  configured?: Known;
}

export type ModelSettings = Pick<Config, "openai" | "model" | "models" | "effort" | "efforts">;

/** What must be set before `role` can have a model endpoint; null when nothing is missing. */
export function missingSetting(role: Role, config: ModelSettings, surroundings: Surroundings): string | null {
  if (modelOf(role, config) === undefined) return "a model: set MIMIKIT_MODEL";
  const isReachable = config.openai.baseUrl !== undefined || keyOf("openai", surroundings) !== undefined;
  const { key, baseUrlVariable } = PROVIDERS.openai;
  return isReachable ? null : `an address or a key: set ${baseUrlVariable} or ${key}`;
}

/** The endpoint of `role`; nothing may be missing. */
export function endpointOf(role: Role, config: ModelSettings, surroundings: Surroundings): Endpoint {
  const { baseUrl = DEFAULT_BASE_URL, firstByteSec, idleSec, ...configured } = config.openai;
  const apiKey = keyOf("openai", surroundings);
  const model = modelOf(role, config) ?? "";
  const effort = effortOf(role, config);
  const { contextWindow, reservedOutput, toolCalls } = capabilitiesOf(model, configured);
  return {
    baseUrl,
    model,
    tokensMax: Math.max(TOKENS_MIN, contextWindow - reservedOutput),
    toolCalls,
    configured,
    firstByteMs: firstByteSec * 1_000,
    idleMs: idleSec * 1_000,
    retryDelaysMs: RETRY_DELAYS_MS,
    ...(effort !== undefined && { effort }),
    ...(apiKey !== undefined && { apiKey }),
  };
}
