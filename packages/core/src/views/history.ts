/**
 * The conversation as a view of settled turns: what was said in one turn, in its stable order
 * (docs/file-protocol.md I10).
 */

import { childId, turnNumber } from "@mimikit/protocol/base/id";
import { Report } from "@mimikit/protocol/base/report";
import type { Steer } from "@mimikit/protocol/base/signal";
import type { Effect } from "@mimikit/protocol/records/effect";
import type { HistoryMessage } from "@mimikit/protocol/records/history";
import type { Event, Message } from "@mimikit/protocol/records/inbox";
import type { Outage, Result } from "@mimikit/protocol/records/result";
import type { TurnInput } from "@mimikit/protocol/records/task";
import { titleOf } from "../base/title.ts";
import { outageNotice } from "./notices.ts";

/** The id of the reply of a turn. */
export function replyId(turn: string): string {
  return `${turn}.reply`;
}

/** A user's message as history shows it. */
export function historyMessageOf(message: Message): HistoryMessage {
  const { id, text, at, quote, attachments } = message;
  return {
    id,
    role: "user",
    text,
    at,
    ...(quote !== undefined && { quote }),
    ...(attachments !== undefined && { attachments }),
  };
}

/** What the user said to a run as history shows it. */
export function steerMessageOf({ id, text, at }: Steer): HistoryMessage {
  return { id, role: "user", text, at, meanwhile: true };
}

/** A question of the Teller's as history shows it, under its own id: that is what its answer is about. */
function questionMessageOf(id: string, text: string, at: string): HistoryMessage {
  return { id, role: "assistant", text, at };
}

/** What the user answered as history shows it: under the id of the wish, about the question. Null for any other event. */
export function answerMessageOf({ name, at, data }: Event): HistoryMessage | null {
  if (name !== "question_answered" || data.answer == null || data.wishId === undefined) return null;
  const { wishId: id, questionId: quote, answer: text } = data;
  return { id, role: "user", text, at, ...(quote !== undefined && { quote }) };
}

/** What called the user's attention as history shows it, under the id of the effect: whoever has seen it knows it by that. */
function notificationOf(id: string, effect: Effect, at: string): HistoryMessage[] {
  if (effect.type !== "notify") return [];
  const { text, title } = effect;
  return [{ id, role: "system", text, at, notification: title === undefined ? {} : { title } }];
}

/** That nobody answered in time, as history shows it. Null for any other event. */
export function expiryMessageOf({ id, name, at, text }: Event): HistoryMessage | null {
  return name === "question_expired" ? { id, role: "system", text, at } : null;
}

/** A plan without tasks is reported by an event: what was said to it is in there. */
function steersIn({ data }: Event): Steer[] {
  return Report.shape.steers.safeParse(data.steers).data ?? [];
}

function byTime(a: HistoryMessage, b: HistoryMessage): number {
  return a.at < b.at ? -1 : a.at > b.at ? 1 : 0;
}

/** The id of the line that says that nobody could be reached for a while. */
export function outageId(turn: string): string {
  return `${turn}.outage`;
}

/** What the user is told of an outage: while it lasts, and ever after in the same words (SPEC G4). */
export function outageMessageOf(id: string, turn: TurnInput, { since, error }: Outage): HistoryMessage {
  return { id: outageId(id), role: "system", text: outageNotice(turn, error), at: since };
}

/** The conversation as it now stands: what comes after the last new beginning (SPEC F3). */
export function sinceClear(messages: readonly HistoryMessage[]): HistoryMessage[] {
  return messages.slice(messages.findLastIndex((message) => message.marker === "clear") + 1);
}

/**
 * The number of the turn whose summary stands for all that was said before it, once `turn` has been settled; undefined
 * where nothing is summarised. A new beginning has nothing before it (SPEC F3).
 * @param before the number that stood before this turn.
 */
export function compressedAfter(turn: Result, before: number | undefined): number | undefined {
  if (turn.task.turn?.clear !== undefined) return undefined;
  return summaryIn(turn) === undefined ? before : turnNumber(turn.id);
}

/** What a turn has summed up of the conversation before it. */
export function summaryIn(turn: Result): string | undefined {
  return turn.effects.find((effect) => effect.type === "compress_context")?.summary;
}

/**
 * The conversation from the turn `compressed` on: what was said before it is in its summary. Where its messages have left
 * the view, all that is there was said after it.
 */
export function sinceCompressed(messages: readonly HistoryMessage[], compressed: Result): HistoryMessage[] {
  const [first] = messagesOf(compressed);
  const at = messages.findIndex((message) => message.id === first?.id);
  return messages.slice(Math.max(0, at));
}

/** In both languages: its turn has no words of the user's whose language it could follow. */
const CLEAR_TEXT = "A new conversation begins here. 新的对话从这里开始。";

/** The id of the line that says that the conversation begins anew. */
export function clearId(turn: string): string {
  return `${turn}.clear`;
}

/**
 * What was said in a turn, to it while it ran and to the tasks that it reports, what was answered, an outage meanwhile,
 * then its reply and what it asks.
 */
export function messagesOf(turn: Result): HistoryMessage[] {
  const input = turn.task.turn;
  if (input === undefined) return [];
  if (input.clear !== undefined)
    return [{ id: clearId(turn.id), role: "system", text: CLEAR_TEXT, at: input.clear.at, marker: "clear" }];
  const reported = [...input.results.flatMap((report) => report.steers ?? []), ...input.events.flatMap(steersIn)];
  const steers = [...reported, ...(turn.steers ?? [])];
  const outages = turn.outage === undefined ? [] : [outageMessageOf(turn.id, input, turn.outage)];
  const answers = input.events.flatMap((event) => answerMessageOf(event) ?? []);
  const expiries = input.events.flatMap((event) => expiryMessageOf(event) ?? []);
  const said = [...steers.map(steerMessageOf), ...input.messages.map(historyMessageOf), ...answers];
  const messages = [...said, ...expiries, ...outages].sort(byTime);
  const reply = turn.effects.find((effect) => effect.type === "reply");
  const asked = turn.effects.flatMap((effect, k) =>
    effect.type === "ask_user" ? [questionMessageOf(childId(turn.id, k), effect.question, turn.completedAt)] : [],
  );
  messages.push(...turn.effects.flatMap((effect, k) => notificationOf(childId(turn.id, k), effect, turn.completedAt)));
  if (reply === undefined) return [...messages, ...asked];
  const started = turn.effects.flatMap((effect, k) => (effect.type === "delegate" ? [childId(turn.id, k)] : []));
  const triggers = turn.effects.flatMap((effect, k) =>
    effect.type === "schedule"
      ? [{ id: childId(turn.id, k), title: effect.order.title ?? titleOf(effect.order.prompt) }]
      : [],
  );
  messages.push({
    id: replyId(turn.id),
    role: "assistant",
    text: reply.text,
    at: turn.completedAt,
    answers: [...input.messages, ...answers, ...(turn.steers ?? [])].map((each) => each.id),
    taskIds: [...started, ...input.results.map((report) => report.id)],
    ...(triggers.length > 0 && { triggers }),
    usage: turn.usage,
    ...(turn.provider !== undefined && { provider: turn.provider }),
    ...(turn.model !== undefined && { model: turn.model }),
  });
  return [...messages, ...asked];
}
