/** The meaning of an endpoint's refusal: for us, whether to try again or to send less; for its owner, what is wrong. */

import type { Cause } from "@mimikit/protocol/base/cause";
import { tryJson } from "@mimikit/protocol/base/json";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { z } from "zod";
import type { ModelFailure } from "../../kernel/model.ts";
import { waitOf } from "./wait.ts";

const MESSAGE_CHARS_MAX = 500;
const PARAM_CHARS_MAX = 100;

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
  /insufficient[_ ](user[_ ])?(quota|balance|credits|funds)|exceeded_current_quota|billing|credit balance|balance (is )?(insufficient|not enough)|\b(of|any|available|more) credits\b|spending limit|key limit exceeded|payment required|\bArrearage\b|余额不足|额度不足|欠费/i;
/** That it is a matter of time, whatever else is said: an account's billing page is named there too. */
const A_MATTER_OF_TIME = /"retryDelay"|rate_limit_exceeded|rate limit exceeded|X-RateLimit-Reset/i;
/** That a limit of use is reached, whatever the status is. */
const LIMIT_REACHED =
  /\b(usage|rate)[ _-]?limits?\b|too many requests|RESOURCE_EXHAUSTED|使用上限|请求过多|并发数过高/i;
/** That the server works, and that its model is not ready yet or has too much to do. */
const NOT_READY =
  /\boverloaded\b|\boverloaded_error\b|\bloading model\b|\bmodel\b.{0,200}\bis (currently )?(being )?load(ing|ed)\b/is;
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
/** Places that a vendor does not serve, whatever the key. */
const REGION =
  /\bterritory\b|unsupported_country|(location|region|country) is not supported|not available in your (country|region)/i;
/** A filter of the vendor that withholds what was asked or answered. */
const WITHHELD =
  /\bmoderation\b|\bflagged\b|content[_ ]filter|content management policy|ResponsibleAIPolicyViolation|content_policy_violation|data_inspection_failed|DataInspectionFailed|sensitive[_ ]words?|PROHIBITED_CONTENT|敏感/i;
/** The template of a model that cannot hold the request: llama.cpp and LM Studio call it an error of their own. */
const TEMPLATE = /\bjinja\b|\bchat template\b|roles must alternate|\bprompt template\b/i;
/** A parameter or a shape that the endpoint does not know. */
const BAD_REQUEST =
  /\binvalid_request_error\b|\b(unknown|unrecognized|unsupported) (request )?(parameter|argument|field)/i;
/** OpenAI refuses tools over one API and takes them over the other: that says nothing of what the model can do. */
const OTHER_API = /\bv1\/responses\b/;
/** Statuses of an endpoint that may answer later, beside those from 500 on. */
const PASSING = [408, 409, 425, 429];
const UNPAID = 402;
const LIMITED = 429;
const OVERLOADED = 529;

/** The statuses that stand for the names of errors: those of Anthropic, Google, OpenAI and vLLM. */
const STATUS_OF: Record<string, number> = {
  authentication_error: 401,
  invalid_api_key: 401,
  UNAUTHENTICATED: 401,
  AuthenticationError: 401,
  billing_error: UNPAID,
  permission_error: 403,
  PERMISSION_DENIED: 403,
  not_found_error: 404,
  model_not_found: 404,
  NOT_FOUND: 404,
  NotFoundError: 404,
  timeout_error: 408,
  DEADLINE_EXCEEDED: 408,
  request_too_large: 413,
  rate_limit_error: LIMITED,
  rate_limit_exceeded: LIMITED,
  rate_limit_reached_error: LIMITED,
  usage_limit_reached: LIMITED,
  RESOURCE_EXHAUSTED: LIMITED,
  RateLimitError: LIMITED,
  api_error: 500,
  server_error: 500,
  INTERNAL: 500,
  UNAVAILABLE: 503,
  overloaded_error: OVERLOADED,
  invalid_request_error: 400,
  unsupported_parameter: 400,
  unknown_parameter: 400,
  BadRequestError: 400,
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 400,
};
const STATUS_MIN = 400;
const STATUS_MAX = 599;

/** The shapes of an error: of most, where OpenRouter adds that of another vendor; of Mistral and vLLM; of Azure and FastAPI. */
const ErrorBody = z.union([
  z
    .object({
      error: z.object({ message: z.string(), metadata: z.object({ raw: z.string() }).optional().catch(undefined) }),
    })
    .transform(({ error: { message, metadata } }) =>
      [message, ...(metadata === undefined ? [] : [wordsIn(metadata.raw)])].join(": "),
    ),
  z.object({ error: z.string() }).transform(({ error }) => error),
  z.object({ message: z.string() }).transform(({ message }) => message),
  z.object({ detail: z.string() }).transform(({ detail }) => detail),
]);

/** OpenAI and its like name the parameter beside the words. */
const RefusedParam = z
  .object({ error: z.object({ param: z.string().max(PARAM_CHARS_MAX) }) })
  .transform(({ error }) => error.param);

type Meaning = Pick<ModelFailure, "kind" | "cause" | "waits" | "retryAfterMs">;

