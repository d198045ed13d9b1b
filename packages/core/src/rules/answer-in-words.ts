/**
 * A message that is all of it the number, the place or the text of an option answers the question, as a tap on the button does. Code reads
 * it before a model is asked: which of its options "the second one" means is no guess. In any doubt the message is left to the model.
 *
 * The message is not used up: the turn that is told the answer takes it along. So it is in the conversation once, in the user's own
 * words, and where anything goes wrong it is an ordinary message.
 */
import { isSameVia } from "@mimikit/protocol/channels/via";
import type { Event, Message } from "@mimikit/protocol/records/inbox";
import type { Question } from "@mimikit/protocol/records/question";
import { isCancelled, type Snapshot } from "../base/snapshot.ts";
import { chosenOption } from "../tasks/chosen-option.ts";

export interface AnswerInWords {
  messageId: string;
  questionId: string;
  answer: string;
}

/** The first pending message that answers a question of the Teller's; null where none does. */
export function answerInWords(snapshot: Snapshot): AnswerInWords | null {
  const asked = [...snapshot.questions.values()].filter(
    ({ id, options }) =>
      options.length > 0 &&
      snapshot.closedQuestion(id) === undefined &&
      !snapshot.isArchived(id) &&
      !isCancelled(snapshot, id),
  );
  if (asked.length === 0) return null;
  const messages = [...snapshot.inbox.values()]
    .filter((command) => command.kind === "message")
    .filter(({ id }) => !snapshot.isArchived(id))
    .sort((a, b) => Date.parse(a.at) - Date.parse(b.at) || (a.id < b.id ? -1 : 1));
  const taken = messages.length === 0 ? new Set<string>() : takenMessages(snapshot);
  for (const message of messages) {
    const question = questionFor(message, asked);
    if (question === undefined || taken.has(message.id) || !mayAnswer(message, question, snapshot)) continue;
    const answer = chosenOption(question.options, message.text);
    if (answer !== null) return { messageId: message.id, questionId: question.id, answer };
  }
  return null;
}

/** The messages that wait until the event is there which tells what they answered. */
export function heldAnswers(snapshot: Snapshot): ReadonlySet<string> {
  const isTold = (event: string) => snapshot.inbox.has(event) || snapshot.isArchived(event);
  const held = [...snapshot.questions.keys()].flatMap((id) =>
    isTold(`${id}.answered`) ? [] : (snapshot.closedQuestion(id)?.messageId ?? []),
  );
  return new Set([...held, answerInWords(snapshot)?.messageId ?? []].flat());
}

/** Does the event tell what a message answered that waits for another turn? They go together. */
export function waitsForMessage(
  { data }: Event,
  pending: readonly { id: string }[],
  taken: readonly { id: string }[],
): boolean {
  const { messageId } = data;
  return pending.some(({ id }) => id === messageId) && !taken.some(({ id }) => id === messageId);
}

/** The quoted question, else the only one with options: beside a question of the supervisor's own, "the first" may mean that. */
function questionFor({ quote }: Message, asked: readonly Question[]): Question | undefined {
  if (quote !== undefined) return asked.find(({ id }) => id === quote);
  return asked.length === 1 ? asked[0] : undefined;
}

/** Only answers to the Teller's questions: others carry authority, which a message has not. */
function mayAnswer(message: Message, question: Question, snapshot: Snapshot): boolean {
  if (question.purpose.type !== "teller" || Date.parse(message.at) < Date.parse(question.at)) return false;
  if (message.mode === "next" || message.isQuoting === true) return false;
  if (message.attachments !== undefined && message.attachments.length > 0) return false;
  const talk = snapshot.talkAround?.(question.id);
  if (talk === undefined) return false;
  if (message.quote === question.id) return true;
  const isSeenThere = message.via === undefined || isSameVia(message.via, talk.via);
  // The Teller may have said the question again.
  return isSeenThere && !talk.since.some((text) => asksOrLists(text.replaceAll(question.question, "")));
}

/** Does a text offer something else that a number or a yes may be about? */
function asksOrLists(text: string): boolean {
  return /[?？]/.test(text) || /^[ \t]*(?:\d{1,2}[.)、]|[-*] )/m.test(text);
}

/** Messages of a turn that is open, or not applied yet. */
function takenMessages(snapshot: Snapshot): Set<string> {
  const turns = [...snapshot.queuedOf("turn"), ...[...snapshot.results.values()].map(({ task }) => task)];
  return new Set(turns.flatMap(({ turn }) => turn?.messages.map(({ id }) => id) ?? []));
}
