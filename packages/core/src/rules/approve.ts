/**
 * The owner is asked before a call is made that goes beyond what `autonomy` allows. The attempt that wanted it has ended, so it
 * holds no place; the next one begins with the answer (SPEC I10).
 */
import { approvalPermit } from "@mimikit/protocol/base/id";
import { APPROVAL_TIMEOUT_SEC } from "@mimikit/protocol/records/question";
import type { Task } from "@mimikit/protocol/records/task";
import type { Action } from "../base/action.ts";
import { isCancelled, openTasks, type Snapshot } from "../base/snapshot.ts";
import { approveId, callToAskAbout, ownQuestion, verdictOf } from "../tasks/question.ts";
import { approveWords } from "../views/notices.ts";

export function approve(snapshot: Snapshot, nowMs: number): Action[] {
  const steps = openTasks(snapshot, snapshot.attention.tasks.values()).flatMap((task) => step(task, snapshot, nowMs));
  // A permit that was cut off creates its approval again, so an approval is removed only behind its permit.
  const unfinished = new Set(steps.flatMap((action) => (action.type === "permit" ? (action.approval?.id ?? []) : [])));
  const revoked = [...snapshot.inbox.values()].flatMap((command): Action[] =>
    command.kind === "revoke" && !snapshot.isArchived(command.id) && !unfinished.has(command.approvalId)
      ? [{ type: "revoke", command }]
      : [],
  );
  return [...revoked, ...steps];
}

function step({ id: taskId, title, traceId }: Task, snapshot: Snapshot, nowMs: number): Action[] {
  const asked = callToAskAbout(snapshot.attempts.get(taskId) ?? []);
  if (asked === undefined || isCancelled(snapshot, taskId)) return [];
  const { attempt, asks } = asked;
  const permitId = approvalPermit(taskId, attempt);
  if (snapshot.isArchived(permitId)) return [];
  const id = approveId(taskId, attempt);
  const at = new Date(nowMs).toISOString();
  const closed = snapshot.closedQuestion(id);
  if (closed === undefined && !snapshot.isArchived(id)) {
    if (snapshot.questions.has(id)) return [];
    const purpose = { type: "approve", taskId, attempt } as const;
    const question = ownQuestion(id, purpose, approveWords(title, asks), { at, traceId }, APPROVAL_TIMEOUT_SEC);
    return [{ type: "ask", question }];
  }
  const verdict = verdictOf(closed);
  const permit = { kind: "permit", id: permitId, at, taskId, attempt, verdict } as const;
  const { prefix, tool, reaches } = asks;
  if (verdict !== "always" || prefix === undefined) return [{ type: "permit", permit }];
  return [{ type: "permit", permit, approval: { kind: "approval", id, at, tool, prefix, reaches, title } }];
}
