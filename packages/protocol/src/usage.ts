/** What a run cost (SPEC N2). `inputTokens` includes `cachedTokens`. */
import { z } from "zod";

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
