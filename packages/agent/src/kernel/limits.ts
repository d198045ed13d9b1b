/** How far a run may go before it must answer (SPEC I1). */
import type { Role } from "@mimikit/protocol/base/role";

/** Answers of the model that may call tools; after the last of them it is asked once more, without tools. */
export const ROUNDS_MAX = 6;
/** Calls of one answer that are executed; the others are answered "not executed". */
export const CALLS_PER_ROUND_MAX = 3;
/** Calls of a whole run that are executed. */
export const CALLS_TOTAL_MAX = 15;

/** Plans have as many steps as what was asked, and Workers do the work itself: both get further than a talk. */
export const LONG_ROUNDS_MAX = 30;
export const LONG_CALLS_PER_ROUND_MAX = 8;
export const LONG_CALLS_TOTAL_MAX = 120;

export interface RunLimits {
  rounds: number;
  callsPerRound: number;
  callsTotal: number;
}

const TALKING: RunLimits = { rounds: ROUNDS_MAX, callsPerRound: CALLS_PER_ROUND_MAX, callsTotal: CALLS_TOTAL_MAX };
const LONG: RunLimits = {
  rounds: LONG_ROUNDS_MAX,
  callsPerRound: LONG_CALLS_PER_ROUND_MAX,
  callsTotal: LONG_CALLS_TOTAL_MAX,
};

/** The limits of a run of `role`. */
export function limitsOf(role: Role): RunLimits {
  return role === "teller" ? TALKING : LONG;
}
