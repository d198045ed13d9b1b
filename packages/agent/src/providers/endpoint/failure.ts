/** What an endpoint's refusal means for us: whether to try again, to send less, or to tell the owner. */
import { BadJson, parseJson } from "@mimikit/protocol/base/json";
import { z } from "zod";
import type { ModelFailure } from "../../kernel/model.ts";
import type { Hints } from "./place.ts";

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
/** How a server says that its model takes in nothing but text, which llama.cpp calls an error of its own. */
const NO_SENSES = /(image|audio|vision|multi-?modal)\b.{0,60}\bnot support|mmproj/i;
/** No credit: waiting does not help. */
const NO_CREDIT = /insufficient_quota|billing/i;
/** How Google says it, with HTTP 400. */
const BAD_KEY = /API key not valid|API_KEY_INVALID/i;
/** How Google says how long to wait: in the body, `"retryDelay": "34.5s"`. */
const RETRY_DELAY = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/;

const ErrorBody = z.object({
  error: z.union([
    z.string(),
    z.object({ message: z.string(), code: z.unknown().optional(), type: z.unknown().optional() }),
  ]),
});

/** @param retryAfter the header of that name. @param nowMs wall clock, for a Retry-After that is a date. */
export function failureOf(
  status: number,
  body: string,
  retryAfter: string | null,
  nowMs: number,
  hints: Hints,
): ModelFailure {
  const { text, all } = readError(body);
  const delayInBody = RETRY_DELAY.exec(all)?.[1];
  const message = `HTTP ${status}${text === "" ? "" : `: ${text}`}`;
  const failure = (kind: ModelFailure["kind"], hint = ""): ModelFailure => ({
    type: "failure",
    kind,
    message: `the model endpoint says ${message}${hint}`.slice(0, MESSAGE_CHARS_MAX),
  });
  if (status === 401 || status === 403 || (status === 400 && BAD_KEY.test(all)))
    return failure("refused", ` (check ${hints.key}; a new one counts after mimikit restart)`);
  if (status === 404) return failure("not_found", ` (check ${hints.address} and MIMIKIT_MODEL)`);
  if (status === 413 || (status < 500 && status !== 429 && OVERFLOW.some((pattern) => pattern.test(all))))
    return failure("overflow");
  if (status === 429 && NO_CREDIT.test(all) && delayInBody === undefined) return failure("refused");
  if (status === 500 && NO_SENSES.test(all)) return failure("refused");
  if (status === 408 || status === 409 || status === 425 || status === 429 || status >= 500) {
    const retryAfterMs = readRetryAfter(retryAfter ?? delayInBody ?? null, nowMs);
    return { ...failure("unavailable"), ...(retryAfterMs !== null && { retryAfterMs }) };
  }
  return failure("refused");
}

/** An error inside an answer that began as a good one: only its words tell what it is. */
export function failureInStream(error: unknown): ModelFailure {
  const body = JSON.stringify({ error });
  const { text, all } = readError(body);
  const kind = OVERFLOW.some((pattern) => pattern.test(all)) ? "overflow" : "unavailable";
  return { type: "failure", kind, message: `the model endpoint broke off: ${text}`.slice(0, MESSAGE_CHARS_MAX) };
}

/** The words for people, and everything that was said, for the patterns. */
function readError(body: string): { text: string; all: string } {
  const line = (text: string) => text.replace(/\s+/g, " ").trim().slice(0, MESSAGE_CHARS_MAX);
  try {
    const checked = ErrorBody.safeParse(parseJson(body));
    if (!checked.success) return { text: line(body), all: body };
    const { error } = checked.data;
    return { text: line(typeof error === "string" ? error : error.message), all: body };
  } catch (error) {
    if (!(error instanceof BadJson)) throw error;
    // An HTML page of a proxy says nothing to people.
    return { text: body.trimStart().startsWith("<") ? "" : line(body), all: body };
  }
}

/** Seconds, or a date; null when it is neither. */
function readRetryAfter(header: string | null, nowMs: number): number | null {
  if (header === null || header.trim() === "") return null;
  const seconds = Number(header);
  const ms = Number.isNaN(seconds) ? Date.parse(header) - nowMs : seconds * 1_000;
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}
