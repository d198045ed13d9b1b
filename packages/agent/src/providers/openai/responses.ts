/**
 * OpenAI's Responses, by a library that is loaded with the first request. Nothing is stored there: what the model thought goes
 * back, encrypted, with the calls that came of it. Models and servers differ in what they take beside the conversation; an
 * optional part that is refused is left out from then on.
 */
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { KernelMessage, Model, ModelFailure, ModelRequest, Thought } from "../../kernel/model.ts";
import { sdkModel, type VendorWire } from "../ai-sdk/sdk-model.ts";
import { isOpenai } from "./api.ts";
import { keyHeaderOf } from "./chat-completions.ts";
import { completed } from "./complete-events.ts";
import type { Endpoint } from "./endpoint.ts";

type Options = NonNullable<LanguageModelV4CallOptions["providerOptions"]>[string];

/** Parts of a request that can be left out, and how they are refused. */
const OPTIONAL = {
  /** Streams of some models, and summaries of thoughts, are for organizations that are verified. */
  stream: /\bto stream this model\b|['"`]stream['"`]/i,
  summary: /reasoning[._ ]summar/i,
  effort: /reasoning[._ ]effort/i,
  /** A model that does not reason. */
  reasoning:
    /encrypted[_ ]content is not supported|reasoning\.encrypted_content|['"`](reasoning(\.\w{1,40})?|include)['"`]/i,
  cacheKey: /prompt_cache_key/i,
  outputTokens: /max_output_tokens/i,
} as const;
export type OptionalPart = keyof typeof OPTIONAL;

/** The endpoint cannot read a thought that comes from elsewhere, from another key or another model. */
const UNREADABLE_THOUGHT = /encrypted.{0,3}content|\b(reasoning|function_call)\b.{0,40}\brequired\b|\brs_\w{1,200}/i;

/** Thoughts that were refused: they stay in the session, and are not sent again. */
const unreadable = new WeakSet<readonly Thought[]>();

/** @param left the parts that were refused before. @param onRefused is told of another one, when there is an answer without it. */
export function responsesModel(
  endpoint: Endpoint,
  left: ReadonlySet<string> = new Set(),
  onRefused: (part: OptionalPart) => void = () => undefined,
): Model {
  return {
    async *ask(request, signal) {
      const without = new Set(left);
      const refusedNow: OptionalPart[] = [];
      for (;;) {
        const asked = { ...request, messages: request.messages.map(withoutUnreadable) };
        let failure: ModelFailure | null = null;
        for await (const event of modelWithout(endpoint, without).ask(asked, signal)) {
          if (event.type === "answer") refusedNow.forEach(onRefused);
          if (event.type === "failure") failure = event;
          else yield event;
        }
        if (failure === null) return;
        const refused = refusedPart(failure, without, asked, endpoint.effort);
        if (refused === null) return yield failure;
        if (refused === "thoughts") for (const thoughts of asked.messages.flatMap(thoughtsOf)) unreadable.add(thoughts);
        else {
          without.add(refused);
          refusedNow.push(refused);
        }
        yield { type: "retry", retry: 1, message: failure.message };
      }
    },
  };
}

/** The refused part of a request that may be answered without it. */
function refusedPart(
  { kind, message, param = "" }: ModelFailure,
  without: ReadonlySet<string>,
  { messages }: ModelRequest,
  effort: Endpoint["effort"],
): OptionalPart | "thoughts" | null {
  if (kind !== "refused" && kind !== "not_found") return null;
  if (messages.flatMap(thoughtsOf).length > 0 && UNREADABLE_THOUGHT.test(message)) return "thoughts";
  if (kind !== "refused") return null;
  const parts = Object.keys(OPTIONAL) as OptionalPart[];
  const isSent = (part: OptionalPart) => !without.has(part) && (part !== "effort" || effort !== undefined);
  return parts.find((part) => isSent(part) && OPTIONAL[part].test(`${message} '${param}'`)) ?? null;
}

function thoughtsOf(message: KernelMessage): (readonly Thought[])[] {
  return message.role === "assistant" && message.thoughts !== undefined ? [message.thoughts] : [];
}

function withoutUnreadable(message: KernelMessage): KernelMessage {
  if (message.role !== "assistant" || message.thoughts === undefined || !unreadable.has(message.thoughts))
    return message;
  const { thoughts: _, ...rest } = message;
  return rest;
}

function modelWithout(endpoint: Endpoint, without: ReadonlySet<string>): Model {
  const { effort, ...place } = endpoint;
  const isEffortLeft = without.has("effort") || without.has("reasoning");
  return sdkModel({ ...place, ...(effort !== undefined && !isEffortLeft && { effort }) }, (request) =>
    wireOf(endpoint, request, without),
  );
}

function wireOf(endpoint: Endpoint, { cacheKey }: ModelRequest, without: ReadonlySet<string>): VendorWire {
  const { baseUrl, model, outputTokensMax } = endpoint;
  const reasons = reasonsBy(model) && !without.has("reasoning");
  const openai: Options = {
    store: false,
    forceReasoning: reasons,
    // The name of the role for the rules is one that only OpenAI's own servers take for certain.
    ...(!isOpenai(baseUrl) && { systemMessageMode: "system" }),
    ...(reasons && { include: ["reasoning.encrypted_content"] }),
    reasoningSummary: reasons && !without.has("summary") && endpoint.effort !== "none" ? "auto" : null,
    ...(cacheKey !== undefined && !without.has("cacheKey") && { promptCacheKey: cacheKey }),
  };
  return {
    options: { openai },
    marksErrors: false,
    ...(outputTokensMax !== undefined && !without.has("outputTokens") && { outputTokensMax }),
    connect: async (fetch) => {
      const { OpenAIResponsesLanguageModel } = await import("../ai-sdk/library/openai.ts");
      return new OpenAIResponsesLanguageModel(model, {
        provider: "openai.responses",
        url: ({ path }) => `${baseUrl.replace(/(?<!\/)\/+$/, "")}${path}`,
        headers: () => keyHeaderOf(endpoint),
        fetch: async (input, init) => completed(await fetch(input, without.has("stream") ? inOnePiece(init) : init)),
        explicitMessageItemType: true,
      });
    },
  };
}

/** The library asks for a stream alone, and reads an answer in one piece as one. */
function inOnePiece(init: RequestInit | undefined): RequestInit {
  const { body } = init ?? {};
  return { ...init, body: JSON.stringify({ ...JSON.parse(String(body)), stream: false }) };
}

/** OpenAI's models that do not reason refuse to be asked for it. Of any other name, as a deployment of Azure has, it is found out. */
const PLAIN = /^(chatgpt|gpt-(3|4)|gpt-5(\.\d+)?-chat)/;

function reasonsBy(model: string): boolean {
  return !PLAIN.test(model.toLowerCase().replace(/^.*\//, ""));
}
