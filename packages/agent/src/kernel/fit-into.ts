/**
 * Makes a conversation fit into the model's window. What came back from tools is shortened first, the oldest first;
 * then what was asked. The rules and the pairs of calls and results stay whole.
 */
import { estimateTokens, shorten } from "../tokens.ts";
import type { ChatMessage, ToolDefinition } from "./model.ts";

/** What stays of a tool's result, or of a call's arguments, that is shortened. */
export const RESULT_TOKENS_KEPT = 150;
/** What stays of a question that is shortened, at least. */
export const QUESTION_TOKENS_KEPT = 300;
/** Roles and separators around a message. */
const FRAME_TOKENS = 8;

/** The estimated length of a request, in tokens. */
export function measure(messages: readonly ChatMessage[], tools: readonly ToolDefinition[]): number {
  const ofTools = tools.length === 0 ? 0 : estimateTokens(JSON.stringify(tools));
  return messages.reduce((sum, message) => sum + tokensOf(message), ofTools);
}

/** The same messages with what is needed left out; longer than `tokensMax` only where nothing more may be left out. */
export function fitInto(messages: readonly ChatMessage[], tokensMax: number): ChatMessage[] {
  const fitted = [...messages];
  let excess = measure(fitted, []) - tokensMax;
  for (const shortenMessage of [shortenWork, shortenQuestion]) {
    for (const [i, message] of fitted.entries()) {
      if (excess <= 0) return fitted;
      const shorter = shortenMessage(message, excess);
      excess -= tokensOf(message) - tokensOf(shorter);
      fitted[i] = shorter;
    }
  }
  return fitted;
}

function tokensOf(message: ChatMessage): number {
  const calls = message.role === "assistant" ? message.calls : [];
  return calls.reduce(
    (sum, call) => sum + FRAME_TOKENS + estimateTokens(`${call.name}${call.arguments}`),
    FRAME_TOKENS + estimateTokens(message.content),
  );
}

function shortenWork(message: ChatMessage): ChatMessage {
  if (message.role === "tool") return { ...message, content: shorten(message.content, RESULT_TOKENS_KEPT) };
  if (message.role !== "assistant") return message;
  const calls = message.calls.map((call) => {
    const shorter = shorten(call.arguments, RESULT_TOKENS_KEPT);
    return shorter === call.arguments ? call : { ...call, arguments: JSON.stringify({ shortened: shorter }) };
  });
  return { ...message, calls };
}

function shortenQuestion(message: ChatMessage, excess: number): ChatMessage {
  if (message.role !== "user") return message;
  const tokens = estimateTokens(message.content);
  return { ...message, content: shorten(message.content, Math.max(QUESTION_TOKENS_KEPT, tokens - excess)) };
}