const refused = (cause: Cause): Meaning => ({ kind: "refused", cause });
const TOO_LONG: Meaning = { kind: "overflow", cause: "window" };
const BUSY: Meaning = { kind: "unavailable", cause: "busy" };
const BUSY_FOR_NOW: Meaning = { ...BUSY, waits: true };
const LIMIT: Meaning = { kind: "unavailable", cause: "limit", waits: true };

/** @param headers of the answer, for how long to wait. @param nowMs wall clock, for moments. @param host who says so. */
export function failureOf(
  status: number,
  body: string,
  headers: Headers | null,
  nowMs: number,
  host: string,
): ModelFailure {
  const text = readWords(body);
  const message = beginningOf(`${host} says HTTP ${status}${text === "" ? "" : `: ${text}`}`, MESSAGE_CHARS_MAX);
  const { data: param } = RefusedParam.safeParse(tryJson(body));
  const meaning = meaningOf(status, body, headers, nowMs);
  return { type: "failure", ...meaning, message, ...(param !== undefined && { param }) };
}

/**
 * An error inside an answer that began as a good one. It counts like the status that its code or its name stands for; without
 * any, its words tell.
 * @param host who says so.
 */
export function failureInStream(error: unknown, host: string, nowMs = Date.now()): ModelFailure {
  const body = JSON.stringify({ error });
  const message = beginningOf(`${host} broke off: ${readWords(body)}`, MESSAGE_CHARS_MAX);
  const status = statusIn(error);
  if (status !== null) return { type: "failure", ...meaningOf(status, body, null, nowMs), message };
  const meaning = meaningOf(LIMIT_REACHED.test(body) ? LIMITED : STATUS_MIN, body, null, nowMs);
  const isUnclear = meaning.cause === "request" && !TEMPLATE.test(body) && !BAD_REQUEST.test(body);
  return { type: "failure", ...(NOT_READY.test(body) ? BUSY_FOR_NOW : isUnclear ? BUSY : meaning), message };
}

/** A number in a field for codes, also as text, or the name of an error; null when there is none. */
function statusIn(error: unknown): number | null {
  if (typeof error !== "object" || error === null) return null;
  const fields = error as Record<string, unknown>;
  const said = [fields.code, fields.status, fields.status_code, fields.statusCode, fields.type].map(String);
  const numbers = said.map(Number).filter((status) => status >= STATUS_MIN && status <= STATUS_MAX);
  const named = said.flatMap((name) => STATUS_OF[name] ?? []);
  // A gateway calls anything an invalid request.
  return numbers[0] ?? named.find((status) => status !== STATUS_MIN) ?? named[0] ?? null;
}

function meaningOf(status: number, body: string, headers: Headers | null, nowMs: number): Meaning {
  const says = (patterns: readonly RegExp[]) => patterns.some((pattern) => pattern.test(body));
  if (status === 413 || OVERFLOW_500.test(body) || (status < LIMITED && says(OVERFLOW))) return TOO_LONG;
  if (status < LIMITED && OTHER_API.test(body)) return refused("other");
  if (status <= 500 && says(NO_TOOLS)) return refused("tools");
  if (status === 500 && NO_SENSES.test(body)) return refused("other");
  if (status <= 500 && TEMPLATE.test(body)) return refused("request");
  if (status === UNPAID || (status <= LIMITED && NO_CREDIT.test(body))) {
    // A limit whose error names an account's page, and OpenRouter's budget for requests in flight, pass by themselves.
    const waitMs = waitOf(headers, body, nowMs);
    const isPassing = status === UNPAID || waitOf(null, body, nowMs) !== null;
    if (isPassing && waitMs !== null) return { ...LIMIT, retryAfterMs: waitMs };
    if (status === UNPAID || !A_MATTER_OF_TIME.test(body)) return refused("credit");
  }
  const isPassing = PASSING.includes(status) || status >= 500;
  if (status === LIMITED || LIMIT_REACHED.test(body)) {
    const waitMs = waitOf(isPassing ? headers : null, body, nowMs, true);
    if (waitMs !== null) return { ...LIMIT, retryAfterMs: waitMs };
    if (isPassing) return BUSY_FOR_NOW;
  }
  if (isPassing) {
    const waitMs = waitOf(headers, body, nowMs);
    if (waitMs !== null) return { ...BUSY_FOR_NOW, retryAfterMs: waitMs };
    return status === OVERLOADED || NOT_READY.test(body) ? BUSY_FOR_NOW : BUSY;
  }
  if (BAD_KEY.test(body)) return refused("key");
  if (status === 404) return { kind: "not_found", cause: "model" };
  if (says(NO_MODEL)) return refused("model");
  if (WITHHELD.test(body)) return refused("withheld");
  if (REGION.test(body)) return refused("region");
  return refused(status === 401 || status === 403 ? "key" : "request");
}

/** The message for people, on one line; empty if it is only the page of a proxy. */
function readWords(body: string): string {
  const data = wordsIn(body);
  return data.trimStart().startsWith("<") ? "" : beginningOf(data.replace(/\s+/g, " ").trim(), MESSAGE_CHARS_MAX);
}

function wordsIn(body: string): string {
  const json = tryJson(body);
  const { data = body } = ErrorBody.safeParse(Array.isArray(json) ? json[0] : json);
  return data;
}
