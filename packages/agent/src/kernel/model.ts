/**
 * The one seam between the kernel and a model endpoint: a conversation goes in, one answer comes out. `ask` never
 * throws: a failure is its last event.
 */
import type { Cause } from "@mimikit/protocol/base/cause";
import type { Usage } from "@mimikit/protocol/base/usage";
import type { Media } from "../prompt/media.ts";

export interface ToolCall {
  /** As the endpoint sends it: perhaps empty or repeated. The kernel makes it unique in the session. */
  id: string;
  name: string;
  /** JSON as the model wrote it; not checked yet. */
  arguments: string;
  /** Why it cannot be made, where that was clear when it was read. */
  problem?: string | undefined;
  vendor?: VendorData | undefined;
}

/** Data that a vendor wants back as it came, by the vendor's name: signatures. No other code reads it. */
export type VendorData = Record<string, Record<string, string>>;

/** The model's thoughts before it spoke or called. It is never speech. */
export interface Thought {
  /** Empty where the vendor keeps it to itself and gives out a signature alone. */
  text: string;
  vendor?: VendorData | undefined;
}

/** A message that the model is shown. Every call of an assistant's message is answered by a tool's message after it. */
export type KernelMessage =
  | { role: "system"; content: string }
  /** `isQuestion`: what stands before it is sent again in later runs, and it is not. */
  | { role: "user"; content: string; media?: readonly Media[]; isQuestion?: true }
  /** `thoughts` stand only before calls: there some vendors demand them back, word for word. */
  | { role: "assistant"; content: string; calls: ToolCall[]; thoughts?: readonly Thought[] | undefined }
  | ToolMessage;

/** How a call ended. A shortened answer keeps the tool, the id and the artifact. */
export interface ToolMessage {
  role: "tool";
  callId: string;
  tool: string;
  content: string;
  /** Why there is no answer, as a code: `failed` is the tool's own; `cut_off` may have run; all others were not run. */
  error?: string | undefined;
  /** The file that holds all of a content that is shortened. */
  artifact?: string | undefined;
}

export interface ToolDefinition {
  name: string;
  description?: string;
  /** JSON Schema of the input. */
  parameters: Record<string, unknown>;
}

export interface ModelRequest {
  messages: readonly KernelMessage[];
  tools: readonly ToolDefinition[];
  /** False: the model may only speak. Its tools stay what they were, for the endpoint's cache. */
  mayCall: boolean;
  /** Requests with the same key begin alike, for endpoints that keep a cache by such a key; none if not given. */
  cacheKey?: string;
}

/** The last event of an answer that came to its end. */
export interface ModelAnswer {
  type: "answer";
  text: string;
  calls: ToolCall[];
  /** A thought within the text that came to no end: perhaps meant to be said. */
  unended?: string;
  thoughts?: readonly Thought[];
  /** Why the model or a filter stopped after `text`: words of the model, or the finish reason. */
  withheld?: string;
  /** It stopped at the output limit: its calls may be torn and are not executed. */
  isTruncated: boolean;
  usage: Usage;
}

/**
 * The last event of an answer that did not. `unavailable`: the endpoint may do it later (429, 5xx, reset, silence);
 * `not_found`: HTTP 404; `overflow`: the conversation is too long for the model; `refused`: it will never do it as
 * things are (no key, an unknown model, no credit); `aborted`: we stopped it.
 */
export interface ModelFailure {
  type: "failure";
  kind: "unavailable" | "not_found" | "overflow" | "refused" | "aborted";
  /** The cause of the failure; missing if we stopped it. */
  cause?: Cause;
  /** One line for people, without secrets. */
  message: string;
  /** The host that was asked, with its port. */
  host?: string;
  /** Models that are there, where the one that was asked is not. */
  names?: readonly string[];
  /** The part of the request that is refused, as its vendor calls it: `reasoning.effort`. */
  param?: string;
  /** There is no connection at all: no host, no route, no listener. */
  isOutage?: boolean;
  /** How long the endpoint asks to be left alone, in ms. */
  retryAfterMs?: number;
  /** The endpoint works and answers later by itself: a rate limit, an overload, a model that is being loaded. */
  waits?: boolean;
  /** For an overflow: the estimated tokens that a request may have there, if known. */
  tokensMax?: number;
}

/** How people are told of a model that ended in nothing. */
export const NO_ANSWER = "the model ended without an answer";

/** A piece of the text or of a thought as it comes, or that a failed try is followed by another. */
export type ModelEvent =
  | { type: "delta"; text: string }
  | { type: "thought"; text: string }
  | { type: "retry"; retry: number; message: string }
  | ModelAnswer
  | ModelFailure;

export interface Model {
  ask(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}
