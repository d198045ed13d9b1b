/** Where a model is, and how long it may take: what every wire needs to know of an endpoint. */

import type { ProviderId } from "@mimikit/protocol/base/provider";
import { sentence } from "@mimikit/protocol/texts/coded";
import type { Effort } from "@mimikit/runtime/config/schema";

/** Between tries, where the endpoint does not say how long. */
export const RETRY_DELAYS_MS = [500, 1_000, 2_000, 4_000];
/** A smaller window than this cannot hold the rules of a role. */
export const TOKENS_MIN = 1_024;

/** Of a window, the answer may have no more. */
const OUTPUT_SHARE_MAX = 0.5;

/** The largest request and the largest answer, in tokens, that a window holds together. */
export function shareWindow(
  contextWindow: number,
  reservedOutput: number,
): { tokensMax: number; outputTokensMax: number } {
  const outputTokensMax = Math.min(reservedOutput, Math.floor(contextWindow * OUTPUT_SHARE_MAX));
  return { tokensMax: Math.max(TOKENS_MIN, contextWindow - outputTokensMax), outputTokensMax };
}

export interface ModelEndpoint {
  baseUrl: string;
  apiKey?: string;
  model: string;
  /** How long it may take to begin an answer, and to go on with one. */
  firstByteMs: number;
  idleMs: number;
  /** How long to wait before each further try, in ms; as many tries as there are entries. */
  retryDelaysMs: readonly number[];
  /** How much the model shall think; its own default when not given. */
  effort?: Effort;
  /** The header that carries the key, where that is not the usual one of the wire. */
  keyHeader?: string;
  /** It refuses fields that its own documentation does not have. */
  isStrict?: boolean;
}

/** The message if no model was named. */
export function missingModel(id: ProviderId): string {
  return sentence("lacks_model", { provider: id });
}

/** As people are told it: the name and the port of who is asked. */
export function hostOf({ baseUrl }: Pick<ModelEndpoint, "baseUrl">): string {
  return new URL(baseUrl).host;
}
