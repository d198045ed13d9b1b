/** How far a run may go before it must answer (SPEC I1). */
import { ROLES, type Role } from "@mimikit/protocol/base/kind";

/** Answers of the model that may call tools; after the last of them it is asked once more, without tools. */
export const ROUNDS_MAX = 6;
/** Calls of one answer that are executed; the others are answered "not executed". */
export const CALLS_PER_ROUND_MAX = 3;
/** Calls of a whole run that are executed. */
export const CALLS_TOTAL_MAX = 15;

/** Workers do the work itself, so they get further. */
export const WORKER_ROUNDS_MAX = 30;
export const WORKER_CALLS_PER_ROUND_MAX = 8;
export const WORKER_CALLS_TOTAL_MAX = 120;

export interface Limits {
  rounds: number;
  callsPerRound: number;
  callsTotal: number;
}

const TALKING: Limits = { rounds: ROUNDS_MAX, callsPerRound: CALLS_PER_ROUND_MAX, callsTotal: CALLS_TOTAL_MAX };
const WORKING: Limits = {
  rounds: WORKER_ROUNDS_MAX,
  callsPerRound: WORKER_CALLS_PER_ROUND_MAX,
  callsTotal: WORKER_CALLS_TOTAL_MAX,
};

/** The limits of a run of `role`. */
export function limitsOf(role: Role): Limits {
  return ROLES[role].hasWorkspace ? WORKING : TALKING;
}
