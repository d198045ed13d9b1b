/** The conversation as a view of settled turns: what was said in one turn, in its stable order (PROTOCOL I10). */

import type { HistoryMessage } from "@mimikit/protocol/history";
import { childId } from "@mimikit/protocol/id";
import type { Message } from "@mimikit/protocol/inbox";
import type { Result } from "@mimikit/protocol/result";

/** The id of the reply of a turn. */
export function replyId(turn: string): string {
  return `${turn}.reply`;
}

/** A user's message as history shows it. */
export function historyMessageOf(message: Message): HistoryMessage {
  const { id, text, at, quote } = message;
  return { id, role: "user", text, at, ...(quote !== undefined && { quote }) };
}

/** The messages of a turn, then its reply. */
export function messagesOf(turn: Result): HistoryMessage[] {
  const input = turn.task.turn;
  if (input === undefined) return [];
  const messages = input.messages.map(historyMessageOf);
  const reply = turn.effects.find((effect) => effect.type === "reply");
  if (reply === undefined) return messages;
  const started = turn.effects.flatMap((effect, k) => (effect.type === "delegate" ? [childId(turn.id, k)] : []));
  messages.push({
    id: replyId(turn.id),
    role: "assistant",
    text: reply.text,
    at: turn.completedAt,
    answers: input.messages.map((message) => message.id),
    taskIds: [...started, ...input.results.map((report) => report.id)],
    usage: turn.usage,
  });
  return messages;
}
