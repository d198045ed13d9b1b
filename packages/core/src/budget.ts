/** What may be spent, and whether it is (SPEC N2). */
export interface Spending {
  tokens: number;
  costUsd: number;
}

export const NO_SPENDING: Spending = { tokens: 0, costUsd: 0 };

/** A budget that is used up. */
export interface Ceiling {
  scope: "day" | "month";
  /** Which day or month, by the server's calendar: `2026-11-22`, `2026-11`. */
  period: string;
  /** When the next one begins, ISO 8601. */
  resumesAt: string;
}
