/** The runs of self-improvement and their reasons, read from its steps wherever they are (SPEC J1). */
import { nextStep } from "@mimikit/core/tasks/improvement";
import { ancestorsOf, cancelMark, improvementId, improvementNumber, undoneId } from "@mimikit/protocol/base/id";
import { kindsOf } from "@mimikit/protocol/base/kind";
import { addUsage, NO_USAGE } from "@mimikit/protocol/base/usage";
import {
  branchOf,
  CommittedChange,
  Finding,
  IMPROVE_STEPS,
  type ImproveStep,
  Landing,
  Review,
  stepId,
} from "@mimikit/protocol/records/improvement";
import type { Result } from "@mimikit/protocol/records/result";
import type { Task } from "@mimikit/protocol/records/task";
import type { Improvement, ImprovementState } from "@mimikit/protocol/wire/api";
import type { StateCache } from "../state-cache/state-cache.ts";

type Records = Pick<StateCache, "queue" | "queuedOf" | "results" | "archiveIndex">;

/** The ids of the steps that are queued or handed in, and of everything else that was handed in. */
export function openSteps(records: Pick<Records, "queuedOf" | "results">): string[] {
  const queued = records.queuedOf(...kindsOf("improvement")).map(({ id }) => id);
  return [...queued, ...records.results.keys()];
}

/** The highest number of an improvement in any state, as far as it has been seen; 0 before the first. */
export function highestImprovement(records: Pick<Records, "queuedOf" | "results" | "archiveIndex">): number {
  return Math.max(records.archiveIndex.highestImprovement, ...openSteps(records).map(improvementNumber));
}

/** The newest improvements, newest first. Call after `cache.refresh()`. Throws what the disk throws. */
export async function readImprovements(records: Records, limit: number): Promise<Improvement[]> {
  let number = highestImprovement(records);
  // A process that only reads hears of no step that came and went between two looks.
  while (await records.archiveIndex.confirm(improvementId(number + 1))) number++;
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
  const last = await lastOf(steps, records);
  if (first === undefined || last === undefined) return null;
  const resultOf = (step: ImproveStep) => steps.find((each) => each.step === step)?.result?.result;
  const finding = Finding.safeParse(resultOf("look")).data;
  const change = CommittedChange.safeParse(resultOf("work")).data;
  const review = Review.safeParse(resultOf("review")).data;
  const landing = Landing.safeParse(resultOf("land")).data;
  const reached = stateOf(last, finding, change, landing);
  const isUndone = reached === "merged" && (await records.archiveIndex.confirm(undoneId(improvementId(number))));
  const state = isUndone ? "undone" : reached;
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
    ...((reached === "branch" || reached === "merged") && { branch: branchOf(number) }),
    ...(landing?.note !== undefined && { note: landing.note }),
    ...(error !== undefined && { error }),
    usage: steps.reduce((sum, { result }) => addUsage(sum, result?.usage ?? NO_USAGE), NO_USAGE),
  };
}

/**
 * The step that counts. A follower of an applied step was queued before it, and may be newer than the state cache: it
 * counts, unless it was cancelled before it began.
 */
async function lastOf(steps: readonly Step[], { archiveIndex }: Records): Promise<Step | undefined> {
  const last = steps.at(-1);
  if (last === undefined || last.result === null || !last.isSettled) return last;
  const task = nextStep(last.result);
  const next = IMPROVE_STEPS[IMPROVE_STEPS.indexOf(last.step) + 1];
  if (task === null || next === undefined) return last;
  const { id } = last.task;
  for (const each of [id, ...ancestorsOf(id)]) if (await archiveIndex.confirm(cancelMark(each))) return last;
  return { step: next, task, result: null, isSettled: false };
}

async function readStep(
  { queue, results, archiveIndex }: Records,
  number: number,
  step: ImproveStep,
): Promise<Step | null> {
  const id = stepId(number, step);
  const isSettled = await archiveIndex.confirm(id);
  const result = (isSettled ? await archiveIndex.readResult(id) : null) ?? results.get(id) ?? null;
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
  change: CommittedChange | undefined,
  landing: Landing | undefined,
): ImprovementState {
  if (!isSettled || result === null) return OPEN_STATES[step];
  if (result.status !== "done") return "failed";
  switch (step) {
    case "look":
      // A finding that was not begun was cancelled.
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
