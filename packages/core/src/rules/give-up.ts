/**
 * A machine that is silent may be off, or cut off from here: nothing is concluded from that alone. After a long silence the owner is
 * asked, once for each attempt that the machine has, whether the task is given up (docs/pools.md). The question ends by itself when the
 * machine is heard of again.
 */
import type { Question } from "@mimikit/protocol/records/question";
import { APPROVAL_TIMEOUT_SEC } from "@mimikit/protocol/records/question";
import type { Action } from "../base/action.ts";
import { isCancelled, isOpen, type Snapshot } from "../base/snapshot.ts";
import { failedResult } from "../tasks/finish.ts";
import { giveUpId, isAgreed, ownQuestion } from "../tasks/question.ts";
import { giveUpWords } from "../views/notices.ts";

export function giveUp(snapshot: Snapshot, nowMs: number): Action[] {
  return [
    ...[...snapshot.questions.values()].flatMap((asked) => carryOut(asked, snapshot, nowMs)),
    ...ask(snapshot, nowMs),
  ];
}

/** The machine that has this attempt; undefined where none has, or it is over. */
export function awayAttempt(
  { taskId, attempt }: { taskId: string; attempt: number },
  snapshot: Snapshot,
): string | undefined {
  const task = snapshot.queue.get(taskId);
  if (task === undefined || !isOpen(snapshot, task) || isCancelled(snapshot, taskId)) return undefined;
  const last = snapshot.attempts.get(taskId)?.at(-1);
  return last?.attempt === attempt && last.failed === undefined ? last.pool : undefined;
}

function carryOut({ id, purpose }: Question, snapshot: Snapshot, nowMs: number): Action[] {
  if (purpose.type !== "give_up" || !isAgreed(snapshot.closedQuestion(id))) return [];
  const task = snapshot.queue.get(purpose.taskId);
  if (task === undefined || awayAttempt(purpose, snapshot) === undefined) return [];
  const error = `${purpose.pool} was not heard of for a long time, and you gave the task up; to have it done here, order it again without a machine`;
  return [{ type: "finish", result: failedResult(task, "interrupted", error, nowMs, purpose.attempt) }];
}

function ask(snapshot: Snapshot, nowMs: number): Action[] {
  if (snapshot.silentAway.size === 0) return [];
  return [...snapshot.attempts].flatMap(([taskId, attempts]): Action[] => {
    const attempt = attempts.at(-1)?.attempt ?? 0;
    const pool = awayAttempt({ taskId, attempt }, snapshot);
    if (pool === undefined || !snapshot.silentAway.has(taskId)) return [];
    const id = giveUpId(taskId, attempt);
    const task = snapshot.queue.get(taskId);
    if (task === undefined || snapshot.questions.has(id) || snapshot.isArchived(id)) return [];
    const { title, traceId } = task;
    const at = new Date(nowMs).toISOString();
    const purpose = { type: "give_up", taskId, attempt, pool } as const;
    const question = ownQuestion(id, purpose, giveUpWords(title, pool), { at, traceId }, APPROVAL_TIMEOUT_SEC);
    return [{ type: "ask", question }];
  });
}
