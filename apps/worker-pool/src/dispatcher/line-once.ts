/** The usage line of an attempt on another machine: one, also where its outcome is taken again after a crash. */
import { priceOf } from "@mimikit/agent/run/reservation";
import { priced, type UsageLine } from "@mimikit/protocol/base/usage";
import type { Config } from "@mimikit/runtime/config/config";
import { isFree } from "@mimikit/runtime/config/providers";
import { hasLine } from "@mimikit/store/views/accounts";
import type { UsageLog } from "@mimikit/store/views/usage-log";
import { type Allotted, lineOf } from "../claim/allot.ts";
import type { AcceptedOutcome } from "./outcome.ts";

/** The clock may have been set by so much between two takings of one outcome: the line may be on the day before, or after. */
const SET_BACK_MS = 86_400_000;

/** @param at when it was claimed. @returns null where it is noted, or has nothing to say. Throws what the disk throws. */
export function lineOnce(
  candidate: Allotted,
  at: string,
  { outcome, isBegun, tools }: AcceptedOutcome,
  { usageLog, prices, nowMs }: { usageLog: UsageLog; prices: Config["prices"]; nowMs: number },
): UsageLine | null {
  const { task, attempt } = candidate;
  const fromAt = new Date(Math.min(Date.parse(at), nowMs) - SET_BACK_MS).toISOString();
  const toMs = Math.max(Date.parse(at), nowMs) + SET_BACK_MS;
  if (hasLine(usageLog, task.id, { role: task.role, attempt, ownerAlive: true, at: fromAt }, toMs)) return null;
  const usage = priced(outcome.usage, priceOf(outcome.model, prices));
  return lineOf(candidate, { outcome: { ...outcome, usage }, isBegun, isFree: isFree(outcome.provider), tools }, nowMs);
}
