/**
 * A question to the user closes once. The record that closes it is the decision; what follows from it is done
 * afterwards, however often that is cut off. So a question has one outcome, whichever process closes it, by an answer or
 * by the end of its time (SPEC G3).
 */

import type { AnswerCommand, Event } from "@mimikit/protocol/records/inbox";
import type { ClosedQuestion, Question } from "@mimikit/protocol/records/question";
import type { Action } from "../base/action.ts";
import { isCancelled, openDependents, openTasks, type Snapshot } from "../base/snapshot.ts";
import { needsOf } from "../conditions/index.ts";
import { isAgreed, optionOf, restartCommandId } from "../tasks/question.ts";
import { messageOf } from "../tasks/target.ts";
import { expiryNotice } from "../views/notices.ts";
import { type AnswerInWords, answerInWords } from "./answer-in-words.ts";
import { awayAttempt } from "./give-up.ts";

export function questions(snapshot: Snapshot, nowMs: number): Action[] {
  const answers = { commands: answersIn(snapshot), inWords: answerInWords(snapshot) };
  return [
    ...[...snapshot.questions.values()].flatMap((question) => step(question, answers, snapshot, nowMs)),
    ...answers.commands.flatMap((command) => answer(command, snapshot)),
  ];
}

/** Answers that are not settled, oldest first. */
function answersIn(snapshot: Snapshot): AnswerCommand[] {
  return [...snapshot.inbox.values()]
    .flatMap((command) => (command.kind === "answer" && !snapshot.isArchived(command.id) ? [command] : []))
    .sort((a, b) => Date.parse(a.at) - Date.parse(b.at) || (a.id < b.id ? -1 : 1));
}

interface Answers {
  /** Oldest first. */
  commands: readonly AnswerCommand[];
  inWords: AnswerInWords | null;
}

function step(question: Question, answers: Answers, snapshot: Snapshot, nowMs: number): Action[] {
  const closed = snapshot.closedQuestion(question.id);
  if (closed !== undefined) return conclude(closed, snapshot);
  // Its outcome cannot be read any more: its dependents take that for a no.
  if (snapshot.isArchived(question.id)) return [{ type: "conclude-question", id: question.id, event: null }];
  const end = endOf(question, answers, snapshot, nowMs);
  if (end === null) return [];
  const at = new Date(nowMs).toISOString();
  return [{ type: "close-question", closed: { kind: "question", id: question.id, at, question, ...end } }];
}

type End = Pick<ClosedQuestion, "outcome" | "answer" | "wishId" | "messageId">;

/** How a question ends now; null while it stays open. An answer that is here counts, though its time has run out meanwhile. */
function endOf(question: Question, { commands, inWords }: Answers, snapshot: Snapshot, nowMs: number): End | null {
  if (isCancelled(snapshot, question.id) || isMoot(question, snapshot)) return { outcome: "cancelled", answer: null };
  for (const { id, questionId, answer } of commands) {
    const taken = questionId === question.id ? optionOf(question, answer) : null;
    if (taken !== null) return { outcome: "answered", answer: taken, wishId: id };
  }
  if (inWords?.questionId === question.id)
    return { outcome: "answered", answer: inWords.answer, messageId: inWords.messageId };
  return isExpired(question, nowMs) ? { outcome: "expired", answer: question.default ?? null } : null;
}

/** Is there nothing left that an answer would change? */
function isMoot({ purpose }: Question, snapshot: Snapshot): boolean {
  switch (purpose.type) {
    case "go_on":
      return !openDependents(snapshot).some(({ condition }) => needsOf(condition).tasks.includes(purpose.failedId));
    case "give_up":
      return awayAttempt(purpose, snapshot) === undefined || !snapshot.silentAway.has(purpose.taskId);
    case "run_again":
    case "approve":
      return openTasks(snapshot, [snapshot.queue.get(purpose.taskId) ?? []].flat()).length === 0;
    case "teller":
    case "restart":
      return false;
  }
}

