/** Questions as they are asked and closed: one record closes a question, and what follows from it is done until it is done. */
import type { Action } from "@mimikit/core/base/action";
import { Approval } from "@mimikit/protocol/approvals/approval";
import { CommandOutcome, RetryPermit } from "@mimikit/protocol/records/archive";
import { ClosedQuestion, Question } from "@mimikit/protocol/records/question";
import { createSigned } from "@mimikit/store/disk/create-command";
import { createOnce, createRecord, makeDurableDir } from "@mimikit/store/disk/record";
import { APPROVALS, approvalPath, inboxPath, questionPath, revokedApprovalPath } from "@mimikit/store/disk/state";
import { archive, createMessage, drop, type ExecContext, tellTeller } from "./exec-context.ts";

export async function ask(question: Question, { fs, archiveIndex, audit }: ExecContext): Promise<void> {
  const { id, traceId } = question;
  if (await archiveIndex.confirm(id)) return;
  if (await createRecord(fs, Question, questionPath(id), question))
    audit({ event: "question_asked", taskId: id, traceId, detail: { purpose: question.purpose.type } });
}

/** The process that creates the record has closed the question; the rest follows in the next tick. */
export async function closeQuestion(closed: ClosedQuestion, context: ExecContext): Promise<void> {
  const { id, outcome, wishId: commandId, messageId, question } = closed;
  // The answer may have been taken for a message, or the message by a turn, before this question was there to be seen.
  for (const said of [commandId, messageId])
    if (said !== undefined && (await context.archiveIndex.confirm(said))) return;
  if (await archive(closed, ClosedQuestion, context))
    context.audit({ event: `question_${outcome}`, taskId: id, traceId: question.traceId });
}

export async function concludeQuestion(
  { id, event }: Extract<Action, { type: "conclude-question" }>,
  context: ExecContext,
): Promise<void> {
  if (event !== null) await tellTeller(event, context);
  await drop(questionPath(id), context);
}

/** The message is durable before the command goes, and has one id, so the answer is said once. */
export async function answerLate(
  { command, message, outcome }: Extract<Action, { type: "answer-late" }>,
  context: ExecContext,
): Promise<void> {
  const { fs, archiveIndex, audit } = context;
  if (!(await archiveIndex.confirm(command.id))) {
    // The question may have come meanwhile: then this may be its answer.
    if (await fs.exists(questionPath(command.questionId))) return;
    await createMessage(message, context);
    const record: CommandOutcome = { kind: "wish", id: command.id, at: command.at, wish: command, outcome };
    if (await archive(record, CommandOutcome, context))
      audit({ event: "answer_late", detail: { id: command.id, outcome } });
  }
  await drop(inboxPath(command.id), context);
}

/** An approval for good is there before its permit: once that is archived, it is not made again, even if it was removed. */
export async function permit(
  { permit: permitted, approval }: Extract<Action, { type: "permit" }>,
  context: ExecContext,
): Promise<void> {
  const { id, taskId, attempt, verdict } = permitted;
  if (approval !== undefined && !(await context.archiveIndex.confirm(id))) {
    await makeDurableDir(context.fs, APPROVALS);
    await createRecord(context.fs, Approval, approvalPath(approval.id), approval);
  }
  if (!(await archive(permitted, RetryPermit, context))) return;
  if (verdict === undefined) context.audit({ event: "run_again_permitted", taskId, detail: { attempt } });
  else context.audit({ event: "call_decided", taskId, detail: { attempt, verdict } });
}

/** It asks again from now on. */
export async function revoke({ command }: Extract<Action, { type: "revoke" }>, context: ExecContext): Promise<void> {
  const { fs, archiveIndex, audit } = context;
  const { id, at, approvalId } = command;
  if (!(await archiveIndex.confirm(id))) {
    const path = approvalPath(approvalId);
    const isThere = await fs.exists(path);
    if (isThere) {
      await createOnce(fs, revokedApprovalPath(approvalId), "");
      await fs.unlink(path);
    }
    // Also where it is gone: who removed it may have been killed before this, and a power loss would bring it back.
    if (await fs.exists(APPROVALS)) await fs.syncDir(APPROVALS);
    const outcome = isThere
      ? "removed: it asks again"
      : "refused: there is no approval with this id: see  mimikit approvals";
    const record: CommandOutcome = { kind: "wish", id, at, wish: command, outcome };
    if (await archive(record, CommandOutcome, context))
      audit({ event: "approval_removed", detail: { id: approvalId, outcome } });
  }
  await drop(inboxPath(id), context);
}

/** It ends the processes once, like any other: the archive remembers the command (docs/file-protocol.md R11). */
export async function orderRestart(
  { command }: Extract<Action, { type: "order-restart" }>,
  { fs, archiveIndex, token, audit }: ExecContext,
): Promise<void> {
  if (await archiveIndex.confirm(command.id)) return;
  if (await createSigned(fs, token, command)) audit({ event: "restart_agreed", detail: { id: command.id } });
}
