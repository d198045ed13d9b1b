/** The usage line of an attempt on another machine: one, also where its outcome is taken again after a crash. */
import { priceOf } from "@mimikit/agent/run/reservation";
import { priced, type UsageLine } from "@mimikit/protocol/base/usage";
import type { Config } from "@mimikit/runtime/config/config";
import { isFree } from "@mimikit/runtime/config/providers";
import { hasLine } from "@mimikit/store/views/accounts";
import type { UsageBook } from "@mimikit/store/views/usage-book";
import { type Allotted, lineOf } from "../claim/allot.ts";
import type { Accepted } from "./outcome.ts";

/** @param at when it was claimed. @returns null where it is noted, or has nothing to say. Throws what the disk throws. */
export function lineOnce(
  candidate: Allotted,
  at: string,
  { outcome, isBegun, tools }: Accepted,
  { book, prices, nowMs }: { book: UsageBook; prices: Config["prices"]; nowMs: number },
): UsageLine | null {
  const { task, attempt } = candidate;
  if (hasLine(book, task.id, { role: task.role, attempt, ownerAlive: true, at }, nowMs)) return null;
  const usage = priced(outcome.usage, priceOf(outcome.model, prices));
  return lineOf(candidate, { outcome: { ...outcome, usage }, isBegun, isFree: isFree(outcome.provider), tools }, nowMs);
}
