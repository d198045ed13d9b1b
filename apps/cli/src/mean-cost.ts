/** What one firing of a trigger has cost lately, with all the work that came of it. */
import type { Spending } from "@mimikit/core/budget";
import type { Standing } from "@mimikit/protocol/trigger";
import type { Mirror } from "@mimikit/store/mirror";

/** The tasks below an occurrence are named after it. */
const BELOW = /(\.\d+)+$/;

/**
 * The mean over the firings that the trigger still remembers; null where the work of none has ended. What the Teller
 * answers costs its turn, and is not counted here.
 */
export async function meanCost({ recent }: Standing, { ledger, results }: Mirror): Promise<Spending | null> {
  const firings = new Set(recent.flatMap((past) => (past.outcome === "fired" ? [past.id] : [])));
  if (firings.size === 0) return null;
  const names = [...ledger.names(), ...results.keys()];
  const ended = new Set<string>();
  const sum: Spending = { tokens: 0, costUsd: 0 };
  for (const id of new Set(names.filter((name) => firings.has(name.replace(BELOW, ""))))) {
    const result = results.get(id) ?? (await ledger.readResult(id));
    if (result === null) continue;
    ended.add(id.replace(BELOW, ""));
    sum.tokens += result.usage.inputTokens + result.usage.outputTokens;
    sum.costUsd += result.usage.costUsd;
  }
  if (ended.size === 0) return null;
  return { tokens: Math.round(sum.tokens / ended.size), costUsd: sum.costUsd / ended.size };
}
