/** The steps of a self-improvement as tasks: which follows from which, and what comes of the last (SPEC J1, J2, J3). */

import { TITLE_CHARS_MAX } from "@mimikit/protocol/base/fields";
import { improvementId, unmergeId } from "@mimikit/protocol/base/id";
import { CHANGE_TITLE_CHARS_MAX, type MergeChange } from "@mimikit/protocol/records/change";
import {
  CommittedChange,
  Finding,
  type Improve,
  type ImproveStep,
  Landing,
  Review,
  SELF_IMPROVE,
  stepId,
} from "@mimikit/protocol/records/improvement";
import type { Event } from "@mimikit/protocol/records/inbox";
import type { Result } from "@mimikit/protocol/records/result";
import { blankTask, isImprovement, PRIORITY_DEFAULT, type Task } from "@mimikit/protocol/records/task";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";

/** The rules of a Worker's workspace in an improvement. */
const WORK_RULES =
  "The workspace is a git worktree that was made for this task. Change files there, and nothing else: what you leave is compared with what was there, checked and reviewed. Do not commit, and make no branch. Nobody answers questions.";

/** Seconds between two looks at most, however often they come to nothing. */
export const IMPROVE_WAIT_SEC_MAX = 86_400;

/** Below that of any requested task: the user's work is claimed first. */
const IMPROVE_PRIORITY = 0;

/** How long it must be quiet before the next look, in seconds. @param failures in a row. */
export function improveWaitSec(idleSec: number, failures: number): number {
  return Math.min(Math.max(IMPROVE_WAIT_SEC_MAX, idleSec), idleSec * 2 ** failures);
}

export function lookTask(number: number, commandId: string | undefined, nowMs: number): Task {
  const id = stepId(number, "look");
  const at = new Date(nowMs).toISOString();
  return stepTask(
    { number, step: "look", ...(commandId !== undefined && { wishId: commandId }) },
    "look for something to improve",
    {
      createdAt: at,
      traceId: id,
    },
  );
}

/** The next step after an improvement step; null if the step found or did nothing (SPEC J2). */
export function nextStep({ task, status, result, completedAt }: Result): Task | null {
  if (!isImprovement(task) || status !== "done") return null;
  const { improve } = task;
  const { found } = improve;
  const after = (step: ImproveStep, more: Partial<Improve>, title: string, prompt = "") =>
    stepTask({ ...improve, ...more, step }, title, { createdAt: completedAt, traceId: task.traceId, prompt });
  switch (improve.step) {
    case "look": {
      const finding = Finding.safeParse(result).data;
      return finding?.found === true
        ? after("work", { found: finding }, finding.title, `${finding.prompt}\n\n${WORK_RULES}`)
        : null;
    }
    case "work": {
      const change = CommittedChange.safeParse(result).data;
      if (change === undefined || change.commit === null || found?.found !== true) return null;
      return after("review", { change }, beginningOf(`review: ${found.title}`, TITLE_CHARS_MAX));
    }
    case "review": {
      const review = Review.safeParse(result).data;
      if (review === undefined || found?.found !== true) return null;
      const title = beginningOf(`${review.pass ? "land" : "remove"}: ${found.title}`, TITLE_CHARS_MAX);
      return after("land", { review }, title);
    }
    case "land":
    case "undo":
      return null;
  }
}

function stepTask(
  improve: Improve,
  title: string,
  { createdAt, traceId, prompt = "" }: { createdAt: string; traceId: string; prompt?: string },
): Task {
  // An undo is a trace of its own, as the look is.
  const id = improve.step === "undo" ? traceId : stepId(improve.number, improve.step);
  return {
    ...blankTask(`improve-${improve.step}`),
    id,
    title,
    prompt,
    priority: IMPROVE_PRIORITY,
    createdAt,
    traceId,
    ...(id !== traceId && { parentId: traceId }),
    triggerId: SELF_IMPROVE,
    improve,
  };
}

/** Try `n` to undo a merged improvement, which a user waits for (SPEC J3). */
export function unmergeTask({ number, merged, title }: MergeChange, n: number, nowMs: number): Task {
  const id = unmergeId(number, n);
  const order = { createdAt: new Date(nowMs).toISOString(), traceId: id };
  const task = stepTask({ number, step: "undo", merged }, beginningOf(`undo: ${title}`, TITLE_CHARS_MAX), order);
  return { ...task, priority: PRIORITY_DEFAULT };
}

/** The record with which a merge can be undone; null if nothing was merged (SPEC J3). */
export function mergeOf({ task, status, result, completedAt }: Result): MergeChange | null {
  if (task.kind !== "improve-land" || task.improve.change === undefined || status !== "done") return null;
  const { improve, title } = task;
  const landing = Landing.safeParse(result).data;
  if (landing?.outcome !== "merged" || landing.commit === null) return null;
  const { commit, into } = landing;
  return {
    kind: "change",
    id: improvementId(improve.number),
    at: completedAt,
    by: SELF_IMPROVE,
    title: beginningOf(improve.found?.found === true ? improve.found.title : title, CHANGE_TITLE_CHARS_MAX),
    what: "improvement",
    op: "merge",
    number: improve.number,
    merged: { base: task.improve.change.base, commit, ...(into !== undefined && { into }) },
  };
}

/** The event that tells the Teller of a landed improvement; other improvements make none (SPEC J1). */
export function landedEvent({ id, task, status, result, completedAt }: Result): Event | null {
  if (task.kind !== "improve-land" || status !== "done") return null;
  const { improve } = task;
  const landing = Landing.safeParse(result).data;
  if (landing === undefined || landing.outcome === "removed") return null;
  const what = improve.found?.found === true ? improve.found.title : task.title;
  const where = landing.outcome === "merged" ? "was merged into your branch" : `waits on the branch ${landing.branch}`;
  const data = { id: improvementId(improve.number), title: what, ...landing };
  return {
    kind: "event",
    id: `${id}.report`,
    at: completedAt,
    name: "task_result",
    text: `The self-improvement "${what}" ${where}.`,
    data,
  };
}
