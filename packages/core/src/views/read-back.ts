/**
 * The part of the conversation that a model reads back: neither notices of the code ("I cannot answer at the moment …") nor replies that
 * only say that work has begun ("I'm on it"). The records say which is which; no text is matched.
 */
import type { HistoryMessage } from "@mimikit/protocol/records/history";
import { turnOfReply } from "./history.ts";

/** A longer reply says more than that work has begun. */
export const FILLER_CHARS_MAX = 160;

/** The words of a message without a notice of the code; all of it where there is none. */
export function wordsOf({ role, text, spoken, problem, stopped }: HistoryMessage): string {
  if (role === "user") return text;
  if (spoken !== undefined) return text.slice(0, spoken).trimEnd();
  // Replies of 0.3 and before, and lines about an outage: the whole is a notice.
  return problem === undefined && stopped === undefined ? text : "";
}

/** Is this message no part of what a model reads back: a notice of the code, or a filler? */
export function isNotice(message: HistoryMessage): boolean {
  return message.role !== "user" && (wordsOf(message) === "" || isFiller(message));
}

/** A short reply, on one line, of a turn that has started work for each message that it answers, and has done nothing else. */
function isFiller({ role, id, text, answers = [], taskIds = [], triggers }: HistoryMessage): boolean {
  const turn = turnOfReply(id);
  if (role !== "assistant" || turn === undefined || triggers !== undefined || taskIds.length === 0) return false;
  const isShort = text.length <= FILLER_CHARS_MAX && !text.includes("\n");
  return isShort && taskIds.length >= answers.length && taskIds.every((task) => task.startsWith(`${turn}.`));
}
