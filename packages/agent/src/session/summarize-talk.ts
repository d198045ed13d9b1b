/** Summarises a conversation by rule: the user's requests and prohibitions, decisions, open points. */
import { isNotice, wordsOf } from "@mimikit/core/views/read-back";
import { CONVERSATION_SUMMARY_CHARS_MAX } from "@mimikit/protocol/records/effect";
import type { HistoryMessage } from "@mimikit/protocol/records/history";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { shorten } from "../prompt/tokens.ts";
import type { SessionLine } from "./session.ts";
import { NO_SUMMARY, showSummary, summarize } from "./summary.ts";

/** The most that an earlier summary keeps in the next one. */
const EARLIER_CHARS_MAX = 1_500;
const SUMMARY_TOKENS_MAX = 1_024;
/** Of a long talk so much is looked through: a summary has few items, and the newest count. */
const MESSAGES_LOOKED_AT = 200;
const MESSAGE_CHARS_LOOKED_AT = 2_000;

/** Messages, oldest first, and the summary of what was said before them. */
export interface SummedTalk {
  history: readonly HistoryMessage[];
  summary: string;
}

/** Summarises a talk in at most CONVERSATION_SUMMARY_CHARS_MAX characters; empty if there was none. */
export function summarizeTalk({ history, summary: earlier }: SummedTalk): string {
  const goal = history.find(({ role }) => role === "user")?.text ?? "";
  const said = summarize(history.slice(-MESSAGES_LOOKED_AT).flatMap(turnOf), NO_SUMMARY, goal);
  const parts = showSummary(said, SUMMARY_TOKENS_MAX).map(({ title, text }) => `${title}:\n${text}`);
  const whole = [shortenChars(earlier, EARLIER_CHARS_MAX), ...parts].filter((part) => part !== "").join("\n\n");
  return shortenChars(whole, CONVERSATION_SUMMARY_CHARS_MAX);
}

function turnOf(message: HistoryMessage): SessionLine[] {
  if (isNotice(message)) return [];
  const { id, role, at } = message;
  const text = beginningOf(wordsOf(message), MESSAGE_CHARS_LOOKED_AT);
  if (role === "user") return [{ type: "steer", id, at, text }];
  return role === "assistant" ? [{ type: "assistant", text, calls: [] }] : [];
}

/** Characters as they are counted where they are stored. */
function shortenChars(text: string, max: number): string {
  return shorten(text, max, (char) => char.length);
}
