/**
 * Which models an endpoint has, and what its list says of each. Endpoints say more or less, each in its own words: OpenRouter,
 * Mistral, vLLM, llama.cpp, LM Studio, LiteLLM, Anthropic and Google are understood.
 */

import { BadJson, parseJson } from "@mimikit/protocol/base/json";
import type { Price } from "@mimikit/protocol/base/usage";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { withoutKey } from "@mimikit/runtime/config/secrets";
import { proxyErrorIn } from "@mimikit/runtime/network/proxy-error";
import { z } from "zod";
import type { KnownCapabilities } from "../../kernel/capabilities.ts";

/** The three ways in which models are asked. */
export type WireName = "chat" | "anthropic" | "google";

export interface EndpointAddress {
  /** Up to and with its version: `https://api.openai.com/v1`. */
  baseUrl: string;
  apiKey?: string | undefined;
  /** The header that carries the key, where that is not the usual one of the wire. */
  keyHeader?: string | undefined;
}

export interface ListedModel extends KnownCapabilities {
  id: string;
  price?: Price;
}

/** Why there is no list. `status` is that of HTTP; without one there was no answer. */
export interface NoList {
  status?: number;
  /** The message is about the proxy, and names it. */
  isOfProxy?: true;
  /** A line for people, without the key. */
  message: string;
}

const BODY_BYTES_MAX = 8 * 1_048_576;
const LIST_MS_MAX = 10_000;
const MODELS_MAX = 2_000;
const ERROR_CHARS_MAX = 300;
const TOKENS_PRICED = 1_000_000;

const HEADERS: Record<WireName, (key: string) => Record<string, string>> = {
  chat: (key) => ({ authorization: `Bearer ${key}` }),
  anthropic: (key) => ({ "x-api-key": key, "anthropic-version": "2023-06-01" }),
  google: (key) => ({ "x-goog-api-key": key }),
};
const QUERY: Record<WireName, string> = { chat: "", anthropic: "?limit=1000", google: "?pageSize=1000" };

/** The models by their ids, in the order of the endpoint. Never throws for what an endpoint does. @param msMax for all of it. */
export async function listModels(
  wire: WireName,
  { baseUrl, apiKey, keyHeader }: EndpointAddress,
  signal: AbortSignal,
  msMax = LIST_MS_MAX,
): Promise<ListedModel[] | NoList> {
  const keyed = apiKey === undefined ? {} : keyHeader === undefined ? HEADERS[wire](apiKey) : { [keyHeader]: apiKey };
  try {
    const response = await fetch(`${baseUrl.replace(/(?<!\/)\/+$/, "")}/models${QUERY[wire]}`, {
      headers: { accept: "application/json", ...keyed },
      signal: AbortSignal.any([signal, AbortSignal.timeout(msMax)]),
      // Another address was not named, and must not get the key.
      redirect: "error",
    });
    const text = await readBounded(response);
    if (!response.ok) return { status: response.status, message: told(response.status, text, apiKey) };
    return modelsIn(text);
  } catch (error) {
    if (error instanceof BadJson) return { status: 200, message: `its list of models is no JSON: ${error.message}` };
    const ofProxy = proxyErrorIn(error);
    if (ofProxy !== null) return { message: ofProxy.message, isOfProxy: true };
    if (error instanceof TypeError || error instanceof DOMException) return { message: causeOf(error) };
    throw error;
  }
}

