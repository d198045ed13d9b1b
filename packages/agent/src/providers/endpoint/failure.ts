/** The meaning of an endpoint's refusal: for us, whether to try again or to send less; for its owner, what is wrong. */

import type { Cause } from "@mimikit/protocol/base/cause";
import { tryJson } from "@mimikit/protocol/base/json";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { z } from "zod";
import type { ModelFailure } from "../../kernel/model.ts";

const MESSAGE_CHARS_MAX = 500;

/** How OpenAI, Anthropic, Google, vLLM, llama.cpp, LM Studio, Ollama and their like say that a conversation is too long. */
const OVERFLOW = [
  /context[ _]length[ _]exceeded/i,
  /maximum context length/i,
  /context (length|window|size)/i,
  /exceeds? the available context/i,
  /(prompt|input|request) is too (long|large)/i,
  /too many tokens/i,
  /token count.{0,40}exceeds/i,
  /n_ctx/i,
];
/** llama.cpp said so with HTTP 500, too. */
const OVERFLOW_500 = /exceed_context_size_error/;
/** How a server says that its model takes in nothing but text, which llama.cpp calls an error of its own. */
const NO_SENSES = /(image|audio|vision|multi-?modal)\b.{0,60}\bnot support|mmproj/i;
/** No credit: waiting does not help. */
const NO_CREDIT =
  /insufficient[_ ](quota|balance|credits)|billing|credit balance|\b(of|any|available|more) credits\b|spending limit|key limit exceeded/i;
/** That it is a matter of time, whatever else is said: an account's billing page is named there too. */
const A_MATTER_OF_TIME = /"retryDelay"|rate_limit_exceeded|try again in \d/i;
/** How a key is refused with HTTP 400, as Google and xAI do. */
const BAD_KEY = /API[ _]key (not valid|not found|expired)|API_KEY_INVALID|(incorrect|invalid) API key/i;
/** How those say it who know no model of that name, or do not let this key have it. */
const NO_MODEL = [
  /\bmodel[_ ]not[_ ](found|exist|supported)/i,
  /\binvalid[_ ]model\b|\bnot a valid model\b|\bno models loaded\b|\bno endpoints found for\b|\bDeploymentNotFound\b/i,
  /\bmodel\b.{0,200}\b(does not exist|not found|no longer available|deprecated|decommissioned)/is,
  /\bnot have access to (this )?model\b/i,
  /\bmodels\/\S{1,200} is not found/i,
  /\bmodel identifier is invalid\b/i,
  /"message"\s*:\s*"model: /,
];
/** How they say that the model, or the server as it was started, knows nothing of tools. */
const NO_TOOLS = [
  /\bnot support(ed)?\b.{0,30}\b(tool|function call)/i,
  /\b(tool|function)[ _-]?(use|calls?|calling|choice)?`?s?\b.{0,30}\b(not|un)[ -]?(supported|enabled)/i,
  /\bsupport tool use\b|\bsupport the provided '?tool/i,
  /\btool[ _]choice requires\b|\btools param requires\b|\bunsupported param(eter)?: '?tools/i,
];
/** Whom a vendor keeps out, whatever the key. */
const KEPT_OUT = /moderation|flagged|territory|location is not supported/i;
/** How Google says how long to wait: in the body, `"retryDelay": "34.5s"`. */
const RETRY_DELAY = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/;
/** Statuses of an endpoint that may answer later, beside those from 500 on. */
const PASSING = [408, 409, 425, 429];

/** The shapes of an error: of most; of Mistral and vLLM; of Azure and FastAPI. */
const ErrorBody = z.union([
  z.object({ error: z.object({ message: z.string() }) }).transform(({ error }) => error.message),
  z.object({ error: z.string() }).transform(({ error }) => error),
  z.object({ message: z.string() }).transform(({ message }) => message),
  z.object({ detail: z.string() }).transform(({ detail }) => detail),
]);

type Meaning = Pick<ModelFailure, "kind" | "cause">;

const refused = (cause: Cause): Meaning => ({ kind: "refused", cause });
const TOO_LONG: Meaning = { kind: "overflow", cause: "window" };
const BUSY: Meaning = { kind: "unavailable", cause: "busy" };

/** @param retryAfter the header of that name. @param nowMs wall clock, for a Retry-After that is a date. @param host who says so. */
export function failureOf(
  status: number,
  body: string,
  retryAfter: string | null,
  nowMs: number,
  host: string,
): ModelFailure {
  const text = readWords(body);
  const message = beginningOf(`${host} says HTTP ${status}${text === "" ? "" : `: ${text}`}`, MESSAGE_CHARS_MAX);
  const failure: ModelFailure = { type: "failure", ...meaningOf(status, body), message };
  if (failure.kind !== "unavailable") return failure;
  const retryAfterMs = readRetryAfter(retryAfter ?? RETRY_DELAY.exec(body)?.[1] ?? null, nowMs);
  return { ...failure, ...(retryAfterMs !== null && { retryAfterMs }) };
}

function meaningOf(status: number, body: string): Meaning {
  const says = (patterns: readonly RegExp[]) => patterns.some((pattern) => pattern.test(body));
  if (status === 413 || OVERFLOW_500.test(body) || (status < 429 && says(OVERFLOW))) return TOO_LONG;
  if (status <= 500 && says(NO_TOOLS)) return refused("tools");
  if (status === 500 && NO_SENSES.test(body)) return refused("other");
  if (status === 402 || (status <= 429 && NO_CREDIT.test(body) && !A_MATTER_OF_TIME.test(body)))
    return refused("credit");
  if (status < 429 && BAD_KEY.test(body)) return refused("key");
  if (status === 404) return { kind: "not_found", cause: "model" };
  if (status < 429 && says(NO_MODEL)) return refused("model");
  if (status === 401 || status === 403) return refused(KEPT_OUT.test(body) ? "other" : "key");
  return PASSING.includes(status) || status >= 500 ? BUSY : refused("other");
}

/** An error inside an answer that began as a good one: only its words tell what it is. @param host who says so. */
export function failureInStream(error: unknown, host: string): ModelFailure {
  const body = JSON.stringify({ error });
  const message = beginningOf(`${host} broke off: ${readWords(body)}`, MESSAGE_CHARS_MAX);
  return { type: "failure", ...(OVERFLOW.some((pattern) => pattern.test(body)) ? TOO_LONG : BUSY), message };
}

/** The message for people, on one line; empty if it is only the page of a proxy. */
function readWords(body: string): string {
  const json = tryJson(body);
  const { data = body } = ErrorBody.safeParse(Array.isArray(json) ? json[0] : json);
  return data.trimStart().startsWith("<") ? "" : beginningOf(data.replace(/\s+/g, " ").trim(), MESSAGE_CHARS_MAX);
}

/** Seconds, or a date; null when it is neither. */
function readRetryAfter(header: string | null, nowMs: number): number | null {
  if (header === null || header.trim() === "") return null;
  const seconds = Number(header);
  const ms = Number.isNaN(seconds) ? Date.parse(header) - nowMs : seconds * 1_000;
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}
