/** Questions as they are asked and closed: one record closes a question, and what follows from it is done until it is done. */
import type { Action } from "@mimikit/core/base/action";
import { Approval } from "@mimikit/protocol/approvals/approval";
import { Permit, WishOutcome } from "@mimikit/protocol/records/archive";
import { ClosedQuestion, Question } from "@mimikit/protocol/records/question";
import { createSealed } from "@mimikit/store/disk/create-wish";
import { createRecord } from "@mimikit/store/disk/record";
import { APPROVALS, approvalPath, inboxPath, questionPath } from "@mimikit/store/disk/state";
import { archive, createMessage, drop, type Hands, tellTeller } from "./hands.ts";

export async function ask(question: Question, { fs, ledger, audit }: Hands): Promise<void> {
  const { id, traceId } = question;
  if (await ledger.confirm(id)) return;
  if (await createRecord(fs, Question, questionPath(id), question))
    audit({ event: "question_asked", taskId: id, traceId, detail: { purpose: question.purpose.type } });
}

/** The process that creates the record has closed the question; the rest follows in the next tick. */
export async function closeQuestion(closed: ClosedQuestion, hands: Hands): Promise<void> {
  const { id, outcome, wishId, question } = closed;
  // The answer may have been taken for a message, before this question was there to be seen.
  if (wishId !== undefined && (await hands.ledger.confirm(wishId))) return;
  if (await archive(closed, ClosedQuestion, hands))
    hands.audit({ event: `question_${outcome}`, taskId: id, traceId: question.traceId });
}

export async function concludeQuestion(
  { id, event }: Extract<Action, { type: "conclude-question" }>,
  hands: Hands,
): Promise<void> {
  if (event !== null) await tellTeller(event, hands);
  await drop(questionPath(id), hands);
}

/** The message is durable before the command goes, and has one id, so the answer is said once. */
export async function answerLate(
  { wish, message, outcome }: Extract<Action, { type: "answer-late" }>,
  hands: Hands,
): Promise<void> {
  const { fs, ledger, audit } = hands;
  if (!(await ledger.confirm(wish.id))) {
    // The question may have come meanwhile: then this may be its answer.
    if (await fs.exists(questionPath(wish.questionId))) return;
    await createMessage(message, hands);
    const record: WishOutcome = { kind: "wish", id: wish.id, at: wish.at, wish, outcome };
    if (await archive(record, WishOutcome, hands)) audit({ event: "answer_late", detail: { id: wish.id, outcome } });
  }
  await drop(inboxPath(wish.id), hands);
}

/** An approval for good is there before its permit: once that is archived, it is not made again, even if it was removed. */
export async function permit(
  { permit: permitted, approval }: Extract<Action, { type: "permit" }>,
  hands: Hands,
): Promise<void> {
  const { id, taskId, attempt, verdict } = permitted;
  if (approval !== undefined && !(await hands.ledger.confirm(id))) {
    await hands.fs.makeDir(APPROVALS);
    // The process that made the folder may have been killed before this.
    await hands.fs.syncDir(".");
    await createRecord(hands.fs, Approval, approvalPath(approval.id), approval);
  }
  if (!(await archive(permitted, Permit, hands))) return;
  if (verdict === undefined) hands.audit({ event: "run_again_permitted", taskId, detail: { attempt } });
  else hands.audit({ event: "call_decided", taskId, detail: { attempt, verdict } });
}

/** It asks again from now on. */
export async function revoke({ wish }: Extract<Action, { type: "revoke" }>, hands: Hands): Promise<void> {
  const { fs, ledger, audit } = hands;
  const { id, at, approvalId } = wish;
  if (!(await ledger.confirm(id))) {
    const path = approvalPath(approvalId);
    const isThere = await fs.exists(path);
    if (isThere) await fs.unlink(path);
    // Also where it is gone: who removed it may have been killed before this, and a power loss would bring it back.
    if (await fs.exists(APPROVALS)) await fs.syncDir(APPROVALS);
    const outcome = isThere
      ? "removed: it asks again"
      : "refused: there is no approval with this id: see  mimikit approvals";
    const record: WishOutcome = { kind: "wish", id, at, wish, outcome };
    if (await archive(record, WishOutcome, hands))
      audit({ event: "approval_removed", detail: { id: approvalId, outcome } });
  }
  await drop(inboxPath(id), hands);
}

/** It ends the processes once, like any other: the archive remembers the command (docs/file-protocol.md R11). */
export async function orderRestart(
  { wish }: Extract<Action, { type: "order-restart" }>,
  { fs, ledger, token, audit }: Hands,
): Promise<void> {
  if (await ledger.confirm(wish.id)) return;
  if (await createSealed(fs, token, wish)) audit({ event: "restart_agreed", detail: { id: wish.id } });
}
