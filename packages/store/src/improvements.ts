/** What self-improvement did and why, read from its steps wherever they are (SPEC J1). */
import type { Improvement, ImprovementState } from "@mimikit/protocol/api";
import { improvementId, improvementNumber } from "@mimikit/protocol/id";
import {
  branchOf,
  Change,
  Finding,
  IMPROVE_STEPS,
  type ImproveStep,
  Landing,
  Review,
  stepId,
} from "@mimikit/protocol/improvement";
import type { Result } from "@mimikit/protocol/result";
import type { Task } from "@mimikit/protocol/task";
import { addUsage, NO_USAGE } from "@mimikit/protocol/usage";
import type { Mirror } from "./mirror.ts";

type Records = Pick<Mirror, "queue" | "results" | "ledger">;

/** The highest number of an improvement in any state, as far as it has been seen; 0 before the first. */
export function highestImprovement({ queue, results, ledger }: Records): number {
  return Math.max(ledger.highestImprovement, ...[...queue.keys(), ...results.keys()].map(improvementNumber));
}

/** The newest improvements, newest first. Call after `mirror.refresh()`. Throws what the disk throws. */
export async function readImprovements(records: Records, limit: number): Promise<Improvement[]> {
  let number = highestImprovement(records);
  // A process that only reads hears of no step that came and went between two looks.
  while (await records.ledger.confirm(improvementId(number + 1))) number++;
  const found: Improvement[] = [];
  for (; number > 0 && found.length < limit; number--) {
    const improvement = await readImprovement(records, number);
    if (improvement !== null) found.push(improvement);
  }
  return found;
}

/** One step: its task, and what it came to. */
interface Step {
  step: ImproveStep;
  task: Task;
  result: Result | null;
  /** Nothing follows from it any more but what is there. */
  isSettled: boolean;
}

/** Improvement `number`; null where there is none. */
export async function readImprovement(records: Records, number: number): Promise<Improvement | null> {
  const steps: Step[] = [];
  for (const step of IMPROVE_STEPS) {
    const found = await readStep(records, number, step);
    if (found === null) break;
    steps.push(found);
  }
  const [first] = steps;
  const last = steps.at(-1);
  if (first === undefined || last === undefined) return null;
  const resultOf = (step: ImproveStep) => steps.find((each) => each.step === step)?.result?.result;
  const finding = Finding.safeParse(resultOf("look")).data;
  const change = Change.safeParse(resultOf("work")).data;
  const review = Review.safeParse(resultOf("review")).data;
  const landing = Landing.safeParse(resultOf("land")).data;
  const state = stateOf(last, finding, change, landing);
  const error = last.result?.error ?? (state === "failed" ? "it was cancelled" : undefined);
  return {
    id: improvementId(number),
    number,
    state,
    at: first.task.createdAt,
    ...(last.isSettled && last.result !== null && { endedAt: last.result.completedAt }),
    ...(finding?.found === true && { kind: finding.kind, title: finding.title, why: finding.why }),
    ...(change !== undefined && { change }),
    ...(review !== undefined && { reasons: review.reasons }),
    ...((state === "branch" || state === "merged") && { branch: branchOf(number) }),
    ...(landing?.note !== undefined && { note: landing.note }),
    ...(error !== undefined && { error }),
    usage: steps.reduce((sum, { result }) => addUsage(sum, result?.usage ?? NO_USAGE), NO_USAGE),
  };
}

async function readStep({ queue, results, ledger }: Records, number: number, step: ImproveStep): Promise<Step | null> {
  const id = stepId(number, step);
  const isSettled = await ledger.confirm(id);
  const result = results.get(id) ?? (isSettled ? await ledger.readResult(id) : null);
  const task = result?.task ?? queue.get(id);
  return task === undefined ? null : { step, task, result, isSettled };
}

const OPEN_STATES: Record<ImproveStep, ImprovementState> = {
  look: "looking",
  work: "working",
  review: "reviewing",
  land: "landing",
};

function stateOf(
  { step, result, isSettled }: Step,
  finding: Finding | undefined,
  change: Change | undefined,
  landing: Landing | undefined,
): ImprovementState {
  if (!isSettled || result === null) return OPEN_STATES[step];
  if (result.status !== "done") return "failed";
  switch (step) {
    case "look":
      // What was found and not begun was cancelled.
      return finding?.found === true ? "failed" : "nothing";
    case "work":
      return change?.commit === null ? "nothing" : "failed";
    case "review":
      return "failed";
    case "land":
      if (landing === undefined) return "failed";
      return landing.outcome === "removed" ? "rejected" : landing.outcome;
  }
}