export function isList(answer: ListedModel[] | NoList): answer is ListedModel[] {
  return Array.isArray(answer);
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new BadJson(`longer than ${BODY_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function told(status: number, body: string, key: string | undefined): string {
  const line = body.trimStart().startsWith("<") ? "" : beginningOf(body.replace(/\s+/g, " ").trim(), ERROR_CHARS_MAX);
  const text = `HTTP ${status}${line === "" ? "" : `: ${line}`}`;
  return key === undefined ? text : withoutKey(text, key);
}

function causeOf(error: Error): string {
  if (error.name === "TimeoutError") return "no answer in time";
  const { cause } = error;
  return cause instanceof Error && cause.message !== "" ? cause.message : error.message;
}

const MaybeCount = z.number().int().positive().nullish().catch(null);
const Dollars = z.coerce.number().min(0);
const Listed = z.object({
  id: z.string().optional(),
  name: z.string().optional(),
  model: z.string().optional(),
  // Where the tokens of the window are said; `WINDOWS` names who says them there. An odd value costs the model nothing.
  loaded_context_length: MaybeCount,
  top_provider: z.object({ context_length: MaybeCount }).nullish().catch(null),
  context_length: MaybeCount,
  max_context_length: MaybeCount,
  max_model_len: MaybeCount,
  context_window: MaybeCount,
  max_input_tokens: MaybeCount,
  inputTokenLimit: MaybeCount,
  model_info: z.object({ max_input_tokens: MaybeCount }).nullish().catch(null),
  meta: z.object({ n_ctx: MaybeCount, n_ctx_train: MaybeCount }).nullish().catch(null),
  architecture: z.object({ input_modalities: z.array(z.string()).optional() }).nullish(),
  supported_parameters: z.array(z.string()).nullish(),
  supportedGenerationMethods: z.array(z.string()).nullish(),
  capabilities: z
    .union([
      z.array(z.string()),
      z.looseObject({
        vision: z.boolean().optional(),
        audio: z.boolean().optional(),
        function_calling: z.boolean().optional(),
      }),
    ])
    .nullish(),
  pricing: z.object({ prompt: Dollars, completion: Dollars, input_cache_read: Dollars.optional() }).nullish(),
});
type Listed = z.infer<typeof Listed>;

/** Where each server says how many tokens a model holds; a window that is in use counts before one that is possible. */
const WINDOWS: readonly (readonly [server: string, windowOf: (listed: Listed) => number | null | undefined])[] = [
  // https://lmstudio.ai/docs/developer/rest/endpoints (`/api/v0/models`; only of a loaded model)
  ["LM Studio, loaded", (each) => each.loaded_context_length],
  // https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
  ["llama.cpp, loaded", (each) => each.meta?.n_ctx],
  // https://openrouter.ai/docs/api-reference/list-available-models: the vendor that is asked may hold less
  ["OpenRouter, its first vendor", (each) => each.top_provider?.context_length],
  ["OpenRouter, Together", (each) => each.context_length],
  // https://docs.mistral.ai/api/#tag/models, https://lmstudio.ai/docs/developer/rest/endpoints
  ["Mistral, LM Studio", (each) => each.max_context_length],
  // https://docs.vllm.ai: `/v1/models`
  ["vLLM", (each) => each.max_model_len],
  // https://console.groq.com/docs/models
  ["Groq", (each) => each.context_window],
  // https://docs.claude.com/en/api/models-list
  ["Anthropic", (each) => each.max_input_tokens],
  // https://ai.google.dev/api/models
  ["Google", (each) => each.inputTokenLimit],
  // https://docs.litellm.ai: `/model/info`
  ["LiteLLM", (each) => each.model_info?.max_input_tokens],
  ["llama.cpp", (each) => each.meta?.n_ctx_train],
];
/** Together's list is no object. */
const Body = z.union([
  z.array(z.unknown()).transform((data) => ({ data, models: undefined })),
  z.object({ data: z.array(z.unknown()).optional(), models: z.array(z.unknown()).optional() }),
]);

/** @throws BadJson */
function modelsIn(text: string): ListedModel[] {
  const { data = [], models = [] } = Body.safeParse(parseJson(text, { bytes: BODY_BYTES_MAX, depth: 16 })).data ?? {};
  const listed = [...data, ...models].flatMap((each) => Listed.safeParse(each).data ?? []);
  // llama.cpp names a model in both lists, and tells its window in the first alone.
  const byId = new Map<string, Listed>();
  for (const each of listed) byId.set(idOf(each), { ...each, ...withoutGaps(byId.get(idOf(each))) });
  return [...byId]
    .filter(([id, { supportedGenerationMethods: ways }]) => id !== "" && (ways?.includes("generateContent") ?? true))
    .slice(0, MODELS_MAX)
    .map(([id, each]) => ({ id, ...knownOf(each) }));
}

function withoutGaps(listed: Listed | undefined): Listed {
  return Object.fromEntries(Object.entries(listed ?? {}).filter(([, value]) => value != null));
}

/** Google's names are paths. */
function idOf({ id, name, model }: Listed): string {
  return (id ?? model ?? name ?? "").replace(/^models\//, "");
}

function knownOf(each: Listed): Omit<ListedModel, "id"> {
  const { pricing, supported_parameters: parameters } = each;
  const contextWindow = WINDOWS.map(([, windowOf]) => windowOf(each)).find((tokens) => tokens != null) ?? undefined;
  const price = pricing && {
    input: pricing.prompt * TOKENS_PRICED,
    cached: (pricing.input_cache_read ?? pricing.prompt) * TOKENS_PRICED,
    output: pricing.completion * TOKENS_PRICED,
  };
  const toolCalls = has(each, ["tools", "tool_use", "function_calling"]) ?? parameters?.includes("tools");
  const known = {
    contextWindow,
    toolCalls,
    vision: has(each, ["image", "vision", "multimodal"]),
    audio: has(each, ["audio"]),
    price: price ?? undefined,
  };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
}

/** undefined where it does not say. */
function has({ architecture, capabilities }: Listed, words: readonly string[]): boolean | undefined {
  const modalities = architecture?.input_modalities;
  if (modalities?.some((each) => words.includes(each))) return true;
  // A list of capabilities is not always complete: only what is in it is known.
  if (Array.isArray(capabilities)) return capabilities.some((each) => words.includes(each)) ? true : undefined;
  const named = words.map((word) => capabilities?.[word]).find((value) => typeof value === "boolean");
  return typeof named === "boolean" ? named : modalities !== undefined && !words.includes("tools") ? false : undefined;
}
