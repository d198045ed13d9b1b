/**
 * The capabilities of a model. The settings say so; where they do not, the endpoint is asked about what a table cannot
 * know for sure; then comes a table of well-known models, and last what most models have in common (SPEC I8).
 */
import type { Senses } from "../prompt/media.ts";

export interface Capabilities extends Senses {
  toolCalls: boolean;
  /** Tokens of the question and the answer together. */
  contextWindow: number;
  /** Tokens of the window that are kept free for an answer. */
  reservedOutput: number;
}

/** The facts that one source knows about a model. */
export type KnownCapabilities = { readonly [Name in keyof Capabilities]?: Capabilities[Name] | undefined };

const DEFAULTS: Capabilities = {
  toolCalls: true,
  vision: false,
  audio: false,
  contextWindow: 16_384,
  reservedOutput: 2_048,
};

/** The first that fits counts. Names are compared without the publisher before them and in lower case. */
const TABLE: readonly (readonly [RegExp, KnownCapabilities])[] = [
  [/^gpt-4o.*audio|^gpt-audio/, { audio: true, contextWindow: 128_000 }],
  [/^(chatgpt-4o|gpt-4o)/, { vision: true, contextWindow: 128_000 }],
  [/^gpt-4\.1/, { vision: true, contextWindow: 1_000_000 }],
  [/^gpt-5/, { vision: true, contextWindow: 272_000 }],
  [/^gpt-4-turbo/, { vision: true, contextWindow: 128_000 }],
  [/^(o1-mini|o1-preview|o3-mini)/, { contextWindow: 128_000 }],
  [/^o[134]\b/, { vision: true, contextWindow: 200_000 }],
  [/^claude-/, { vision: true, contextWindow: 200_000 }],
  [/^gemini-/, { vision: true, audio: true, contextWindow: 1_000_000 }],
  [/^gemma-?3n/, { vision: true, audio: true }],
  [/^gemma-?3(?!.*(270m|\b1b))/, { vision: true }],
  [/^(voxtral|ultravox)/, { audio: true }],
  [/^qwen.*omni/, { vision: true, audio: true }],
  [/^phi-?4-multimodal/, { vision: true, audio: true }],
  [/(\bvl\b|vl:|vision|llava|pixtral|minicpm-v|internvl|moondream|llama-?4)/, { vision: true }],
];

/**
 * Windows of families of models as their makers serve them, for an address that does not say how much it holds. A server of one's
 * own may hold less. The first that fits counts.
 */
const FAMILIES: readonly (readonly [RegExp, number])[] = [
  [/^moonshot-v1-8k/, 8_192],
  [/^moonshot-v1-32k/, 32_768],
  [/^(kimi|moonshot)/, 128_000],
  [/^deepseek/, 128_000],
  [/^glm-(4\.[6-9]|[5-9])/, 200_000],
  [/^glm-4/, 128_000],
  [/^qwen-?(max|plus|turbo|flash|long)|^qwen3-(max|coder|next)/, 128_000],
  [/^(qwen|qwq)/, 32_768],
  [/^grok-(4|code)/, 256_000],
  [/^grok/, 131_072],
  [/^minimax/, 200_000],
  [/^gpt-oss/, 131_072],
  [/^(meta-)?llama-?(3\.[1-9]|4)/, 128_000],
  [/^magistral/, 40_000],
  [/^(codestral|mixtral|open-)/, 32_000],
  [/^(mistral|ministral|devstral|pixtral|voxtral)/, 128_000],
  [/^gemma-?3(?!.*(270m|\b1b))/, 128_000],
  [/^command/, 128_000],
];

/** The window of a model's family; undefined where none is known. */
export function familyWindowOf(model: string): number | undefined {
  const name = bareNameOf(model);
  return FAMILIES.find(([pattern]) => pattern.test(name))?.[1];
}

function bareNameOf(model: string): string {
  return model.toLowerCase().replace(/^.*\//, "");
}

/** The table's facts about a model; nothing if it is not there. */
export function knownOf(model: string): KnownCapabilities {
  const name = bareNameOf(model);
  return TABLE.find(([pattern]) => pattern.test(name))?.[1] ?? {};
}

/** Each capability by the first source that knows it. @param sources beside the table, the best first. */
export function capabilitiesOf(model: string, ...sources: readonly KnownCapabilities[]): Capabilities {
  const all = [...sources, knownOf(model)];
  const known = <Name extends keyof Capabilities>(field: Name): Capabilities[Name] =>
    all.find((source) => source[field] !== undefined)?.[field] ?? DEFAULTS[field];
  return {
    toolCalls: known("toolCalls"),
    vision: known("vision"),
    audio: known("audio"),
    contextWindow: known("contextWindow"),
    reservedOutput: known("reservedOutput"),
  };
}
