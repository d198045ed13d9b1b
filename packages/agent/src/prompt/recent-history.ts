/** The newest of the conversation that fits in front of a role (SPEC F1). */
import type { HistoryMessage } from "@mimikit/protocol/records/history";
import type { Quoted } from "./quote.ts";
import { estimateTokens, shorten, takeWithin } from "./tokens.ts";

export const RECENT_MESSAGES_MAX = 20;
/** That many are always shown, where there are as many (SPEC F1). */
export const HISTORY_MESSAGES_MIN = 5;
/** Five messages of this length always fit in the 4,096 tokens of the section, in any script. */
export const MESSAGE_CHARS = 500;
/** The most that is left of the assistant's own words before a message is left out. */
export const OWN_CHARS_WHEN_TIGHT = 200;

/** A message as it is shown. */
interface Recent {
  text: Quoted;
  id: string;
  /** Nothing of it is cut. */
  isWhole: boolean;
}

/**
 * The newest messages, oldest first, as `show` makes them, in at most `tokensMax` tokens. Messages that are `elsewhere`
 * in the prompt are left out, and nothing is said twice.
 */
export function recentHistory(
  history: readonly HistoryMessage[],
  elsewhere: readonly Pick<HistoryMessage, "id" | "at" | "text">[],
  tokensMax: number,
  show: (message: HistoryMessage) => Quoted,
): Recent[] {
  const seen = new Set(elsewhere.flatMap(keysOf));
  const recent: HistoryMessage[] = [];
  for (const message of history.toReversed()) {
    if (recent.length === RECENT_MESSAGES_MAX) break;
    const keys = keysOf(message);
    if (keys.every((key) => !seen.has(key))) recent.push(message);
    for (const key of keys) seen.add(key);
  }
  const showCut = (charsOf: (message: HistoryMessage) => number) =>
    recent.map((message) => {
      const shown = cut(message, charsOf(message));
      return { text: show(shown), id: message.id, isWhole: shown.text === message.text };
    });
  const whole = showCut(() => MESSAGE_CHARS);
  const isTight = estimateTokens(whole.map(({ text }) => text).join("\n")) > tokensMax;
  const shown = isTight ? showCut(({ role }) => (role === "user" ? MESSAGE_CHARS : OWN_CHARS_WHEN_TIGHT)) : whole;
  const fitting = fittingOf(shown, tokensMax);
  // The newest message is shown in any room: a conversation without it makes no sense.
  return (
    fitting.length > 0
      ? fitting
      : fittingOf(
          showCut(() => OWN_CHARS_WHEN_TIGHT),
          tokensMax,
        )
  ).reverse();
}

function fittingOf(shown: readonly Recent[], tokensMax: number): Recent[] {
  const texts = shown.map(({ text }) => text);
  return shown.slice(0, takeWithin(texts, tokensMax).length);
}

/** The same message has the same id, and one that came in twice the same moment and text. */
function keysOf({ id, at, text }: Pick<HistoryMessage, "id" | "at" | "text">): string[] {
  return [id, `${at} ${text}`];
}

function cut(message: HistoryMessage, charsMax: number): HistoryMessage {
  return { ...message, text: shorten(message.text, charsMax, () => 1) };
}
