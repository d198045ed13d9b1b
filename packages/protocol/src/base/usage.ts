/** The cost of a run (SPEC N2). `inputTokens` includes `cachedTokens`. */
import { z } from "zod";
import { Id } from "./id.ts";
import { Role } from "./role.ts";

export const Usage = z.object({
  inputTokens: z.number().int().nonnegative(),
  cachedTokens: z.number().int().nonnegative(),
  outputTokens: z.number().int().nonnegative(),
  costUsd: z.number().nonnegative(),
});
export type Usage = z.infer<typeof Usage>;

export const NO_USAGE: Usage = { inputTokens: 0, cachedTokens: 0, outputTokens: 0, costUsd: 0 };

/** The sum of two usages, field by field. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    costUsd: a.costUsd + b.costUsd,
  };
}

const DOLLARS_MAX = 1_000_000;
const Dollars = z.number().min(0).max(DOLLARS_MAX);
/** US dollars for a million tokens. */
export const Price = z.strictObject({ input: Dollars, cached: Dollars, output: Dollars });
export type Price = z.infer<typeof Price>;

const PRICED_TOKENS = 1_000_000;

/** The usage with its cost by `price`, unless the provider has told the cost itself. */
export function priced(usage: Usage, price: Price | undefined): Usage {
  if (price === undefined || usage.costUsd > 0) return usage;
  const { inputTokens, cachedTokens, outputTokens } = usage;
  const fresh = Math.max(0, inputTokens - cachedTokens);
  const cost = fresh * price.input + cachedTokens * price.cached + outputTokens * price.output;
  return { ...usage, costUsd: cost / PRICED_TOKENS };
}

/** The calls of one tool (SPEC I9). */
export const ToolCount = z.object({
  calls: z.number().int().nonnegative(),
  failed: z.number().int().nonnegative(),
  /** How long they took in all, in milliseconds. */
  ms: z.number().nonnegative(),
});
export type ToolCount = z.infer<typeof ToolCount>;

/** The sum of two counts, field by field. */
export function addToolCount(a: ToolCount, b: ToolCount): ToolCount {
  return { calls: a.calls + b.calls, failed: a.failed + b.failed, ms: a.ms + b.ms };
}

/**
 * A line of `usage/YYYY-MM-DD.jsonl`: one attempt that cost something, called a tool or had a reservation. Task and attempt are its id, so
 * that a line which stands there twice counts once.
 */
export const UsageLine = Usage.extend({
  at: z.iso.datetime(),
  taskId: Id,
  attempt: z.number().int().positive(),
  role: Role,
  provider: z.string(),
  model: z.string().optional(),
  /** The trigger that the work came from. */
  triggerId: Id.optional(),
  tools: z.record(z.string(), ToolCount).optional(),
  /** It was cut off before it could say what it cost: this is what was reserved for it. */
  isEstimate: z.literal(true).optional(),
});
export type UsageLine = z.infer<typeof UsageLine>;

/** The day of a moment as the server's calendar has it, `2026-11-22`: the name of its file, and what "today" means. */
export function dayOf(ms: number): string {
  const date = new Date(ms);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
