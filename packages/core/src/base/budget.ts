/**
 * Spending limits, and whether they are reached (SPEC N2). A budget is used up when what is spent has reached its limit.
 * Until then one run may always begin, and others beside it as far as what all of them reserve fits into what is left:
 * so a limit is passed by one run at most, and one that is smaller than any reservation still lets work through, one
 * after the other.
 */

import { dayOf, type Usage } from "@mimikit/protocol/base/usage";
import type { BudgetState } from "@mimikit/protocol/wire/api";
import { type AttemptFacts, isUnaccounted } from "./snapshot.ts";

export interface Spending {
  tokens: number;
  costUsd: number;
}

export const NO_SPENDING: Spending = { tokens: 0, costUsd: 0 };

/** The spending limits; a missing one is not limited. */
export interface Limit {
  tokens?: number | undefined;
  costUsd?: number | undefined;
}

const MEASURES = ["tokens", "costUsd"] as const;

export const SCOPES = ["day", "month"] as const;
export type Scope = (typeof SCOPES)[number];
export type SpendingLimits = Record<Scope, Limit>;

/** One budget at one moment. */
export interface Account {
  scope: Scope;
  /** Which day or month, by the server's calendar: `2026-11-22`, `2026-11`. */
  period: string;
  limit: Limit;
  spent: Spending;
  /** Reserved for runs that have not reported their cost. */
  reserved: Spending;
  /** When the next one begins, ISO 8601. */
  resumesAt: string;
}

/** A budget that is used up. */
export type Ceiling = Account;

/** The spending of a usage. Cached tokens are among those that went in. */
export function spendingOf({ inputTokens, outputTokens, costUsd }: Usage): Spending {
  return { tokens: inputTokens + outputTokens, costUsd };
}

export function addSpending(a: Spending, b: Spending): Spending {
  return { tokens: a.tokens + b.tokens, costUsd: a.costUsd + b.costUsd };
}

/** Does it limit anything? */
export function isLimited(limit: Limit): boolean {
  return MEASURES.some((measure) => limit[measure] !== undefined);
}

/** The first measure in which all that may be spent is spent; null while there is something left. */
export function usedUp(limit: Limit, spent: Spending): (typeof MEASURES)[number] | null {
  return MEASURES.find((measure) => spent[measure] >= (limit[measure] ?? Number.POSITIVE_INFINITY)) ?? null;
}

/** Is there room for a run that reserves this much, beside those that run already? */
export function hasRoom({ limit, spent, reserved }: Account, reservation: Spending): boolean {
  if (usedUp(limit, spent) !== null) return false;
  return MEASURES.every((measure) => {
    const most = limit[measure];
    if (most === undefined || reserved[measure] === 0) return true;
    return spent[measure] + reserved[measure] + reservation[measure] <= most;
  });
}

/** The budget that holds work back: of several that are used up, the one that lasts longest. */
export function ceilingOf(accounts: readonly Account[]): Ceiling | null {
  const reached = accounts.filter(({ limit, spent }) => usedUp(limit, spent) !== null);
  return reached.find(({ scope }) => scope === "month") ?? reached[0] ?? null;
}

/** The budgets as the API tells them: null where the settings set no limit. */
export function budgetStates(accounts: readonly Account[]): Record<Scope, BudgetState | null> {
  const stateOf = (wanted: Scope): BudgetState | null => {
    const account = accounts.find(({ scope }) => scope === wanted);
    if (account === undefined) return null;
    const { limit, spent, reserved, resumesAt } = account;
    return { limit, spent, reserved, isReached: usedUp(limit, spent) !== null, resumesAt };
  };
  return { day: stateOf("day"), month: stateOf("month") };
}

/** The spending reserved by attempts that have begun and not ended. @param isSettled says of those that have said what they cost. */
export function reservedBy(
  attempts: ReadonlyMap<string, readonly AttemptFacts[]>,
  isSettled: (id: string, attempt: AttemptFacts) => boolean,
): Spending {
  let total = NO_SPENDING;
  for (const [id, each] of attempts)
    for (const attempt of each)
      if (isUnaccounted(attempt) && attempt.reserved !== undefined && !isSettled(id, attempt))
        total = addSpending(total, attempt.reserved);
  return total;
}

/** Why no more may be spent on a task; null while it may. @param limit that of one task. */
export function overrun(limit: Limit, spent: Spending): string | null {
  const measure = usedUp(limit, spent);
  if (measure === null) return null;
  return `its budget is used up: it has taken ${share(measure, spent, limit)}`;
}

/** `12,345 of 12,000 tokens` or `$1.25 of $1.00`, for people. */
export function share(measure: (typeof MEASURES)[number], part: Limit, of: Limit): string {
  return `${amount(measure, part).replace(/ .*/, "")} of ${amount(measure, of)}`;
}

/** Dollars below this are told to a hundredth of a cent: `$0.00 of $0.00` says nothing. */
const SMALL_USD = 0.1;

/** `12,000 tokens` or `$1.25`, for people. */
export function amount(measure: (typeof MEASURES)[number], { tokens = 0, costUsd = 0 }: Limit): string {
  if (measure === "tokens") return `${tokens.toLocaleString("en-US")} tokens`;
  return `$${costUsd.toFixed(costUsd > 0 && costUsd < SMALL_USD ? 4 : 2)}`;
}

/** A day or a month of the server's calendar: its name, its days up to now, and when the next one begins. */
export interface BudgetPeriod {
  name: string;
  /** Days that usage is noted under, `2026-11-22`, oldest first. */
  days: string[];
  resumesAt: string;
}

/**
 * The period that a moment is in. It ends at the first moment of the next day or month, wherever daylight saving has put
 * that.
 */
export function periodOf(scope: Scope, nowMs: number): BudgetPeriod {
  const now = new Date(nowMs);
  const [year, month, date] = [now.getFullYear(), now.getMonth(), now.getDate()];
  const today = dayOf(nowMs);
  if (scope === "day") return { name: today, days: [today], resumesAt: new Date(year, month, date + 1).toISOString() };
  const name = today.slice(0, "2026-11".length);
  const days = Array.from({ length: date }, (_, i) => `${name}-${String(i + 1).padStart(2, "0")}`);
  return { name, days, resumesAt: new Date(year, month + 1, 1).toISOString() };
}
