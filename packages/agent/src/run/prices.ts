/**
 * Token prices of well-known models, in US dollars per million, as their vendors' pages said on the day below. A model
 * that is not here has no price; `prices` in the settings goes before this table. A vendor that asks more at some hours
 * or from some day on is here with what it asks at most; what it asks more for long prompts is not here.
 */
import type { Price } from "@mimikit/protocol/base/usage";

/** The day on which the prices were looked up. */
export const PRICES_OF = "2026-11-23";

type Row = readonly [names: string, input: number, cached: number, output: number];

/** Anthropic: platform.claude.com/docs/en/about-claude/pricing. Tokens written to the cache count as input. */
const ANTHROPIC: readonly Row[] = [
  ["claude-fable-5-1", 10, 0.25, 50],
  ["claude-fable-5", 10, 1, 50],
  ["claude-opus-5-5", 4, 0.2, 20],
  ["claude-opus-5 claude-opus-4-8 claude-opus-4-7 claude-opus-4-6 claude-opus-4-5", 5, 0.5, 25],
  ["claude-opus-4-1 claude-opus-4", 15, 1.5, 75],
  ["claude-sonnet-5-5", 2, 0.1, 10],
  ["claude-sonnet-5", 2, 0.2, 10],
  ["claude-sonnet-4-6 claude-sonnet-4-5 claude-sonnet-4 claude-3-7-sonnet", 3, 0.3, 15],
  ["claude-haiku-4-5", 1, 0.1, 5],
  ["claude-3-5-haiku", 0.8, 0.08, 4],
];

/** Google: ai.google.dev/gemini-api/docs/pricing, the paid tier. */
const GOOGLE: readonly Row[] = [
  ["gemini-3-8-flash", 1.5, 0.15, 7.5],
  ["gemini-3-5-flash", 1.5, 0.15, 9],
  ["gemini-3-5-flash-lite", 0.3, 0.03, 2.5],
  ["gemini-3-1-pro", 2, 0.2, 12],
  ["gemini-3-1-flash-lite", 0.25, 0.025, 1.5],
  ["gemini-3-flash", 0.5, 0.05, 3],
  ["gemini-2-5-pro", 1.25, 0.125, 10],
  ["gemini-2-5-flash", 0.3, 0.03, 2.5],
  ["gemini-2-5-flash-lite", 0.1, 0.01, 0.4],
];

/** OpenAI: developers.openai.com/api/docs/pricing. */
const OPENAI: readonly Row[] = [
  ["gpt-6-1-sol", 2, 0.1, 10],
  ["gpt-5-5", 5, 0.5, 30],
  ["gpt-5-4", 2.5, 0.25, 15],
  ["gpt-5-4-mini", 0.75, 0.075, 4.5],
  ["gpt-5 gpt-5-1", 1.25, 0.125, 10],
  ["gpt-5-mini", 0.25, 0.025, 2],
  ["gpt-5-nano", 0.05, 0.005, 0.4],
  ["gpt-4-1", 2, 0.5, 8],
  ["gpt-4-1-mini", 0.4, 0.1, 1.6],
  ["gpt-4-1-nano", 0.1, 0.025, 0.4],
  ["gpt-4o", 2.5, 1.25, 10],
  ["gpt-4o-mini", 0.15, 0.075, 0.6],
  ["o3", 2, 0.5, 8],
  ["o4-mini", 1.1, 0.275, 4.4],
];

/** DeepSeek: api-docs.deepseek.com/quick_start/pricing. */
const DEEPSEEK: readonly Row[] = [
  ["deepseek-flash", 0.3, 0.006, 1.2],
  ["deepseek-v4-pro", 1.32, 0.044, 3.96],
];

const TABLE: ReadonlyMap<string, Price> = new Map(
  [...ANTHROPIC, ...GOOGLE, ...OPENAI, ...DEEPSEEK].flatMap(([names, input, cached, output]) =>
    names.split(" ").map((name) => [name, { input, cached, output }] as const),
  ),
);

/** Suffixes of a name that mean the same model, four at most: a day, a build number, `latest`, `preview`. */
const EDITION = /(?:-(?:preview|latest|exp|\d{8}|\d{4}-\d{2}-\d{2}|\d{2}-\d{2,4}|\d{3})){1,4}$/;

/** The price of a model by its name there, with its publisher or without; undefined where the table does not know it. */
export function knownPrice(model: string): Price | undefined {
  const name = model.toLowerCase().replace(/^.*\//, "").replaceAll(".", "-");
  return TABLE.get(name) ?? TABLE.get(name.replace(EDITION, ""));
}