/** A clock that was set back by more than the time there is must not keep the question open by the difference. */
function isExpired({ at, expiresAt }: Question, nowMs: number): boolean {
  return Math.abs(nowMs - Date.parse(at)) >= Date.parse(expiresAt) - Date.parse(at);
}

function conclude(closed: ClosedQuestion, snapshot: Snapshot): Action[] {
  const { id, question } = closed;
  const { purpose } = question;
  if (purpose.type === "teller") return [{ type: "conclude-question", id, event: eventOf(closed) }];
  // Its record is there until the task has its outcome: that is how the rule finds the answer.
  if (purpose.type === "give_up" && isAgreed(closed) && awayAttempt(purpose, snapshot) !== undefined) return [];
  if (purpose.type !== "restart" || !isAgreed(closed)) return [{ type: "conclude-question", id, event: null }];
  const commandId = restartCommandId(id);
  if (snapshot.isArchived(commandId)) return [{ type: "conclude-question", id, event: restarted(closed) }];
  if (snapshot.inbox.has(commandId)) return [];
  return [{ type: "order-restart", command: { kind: "restart", id: commandId, at: closed.at } }];
}

/** Does a repeated answer say the same as the first one? As a message it would be done twice. */
function isSaidTwice({ answer }: AnswerCommand, closed: ClosedQuestion | undefined): boolean {
  return closed?.outcome === "answered" && closed.answer === optionOf(closed.question, answer);
}

/**
 * The event that tells the Teller the outcome of its question; null if the question was cancelled. A message of the user
 * starts at depth zero (SPEC D8).
 */
function eventOf({ id, at, question, outcome, answer, wishId: commandId, messageId }: ClosedQuestion): Event | null {
  if (outcome === "cancelled") return null;
  const { purpose, triggerId, triggerDepth } = question;
  const { about } = purpose.type === "teller" ? purpose : {};
  const isAnswered = outcome === "answered";
  return {
    kind: "event",
    id: `${id}.${outcome}`,
    at,
    name: isAnswered ? "question_answered" : "question_expired",
    text: isAnswered ? `"${question.question}" was answered.` : expiryNotice(question.question, answer),
    data: {
      questionId: id,
      question: question.question,
      answer,
      ...(commandId !== undefined && { wishId: commandId }),
      ...(messageId !== undefined && { messageId }),
      ...(about !== undefined && { about }),
      ...(triggerId !== undefined && { triggerId }),
      ...(triggerDepth !== undefined && !isAnswered && { triggerDepth }),
    },
  };
}

/** The Teller that asked for it can say that it is back. */
function restarted({ id, at }: ClosedQuestion): Event {
  return {
    kind: "event",
    id: `${id}.restarted`,
    at,
    name: "restarted",
    text: "The processes were restarted, as the user agreed.",
    data: { questionId: id },
  };
}

/** A command is settled when the question is: as its answer, as a message, or as none of what can be answered. */
function answer(command: AnswerCommand, snapshot: Snapshot): Action[] {
  const closed = snapshot.closedQuestion(command.questionId);
  const question = snapshot.questions.get(command.questionId);
  if (closed?.wishId === command.id) {
    // Until the Teller is told, the words stand in the command alone, where the page finds them.
    if (question?.purpose.type === "teller") return [];
    return [{ type: "answer-command", command, outcome: `answered ${command.questionId}` }];
  }
  const isOpen = question !== undefined && closed === undefined && !snapshot.isArchived(question.id);
  if (!isOpen) {
    if (isSaidTwice(command, closed))
      return [{ type: "answer-command", command, outcome: `refused: ${command.questionId} has this answer already` }];
    const { id, at, questionId: quote, answer: text, via } = command;
    const reason = closed === undefined ? "there is no such question" : "the question was closed";
    const message = { ...messageOf({ id, at, text, via }), ...(closed !== undefined && { quote }) };
    return [{ type: "answer-late", command, message, outcome: `${reason}: it became a message` }];
  }
  if (optionOf(question, command.answer) !== null) return [];
  return [{ type: "answer-command", command, outcome: `refused: answer one of ${question.options.join(", ")}` }];
}
