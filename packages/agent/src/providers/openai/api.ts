/** The two ways in which OpenAI's models are asked, and which of them an endpoint wants. Light: showing the providers loads this too. */
import type { ModelApi } from "@mimikit/protocol/base/provider";
import type { ModelFailure } from "../../kernel/model.ts";

export type Api = ModelApi;

const OTHER: Record<Api, Api> = { chat: "responses", responses: "chat" };

/** OpenAI's own hosts, with those of a region. */
const OPENAI = /^(\w+\.)?api\.openai\.com$/;
/** Azure's resources; Responses is a part of their v1 alone. */
const AZURE = /\.(openai\.azure\.com|services\.ai\.azure\.com|cognitiveservices\.azure\.com)$/;
const AZURE_V1 = /^\/openai\/v1(\/|$)/;

/** OpenAI's models with ears, and those made for a search, know Chat Completions alone. */
const CHAT_ONLY = /audio|search-(preview|api)|^o1-mini/;

/** Is this OpenAI's own API, at their hosts or at Azure's? */
export function isOpenai(baseUrl: string): boolean {
  if (!URL.canParse(baseUrl)) return false;
  const { hostname, pathname } = new URL(baseUrl);
  return OPENAI.test(hostname) || (AZURE.test(hostname) && AZURE_V1.test(pathname));
}

/** The API that an address is asked over before anything is known of it. */
export function apiByAddress(baseUrl: string, model: string): Api {
  return isOpenai(baseUrl) && !CHAT_ONLY.test(model) ? "responses" : "chat";
}

/** How a refusal names the API that is to be asked instead. */
const DEMANDS: Record<Api, RegExp> = {
  responses: /\bv1\/responses\b|\bresponses api\b|\bnot a chat model\b/i,
  chat: /\bchat\/completions\b|\bchat completions\b|\bresponses operation does not work\b/i,
};
/** There is nothing at this path. */
const NO_PATH = / says HTTP (404|405|501)\b/;
/** The words for it of OpenAI, Azure, FastAPI, Go, Express, Fastify, llama.cpp and LM Studio; a proxy has a page, which is not told. */
const PATH_WORDS =
  /HTTP \d{3}$|not found|cannot post|invalid url|not allowed|not implemented|nothing here|\b(no|un\w+) (such )?(url|path|route|endpoint|method)\b/i;
/** A missing model is told with the same status, and so is a conversation that is too long, by some. */
const OTHER_WORDS = /\b(model|deployment|engine|conversation|context)\b/i;

/** The API that an endpoint may answer over instead, by its refusal over `api`; null where that would change nothing. */
export function otherApi(api: Api, { kind, message }: ModelFailure): Api | null {
  const other = OTHER[api];
  if (kind === "aborted" || kind === "overflow") return null;
  const isMissing = NO_PATH.test(message) && PATH_WORDS.test(message) && !OTHER_WORDS.test(message);
  return isMissing || (kind !== "unavailable" && DEMANDS[other].test(message)) ? other : null;
}

/** OpenAI on Chat Completions: "Function tools with reasoning_effort are not supported … or set reasoning_effort to 'none'." */
const WANTS_NO_EFFORT = /reasoning_?effort\b.{0,300}\bnone\b/is;

/** Does the endpoint take tools only from a model that does not reason? */
export function wantsNoEffort({ kind, message }: ModelFailure): boolean {
  return kind === "refused" && WANTS_NO_EFFORT.test(message);
}
