/** The items to send by channels, and their receivers: they follow from the archive and the open questions alone. Pure. */
import { messagesOf, turnOfReply } from "@mimikit/core/views/history";
import type { PairedPerson } from "@mimikit/protocol/channels/records";
import type { Via } from "@mimikit/protocol/channels/via";
import type { HistoryMessage } from "@mimikit/protocol/records/history";
import type { Question } from "@mimikit/protocol/records/question";
import type { Result } from "@mimikit/protocol/records/result";
import { notificationIn } from "@mimikit/protocol/wire/notification";
import { hiddenChat } from "../contract/channel.ts";

/** Older items are not sent any more, in milliseconds: after a longer outage the conversation is the better place to read them. */
export const SEND_AGE_MS_MAX = 86_400_000;

export interface ChannelItem {
  /** That of the message, the question, or the pairing. */
  id: string;
  at: string;
  text: string;
  title?: string;
  question?: Question;
  /** To whom it goes because they asked for it. */
  origin: readonly Via[];
  /** It goes to those who are notified, too. */
  isNews: boolean;
  isUrgent: boolean;
}

/** The items of an applied turn. @param origin the ways by which that was said which led to it. */
export function itemsOfTurn(turn: Result, origin: readonly Via[]): ChannelItem[] {
  const input = turn.task.turn;
  if (input === undefined) return [];
  const messages = messagesOf(turn);
  const hasNotified = messages.some(({ notification }) => notification !== undefined);
  return messages.flatMap((message): ChannelItem[] => {
    const { id, at, text } = message;
    const notification = notificationIn(message);
    if (notification !== null) {
      const { title } = notification;
      return [{ id, at, text, ...(title !== undefined && { title }), origin, isNews: true, isUrgent: true }];
    }
    if (turnOfReply(id) === undefined) return [];
    // Its reply is news where it is none to what was said by the page; a turn that has called for attention itself does it once.
    const isNews = input.messages.length === 0 && !hasNotified && message.stopped !== true;
    return [{ id, at, text, origin, isNews, isUrgent: false }];
  });
}

/** The notice to those who asked that their answer has to wait. */
export function itemOfOutage({ id, at, text }: HistoryMessage, origin: readonly Via[]): ChannelItem {
  return { id, at, text, origin, isNews: false, isUrgent: false };
}

export function itemOfQuestion(question: Question, origin: readonly Via[]): ChannelItem {
  const { id, at, question: text } = question;
  return { id, at, text, question, origin, isNews: true, isUrgent: true };
}

/** Does this person get it? Messages from before they were paired are none of their news. */
export function isFor(item: ChannelItem, person: PairedPerson, isNotified: boolean, nowMs: number): boolean {
  const atMs = Date.parse(item.at);
  if (atMs < Date.parse(person.at) || nowMs - atMs > SEND_AGE_MS_MAX) return false;
  const asked = item.origin.some(
    ({ channel, chat, person: who }) =>
      channel === person.channel && [chat, hiddenChat(chat)].includes(person.chat) && who === person.person,
  );
  return asked || (item.isNews && isNotified);
}
