/** Where a model is, and how long it may take: what every wire needs to know of an endpoint. */
import type { ProviderId } from "@mimikit/protocol/base/provider";
import { factsOf, keyNamesOf } from "@mimikit/runtime/config/providers";
import type { Effort } from "@mimikit/runtime/config/schema";

/** Between tries, where the endpoint does not say how long. */
export const RETRY_DELAYS_MS = [500, 1_000, 2_000, 4_000];
/** A smaller window than this cannot hold the rules of a role. */
export const TOKENS_MIN = 1_024;

export interface Place {
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

/** What is said where nobody has named a model. */
export function missingModel(id: ProviderId): string {
  return `a model: run  mimikit connect ${id}  or set ${id}.model`;
}

/** What the owner must look at where an endpoint refuses the key, or knows nothing under its address. */
export interface Hints {
  key: string;
  address: string;
}

export function hintsOf(id: ProviderId): Hints {
  return { key: keyNamesOf(id).join(" or ") || "its key", address: factsOf(id).baseUrlVariable ?? `${id}.baseUrl` };
}
