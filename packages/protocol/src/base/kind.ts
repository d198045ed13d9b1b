/**
 * The kinds of tasks, and of each what can be said without the code that runs it. One that is added here does not compile
 * until `records/task.ts` says what it holds and every table that is keyed by `Kind` what becomes of it.
 */
import type { Role } from "./role.ts";

interface KindFacts {
  role: Role;
  /** Who runs it: its role, or a Worker with other tools and another result. */
  actor: Role | "evaluator" | "summarizer" | "improver";
  /** The part of the system that it belongs to. Lists show orders and improvements; steering reaches the conversation and orders. */
  part: "conversation" | "order" | "upkeep" | "improvement";
  /** Who runs it: a provider, the code of the pool itself, or nobody, because the supervisor ends it. */
  runner: "provider" | "pool" | "nobody";
  /** When the Teller reports it; the supervisor settles all other results at once. */
  reported: "always" | "unless done" | "never";
  /** The audit event of its settlement. */
  settled: string;
  /** The type of its result where it was ended before it handed in one. */
  endedAs: string;
}

const TURN = { role: "teller", actor: "teller", part: "conversation", reported: "never", endedAs: "turn" } as const;
const ORDER = { part: "order", runner: "provider" } as const;
const OWN = { role: "worker", actor: "worker", runner: "provider", reported: "never", endedAs: "text" } as const;
const UPKEEP = { ...OWN, part: "upkeep" } as const;
const IMPROVE = { ...OWN, part: "improvement" } as const;
const REVIEW = { role: "reviewer", actor: "reviewer", endedAs: "review" } as const;
const PLAN = { role: "planner", actor: "planner", reported: "unless done", endedAs: "plan" } as const;

export const KINDS = {
  turn: { ...TURN, runner: "provider", settled: "turn_settled" },
  /** A turn of which all is known beforehand: a new beginning, or that a budget is used up. */
  announcement: { ...TURN, runner: "nobody", settled: "turn_settled" },
  plan: { ...ORDER, ...PLAN, settled: "plan_settled" },
  work: { ...OWN, ...ORDER, reported: "always", settled: "work_settled" },
  evaluation: { ...UPKEEP, actor: "evaluator", settled: "evaluation_settled", endedAs: "verdicts" },
  "roll-up": { ...UPKEEP, actor: "summarizer", settled: "roll_up_settled" },
  "improve-look": { ...IMPROVE, actor: "improver", settled: "improvement_look_settled" },
  "improve-work": { ...IMPROVE, settled: "improvement_work_settled" },
  "improve-review": { ...IMPROVE, ...REVIEW, settled: "improvement_review_settled" },
  "improve-land": { ...IMPROVE, runner: "pool", settled: "improvement_land_settled" },
  "improve-undo": { ...IMPROVE, runner: "pool", settled: "improvement_undo_settled" },
} as const satisfies Record<string, KindFacts>;
export type Kind = keyof typeof KINDS;
export type Actor = KindFacts["actor"];
