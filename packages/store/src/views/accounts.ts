/** The budgets at one moment, from what is on disk: usage/ says what is spent, running/ what is reserved (SPEC N2). */
import {
  type Account,
  addSpending,
  isLimited,
  type Limits,
  NO_SPENDING,
  periodOf,
  reservedBy,
  SCOPES,
} from "@mimikit/core/base/budget";
import type { Attempt } from "@mimikit/core/base/snapshot";
import type { Mirror } from "../mirror/mirror.ts";
import type { UsageBook } from "./usage-book.ts";

/**
 * One account for each period that the settings limit; where they limit none, nothing is read. Call after
 * `mirror.refresh()`. Throws what the disk throws.
 */
export function accountsAt(limits: Limits, book: UsageBook, mirror: Mirror, nowMs: number): Account[] {
  const scopes = SCOPES.filter((scope) => isLimited(limits[scope]));
  if (scopes.length === 0) return [];
  const { results, ledger } = mirror;
  const isSettled = (id: string, attempt: Attempt) =>
    results.has(id) || ledger.has(id) || hasLine(book, id, attempt, nowMs);
  const reserved = reservedBy(mirror.unaccounted, isSettled);
  return scopes.map((scope) => {
    const { name: period, days, resumesAt } = periodOf(scope, nowMs);
    const spent = days.map((day) => book.readDay(day).spent).reduce(addSpending, NO_SPENDING);
    return { scope, period, limit: limits[scope], spent, reserved, resumesAt };
  });
}

/** Has an attempt said what it cost? */
export function hasLine(book: UsageBook, id: string, { attempt, at }: Attempt, nowMs: number): boolean {
  const fromMs = at === undefined ? nowMs : Date.parse(at);
  return book.readSince(fromMs, nowMs).some((day) => day.hasAttempt(id, attempt));
}
