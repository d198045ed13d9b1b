/** The budgets at one moment, from what is on disk: usage/ says what is spent, running/ what is reserved (SPEC N2). */
import {
  type Account,
  addSpending,
  isLimited,
  NO_SPENDING,
  periodOf,
  reservedBy,
  SCOPES,
  type SpendingLimits,
} from "@mimikit/core/base/budget";
import type { AttemptFacts } from "@mimikit/core/base/snapshot";
import type { StateCache } from "../state-cache/state-cache.ts";
import type { UsageLog } from "./usage-log.ts";

/**
 * One account for each period that the settings limit; where they limit none, nothing is read. Call after
 * `cache.refresh()`. Throws what the disk throws.
 */
export function accountsAt(limits: SpendingLimits, usageLog: UsageLog, cache: StateCache, nowMs: number): Account[] {
  const scopes = SCOPES.filter((scope) => isLimited(limits[scope]));
  if (scopes.length === 0) return [];
  const { results, archiveIndex } = cache;
  const isSettled = (id: string, attempt: AttemptFacts) =>
    results.has(id) || archiveIndex.has(id) || hasLine(usageLog, id, attempt, nowMs);
  const reserved = reservedBy(cache.unaccounted, isSettled);
  return scopes.map((scope) => {
    const { name: period, days, resumesAt } = periodOf(scope, nowMs);
    const spent = days.map((day) => usageLog.readDay(day).spent).reduce(addSpending, NO_SPENDING);
    return { scope, period, limit: limits[scope], spent, reserved, resumesAt };
  });
}

/** Has an attempt said what it cost? */
export function hasLine(usageLog: UsageLog, id: string, { attempt, at }: AttemptFacts, nowMs: number): boolean {
  const fromMs = at === undefined ? nowMs : Date.parse(at);
  return usageLog.readSince(fromMs, nowMs).some((day) => day.hasAttempt(id, attempt));
}
