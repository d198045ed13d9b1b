/**
 * The conversation as a view of applied turns: what was said in one turn, in its stable order
 * (docs/file-protocol.md I10).
 */

import type { ProviderProblem } from "@mimikit/protocol/base/cause";
import { childId, turnNumber } from "@mimikit/protocol/base/id";
import { Report } from "@mimikit/protocol/base/report";
import type { Steer } from "@mimikit/protocol/base/signal";
import type { Effect, EffectOf } from "@mimikit/protocol/records/effect";
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

/** The turn of a reply; undefined where `id` is not that of one. */
export function turnOfReply(id: string): string | undefined {
  const turn = id.replace(/\.reply$/, "");
  return turn !== id && turnNumber(turn) > 0 ? turn : undefined;
}

/** A user's message as history shows it. */
export function historyMessageOf(message: Message): HistoryMessage {
  const { id, text, at, quote, attachments, via, isQuoting } = message;
  return {
    id,
    role: "user",
    text,
    at,
    ...(quote !== undefined && { quote }),
    ...(isQuoting !== undefined && { isQuoting }),
    ...(attachments !== undefined && { attachments }),
    ...(via !== undefined && { via: via.channel }),
  };
}

/** A message that answered a question, as history shows it: the words, the option that they were taken for, and the question. */
function answeringMessageOf(message: Message, events: readonly Event[]): HistoryMessage {
  for (const { name, data } of events) {
    if (name !== "question_answered" || data.messageId !== message.id || data.answer == null) continue;
    const { answer, questionId } = data;
    const said = message.text.trim();
    const isWhole = said.toLowerCase() === answer.trim().toLowerCase();
    const shown = historyMessageOf({ ...message, ...(questionId !== undefined && { quote: questionId }) });
    return isWhole ? shown : { ...shown, text: `${said} → ${answer}` };
  }
  return historyMessageOf(message);
}

/** A steering message to a run, as history shows it. */
export function steerMessageOf({ id, text, at }: Steer): HistoryMessage {
  return { id, role: "user", text, at, meanwhile: true };
}

/** A question of the Teller's as history shows it, under its own id: that is what its answer is about. */
function questionMessageOf(
  id: string,
  { question: text, options = [] }: EffectOf<"ask_user">,
  at: string,
): HistoryMessage {
  return { id, role: "assistant", text, at, ...(options.length > 0 && { options }) };
}

/** An answer of the user, as history shows it: under the id of the command, quoting the question. Null for any other event. */
export function answerMessageOf({ name, at, data }: Event): HistoryMessage | null {
  if (name !== "question_answered" || data.answer == null || data.wishId === undefined) return null;
  const { wishId: id, questionId: quote, answer: text } = data;
  return { id, role: "user", text, at, ...(quote !== undefined && { quote }) };
}

/** A notification, as history shows it, under the id of its effect: clients that have shown it recognise it by that id. */
function notificationOf(id: string, effect: Effect, at: string): HistoryMessage[] {
  if (effect.type !== "notify") return [];
  const { text, title } = effect;
  return [{ id, role: "system", text, at, notification: title === undefined ? {} : { title } }];
}

/** The notice that a question was not answered in time, as history shows it. Null for any other event. */
export function expiryMessageOf({ id, name, at, text }: Event): HistoryMessage | null {
  return name === "question_expired" ? { id, role: "system", text, at } : null;
}

function distinct(steers: readonly Steer[]): Steer[] {
  return [...new Map(steers.map((steer) => [steer.id, steer])).values()];
}

/** A plan without tasks is reported by an event, which holds the steers that the plan took. */
export function steersIn({ data }: Event): Steer[] {
  return Report.shape.steers.safeParse(data.steers).data ?? [];
}

function byTime(a: HistoryMessage, b: HistoryMessage): number {
  return a.at < b.at ? -1 : a.at > b.at ? 1 : 0;
}

/** The id of the line about an outage. */
export function outageId(turn: string): string {
  return `${turn}.outage`;
}

/** Of old records, and if the settings name no provider that can answer. */
const UNKNOWN: ProviderProblem = { cause: "other", provider: "nobody" };

/** The notice of an outage: the same words while it lasts and ever after (SPEC G4). */
export function outageMessageOf(id: string, turn: TurnInput, outage: Outage): HistoryMessage {
  const { since, problem = UNKNOWN } = outage;
  const text = outageNotice(turn, outage);
  return { id: outageId(id), role: "system", text, at: since, problem: { ...problem, since } };
}

/** A message with its earlier versions, the oldest first. */
export type WithVersions<M> = M & { versions?: HistoryMessage[] };

