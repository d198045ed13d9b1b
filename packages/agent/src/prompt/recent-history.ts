/**
 * The newest of the conversation that a role is shown (SPEC F1, docs/decisions/0074). It only grows at its end for many turns, for
 * the provider's cache: old messages are shortened, and leave, in blocks of a quarter of the budget.
 */
import { turnOfReply } from "@mimikit/core/views/history";
import { isNotice, wordsOf } from "@mimikit/core/views/read-back";
import { turnNumber } from "@mimikit/protocol/base/id";
import type { HistoryMessage } from "@mimikit/protocol/records/history";
import type { Budgets } from "../talk/budgets.ts";
import { sampleTokens, shortenAtBorders, shortenToTokens } from "../talk/shorten-message.ts";

/** A conversation of fewer messages is not compressed because it is too long. */
export const HISTORY_MESSAGES_MIN = 5;
/** Characters of an old message. */
export const MESSAGE_CHARS = 500;
/** The blocks of a budget: old messages take one of them, whole ones the others. */
const BLOCKS = 4;
/** Where messages are counted, a quarter of their number leaves at once. */
const COUNT_BLOCKS = 4;
/** Around a message: its role, its time. */
const FRAME_TOKENS = 24;
/** Messages that are always whole: the newest exchange, and what was said after it. */
const NEWEST_MAX = 5;
/** The view of a longer conversation drops its first messages one by one, so blocks are counted from a reply that stays. */
const COUNTED_MESSAGES_MAX = 400;
const COUNTED_FROM_TURNS = 100;

/** A message as it is shown. */
export interface ShownMessage {
  message: HistoryMessage;
  text: string;
  /** Nothing of it is left out. */
  isWhole: boolean;
}

export interface Talk {
  /** The newest messages, oldest first. */
  shown: ShownMessage[];
  /** The messages before them, which only a summary tells of. */
  left: HistoryMessage[];
  /** Tokens of the newest exchange, which is shown whole. */
  least: number;
}

/**
 * The newest messages within the budgets. Messages that are `elsewhere` in the prompt, notices and fillers are left out, and
 * nothing is said twice.
 */
export function talkWithin(
  history: readonly HistoryMessage[],
  elsewhere: readonly Pick<HistoryMessage, "id" | "at" | "text">[],
  {
    history: tokensMax,
    messages: messagesMax,
    message: messageTokens,
  }: Pick<Budgets, "history" | "messages" | "message">,
): Talk {
  const said = readBack(history, elsewhere);
  const items = said.slice(firstCounted(said)).map((message) => {
    const all = textOf(message);
    const tokens = tokensOf(message, all);
    const text = tokens <= messageTokens ? all : shortenToTokens(all, messageTokens);
    return { message, all, text, cost: (text === all ? tokens : sampleTokens(text)) + FRAME_TOKENS };
  });
  const newest = newestExchange(items.map(({ message }) => message));
  const least = sum(items.flatMap(({ cost }, i) => (newest.has(i) ? [cost] : [])));
  const block = tokensMax / BLOCKS;
  const excess = sum(items.map(({ cost }) => cost)) - tokensMax;
  const border = excess <= 0 ? 0 : Math.ceil((excess + block) / block) * block;
  const first = firstWithin(items.length, messagesMax);
  const isNewestTooLong = least > tokensMax;

  const shown: ShownMessage[] = [];
  const places: number[] = [];
  for (const [i] of items.entries()) places.push((places[i - 1] ?? 0) + (items[i - 1]?.cost ?? 0));
  const isOld = (i: number) => (places[i] ?? 0) < border && !newest.has(i);
  let room = Math.min(block, tokensMax - sum(items.flatMap(({ cost }, i) => (isOld(i) ? [] : [cost]))));
  for (let i = items.length - 1; i >= first; i--) {
    const item = items[i];
    if (item === undefined) break;
    const { message, all } = item;
    let { text } = item;
    if (isNewestTooLong && newest.has(i)) text = shortenToTokens(text, tokensMax / newest.size - FRAME_TOKENS);
    if (isOld(i)) {
      text = shortenAtBorders(all, MESSAGE_CHARS);
      room -= sampleTokens(text) + FRAME_TOKENS;
      if (room < 0) break;
    }
    shown.unshift({ message, text, isWhole: text === all });
  }
  return { shown, left: items.slice(0, items.length - shown.length).map(({ message }) => message), least };
}

/** The tokens of messages: a prompt asks for them again and again. */
const known = new WeakMap<HistoryMessage, number>();

function tokensOf(message: HistoryMessage, text: string): number {
  const tokens = known.get(message) ?? sampleTokens(text);
  known.set(message, tokens);
  return tokens;
}

/** Each message once, oldest first, as far as a model reads it back. */
function readBack(
  history: readonly HistoryMessage[],
  elsewhere: readonly Pick<HistoryMessage, "id" | "at" | "text">[],
): HistoryMessage[] {
  const seen = new Set(elsewhere.flatMap(keysOf));
  const said: HistoryMessage[] = [];
  for (const message of history.toReversed()) {
    const keys = keysOf(message);
    if (!isNotice(message) && keys.every((key) => !seen.has(key))) said.push(message);
    for (const key of keys) seen.add(key);
  }
  return said.reverse();
}

/** The text of a message; a question with its options, by their numbers. */
function textOf(message: HistoryMessage): string {
  const options = (message.options ?? []).map((option, i) => `${i + 1}. ${option}`);
  return [wordsOf(message), options.join("\n")].filter((part) => part !== "").join("\n\n");
}

/** The user's last message that was answered, the last answer, and what was said since. */
function newestExchange(messages: readonly HistoryMessage[]): Set<number> {
  const answer = messages.findLastIndex(({ role }) => role !== "user");
  const asked = messages.findLastIndex(({ role }, i) => role === "user" && (answer < 0 || i < answer));
  const since = [...messages.keys()].filter((i) => i > answer).slice(-NEWEST_MAX);
  return new Set([asked, answer, ...since].filter((i) => i >= 0));
}

/** The first message from which blocks are counted: of a long conversation, the first reply of a later hundred of turns. */
function firstCounted(said: readonly HistoryMessage[]): number {
  if (said.length <= COUNTED_MESSAGES_MAX) return 0;
  let hundred: number | undefined;
  const first = said.findIndex(({ id }) => {
    const turn = turnOfReply(id);
    if (turn === undefined) return false;
    const its = Math.floor(turnNumber(turn) / COUNTED_FROM_TURNS);
    hundred ??= its;
    return its > hundred;
  });
  return first < said.length / 2 ? Math.max(0, first) : 0;
}

/** The first of `count` messages that is shown: at least `max` of them, and as many more as do not make a block. */
function firstWithin(count: number, max: number): number {
  if (count <= max) return 0;
  const block = Math.ceil(max / COUNT_BLOCKS);
  return Math.floor((count - max) / block) * block;
}

/** The same message has the same id, and one that came in twice the same moment and text. */
function keysOf({ id, at, text }: Pick<HistoryMessage, "id" | "at" | "text">): string[] {
  return [id, `${at} ${text}`];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
