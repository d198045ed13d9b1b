/** The recent cost of one firing of a trigger, with everything that followed: tasks, plans, and the turns that reported it. */
import { addSpending, NO_SPENDING, type Spending } from "@mimikit/core/base/budget";
import type { Trigger } from "@mimikit/protocol/records/trigger";
import { TASK_DAYS_MAX, type UsageLog } from "./usage-log.ts";

const DAY_MS = 86_400_000;

/**
 * The mean over the firings that the trigger still remembers, as far as usage/ goes back; null where nothing has been
 * noted of them. A turn that told of other things as well counts for none. Throws what the disk throws.
 */
export function meanCost(
  { id, recent }: Pick<Trigger, "id" | "recent">,
  usageLog: UsageLog,
  nowMs: number,
): Spending | null {
  const oldestMs = nowMs - (TASK_DAYS_MAX - 1) * DAY_MS;
  const firings = recent
    .flatMap((past) => (past.outcome === "fired" ? [Date.parse(past.at)] : []))
    .filter((ms) => ms >= oldestMs);
  const fromMs = Math.min(...firings);
  if (firings.length === 0) return null;
  const costs = usageLog
    .readSince(fromMs, nowMs)
    .flatMap((day) => day.costsOf(id))
    .filter(({ atMs }) => atMs >= fromMs);
  if (costs.length === 0) return null;
  const { tokens, costUsd } = costs.map(({ spent }) => spent).reduce(addSpending, NO_SPENDING);
  return { tokens: Math.round(tokens / firings.length), costUsd: costUsd / firings.length };
}