/** The newest version of each message, with the earlier ones in it: those that it stands for are shown nowhere else. */
export function newestVersions<M extends HistoryMessage>(messages: readonly M[]): WithVersions<M>[] {
  const replaced = new Set(messages.flatMap(({ instead }) => instead ?? []));
  if (replaced.size === 0) return [...messages];
  const byId = new Map(messages.map((message) => [message.id, message]));
  return messages.flatMap((message) => {
    if (replaced.has(message.id)) return [];
    const versions: HistoryMessage[] = [];
    for (let { instead } = message; instead !== undefined; ) {
      const earlier = byId.get(instead);
      if (earlier === undefined) break;
      versions.unshift(earlier);
      instead = earlier.instead;
    }
    return [versions.length === 0 ? message : { ...message, versions }];
  });
}

/** The ids of what a turn that answers again takes the place of. */
export function replacedBy({ again }: TurnInput): string[] {
  if (again === undefined) return [];
  return [replyId(again.turnId), again.edit?.messageId ?? []].flat();
}

/** The conversation as it now stands: what comes after the last new beginning (SPEC F3). */
export function sinceClear(messages: readonly HistoryMessage[]): HistoryMessage[] {
  return messages.slice(messages.findLastIndex((message) => message.marker === "clear") + 1);
}

/**
 * The number of the turn whose summary stands for all that was said before it, once `turn` has been applied; undefined
 * where nothing is summarised. A new beginning has nothing before it (SPEC F3).
 * @param before the number that stood before this turn.
 */
export function compressedAfter(turn: Result, before: number | undefined): number | undefined {
  if (turn.task.turn?.clear !== undefined) return undefined;
  return summaryIn(turn) === undefined ? before : turnNumber(turn.id);
}

/** The summary that a turn has made of the conversation before it. */
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

/** The id of the line that says that the conversation starts over. */
export function clearId(turn: string): string {
  return `${turn}.clear`;
}

/** Why a turn failed, as far as that is known, or that the user stopped it. */
function problemOf({ status, failureReason, problem, provider }: Result): Pick<HistoryMessage, "problem" | "stopped"> {
  if (status !== "failed") return {};
  if (failureReason === "cancelled") return { stopped: true };
  return { problem: problem ?? { ...UNKNOWN, ...(provider !== undefined && { provider }) } };
}

/**
 * The messages of a turn: those it answers, steering messages to it and to the tasks that it reports, answers, an outage
 * meanwhile, then its reply and its question.
 */
export function messagesOf(turn: Result): HistoryMessage[] {
  const input = turn.task.turn;
  if (input === undefined) return [];
  if (input.clear !== undefined)
    return [{ id: clearId(turn.id), role: "system", text: CLEAR_TEXT, at: input.clear.at, marker: "clear" }];
  const { again } = input;
  const reported = [...input.results.flatMap((report) => report.steers ?? []), ...input.events.flatMap(steersIn)];
  // Messages that are answered again belong to the place of their first answer, except the message that was reworded.
  const heard = turn.steers ?? [];
  // The event of a plan that was cancelled, and the report of a task below it, may tell of the same.
  const steers = distinct(again === undefined ? [...reported, ...heard] : heard);
  const changed = again?.edit === undefined ? undefined : input.messages.at(-1);
  const edited = changed && { ...historyMessageOf(changed), instead: again?.edit?.messageId };
  const outages = turn.outage === undefined ? [] : [outageMessageOf(turn.id, input, turn.outage)];
  const answers = input.events.flatMap((event) => answerMessageOf(event) ?? []);
  const expiries = input.events.flatMap((event) => expiryMessageOf(event) ?? []);
  const heardMessages = input.messages.map((message) => answeringMessageOf(message, input.events));
  const taken = [...heardMessages, ...answers, ...expiries];
  const said = again === undefined ? taken : [edited ?? []].flat();
  const messages = [...steers.map(steerMessageOf), ...said, ...outages].sort(byTime);
  const reply = turn.effects.find((effect) => effect.type === "reply");
  const asked = turn.effects.flatMap((effect, k) =>
    effect.type === "ask_user" ? [questionMessageOf(childId(turn.id, k), effect, turn.completedAt)] : [],
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
    ...problemOf(turn),
    ...(reply.spoken !== undefined && { spoken: reply.spoken }),
    ...(again !== undefined && { instead: replyId(again.turnId) }),
    ...(turn.shown !== undefined && { used: turn.shown.length }),
    usage: turn.usage,
    ...(turn.provider !== undefined && { provider: turn.provider }),
    ...(turn.model !== undefined && { model: turn.model }),
  });
  return [...messages, ...asked];
}
