/**
 * The roles that tasks run under (SPEC B) and the kinds of tasks: a row for each, with what can be said of it without
 * the code that runs it. The pool's facts about each role are in packages/agent/src/roles/index.ts. A kind that holds
 * more than its prompt does not compile until `records/task.ts` says what.
 */

interface RoleFacts {
  /** Does it work in the workspace, with a shell, and several at once? The others have only the tools of their role. */
  hasWorkspace: boolean;
  /** A run of it, as the settings name it, and what they add where they limit its time. */
  run: string;
  limitNote: string;
  /** Seconds that a run may take, and tokens that it counts for until it has said what it took, where nothing is set. */
  timeoutSec: number;
  reserveTokens: number;
}

export const ROLES = {
  teller: { hasWorkspace: false, run: "turn of the Teller", limitNote: "", timeoutSec: 180, reserveTokens: 20_000 },
  planner: { hasWorkspace: false, run: "plan", limitNote: "", timeoutSec: 600, reserveTokens: 50_000 },
  worker: {
    hasWorkspace: true,
    run: "Worker's task",
    limitNote: ", where the task does not say otherwise,",
    timeoutSec: 600,
    reserveTokens: 100_000,
  },
  reviewer: {
    hasWorkspace: false,
    run: "review",
    limitNote: " of a change of its own",
    timeoutSec: 300,
    reserveTokens: 50_000,
  },
} as const satisfies Record<string, RoleFacts>;
export type Role = keyof typeof ROLES;

/** The roles that a trigger can fire for; there are triggers for no other (SPEC D6). */
export const TARGETS = [
  // The page says in words what each does: i18n/en/views.ts, i18n/zh/views.ts.
  "teller",
  "planner",
  "worker",
] as const satisfies readonly Role[];
export type Target = (typeof TARGETS)[number];

/** The roles whose queue can be paused. The conversation cannot: there would be no word about why it is silent. */
export const PAUSABLE = ["planner", "worker", "reviewer"] as const satisfies readonly Role[];
export type Pausable = (typeof PAUSABLE)[number];

/** One value for each role. */
export function byRole<T>(of: (role: Role) => T): Record<Role, T> {
  return Object.fromEntries((Object.keys(ROLES) as Role[]).map((role) => [role, of(role)])) as Record<Role, T>;
}

interface KindFacts {
  role: Role;
  /** The actor that runs it: its role, or a Worker with other tools and another result. */
  actor: Role | "evaluator" | "summarizer" | "improver";
  /** The part of the system that it belongs to. Lists show orders and improvements; steering reaches the conversation and orders. */
  part: "conversation" | "order" | "upkeep" | "improvement";
  /** The runner: a provider, the code of the pool itself, or none, because the supervisor ends it. */
  runner: "provider" | "pool" | "nobody";
  /** When the Teller reports it; the supervisor applies all other results at once. */
  reported: "always" | "unless done" | "never";
  /** The result types that a run of it may return; the first applies if the provider does not name one. */
  results: readonly [string, ...string[]];
  /** The type of its result where it was ended before it handed in one, if not the first of `results`. */
  endedAs?: string;
  /** The audit event of its creation, where no trigger has made it, and that of its settlement. */
  queued: string;
  settled: string;
}

/** Made by a pure call, so that the page, which asks for none of it, does not load it. */
export const KINDS = /* @__PURE__ */ kindTable();

function kindTable() {
  const TELL = { role: "teller", actor: "teller", part: "conversation", reported: "never" } as const;
  const TURN = { ...TELL, results: ["turn"], queued: "teller_woken", settled: "turn_settled" } as const;
  const ORDER = { part: "order", runner: "provider", queued: "task_queued" } as const;
  const PLAN = {
    ...ORDER,
    role: "planner",
    actor: "planner",
    reported: "unless done",
    results: ["plan", "analysis"],
  } as const;
  const TEXTS = ["text", "code_change", "analysis", "summary"] as const;
  const OWN = { role: "worker", actor: "worker", runner: "provider", reported: "never" } as const;
  const UPKEEP = { ...OWN, part: "upkeep" } as const;
  const EVALUATE = { ...UPKEEP, actor: "evaluator", results: ["verdicts"] } as const;
  const ROLL_UP = { ...UPKEEP, actor: "summarizer", results: ["summary"], endedAs: "text" } as const;
  const IMPROVE = { ...OWN, part: "improvement", queued: "task_queued" } as const;
  const LOOK = { ...IMPROVE, actor: "improver", results: ["finding"], endedAs: "text" } as const;
  const REVIEW = { ...IMPROVE, role: "reviewer", actor: "reviewer", results: ["review"] } as const;
  const CODE = { ...IMPROVE, runner: "pool", endedAs: "text" } as const;
  const UNDO = { ...CODE, results: ["unmerging"], queued: "improvement_undo_queued" } as const;

  return {
    turn: { ...TURN, runner: "provider" },
    /** A turn of which all is known beforehand: a new beginning, or that a budget is used up. */
    announcement: { ...TURN, runner: "nobody" },
    plan: { ...PLAN, settled: "plan_settled" },
    work: { ...OWN, ...ORDER, reported: "always", results: TEXTS, settled: "work_settled" },
    evaluation: { ...EVALUATE, queued: "evaluation_queued", settled: "evaluation_settled" },
    "roll-up": { ...ROLL_UP, queued: "roll_up_queued", settled: "roll_up_settled" },
    "improve-look": { ...LOOK, queued: "improvement_begun", settled: "improvement_look_settled" },
    "improve-work": { ...IMPROVE, results: TEXTS, settled: "improvement_work_settled" },
    "improve-review": { ...REVIEW, settled: "improvement_review_settled" },
    "improve-land": { ...CODE, results: ["landing"], settled: "improvement_land_settled" },
    "improve-undo": { ...UNDO, settled: "improvement_undo_settled" },
  } as const satisfies Record<string, KindFacts>;
}
export type TaskKind = keyof typeof KINDS;
export type KindActor = KindFacts["actor"];
type Part = KindFacts["part"];
export type KindOf<P extends Part> = { [K in TaskKind]: (typeof KINDS)[K]["part"] extends P ? K : never }[TaskKind];

/** The kinds that belong to a part of the system. */
export function kindsOf<P extends Part>(part: P): KindOf<P>[] {
  return (Object.keys(KINDS) as KindOf<P>[]).filter((kind) => KINDS[kind].part === part);
}
