/**
 * How a conversation is made to fit into a model's window (SPEC I4). The rules stay whole, and the question is never cut
 * off by the rest. Text without room is compressed from its old end: into the summary, then by shortening the answers of
 * tools. A call and its result are never separated. The same conversation always gives the same request.
 */
import { countTokens } from "@mimikit/core/memory/weigh";
import { MEDIA_TOKENS } from "../prompt/media.ts";
import { estimateTokens, shareOut, shorten } from "../prompt/tokens.ts";
import type { KernelMessage, Thought, ToolCall, ToolDefinition, VendorData } from "./model.ts";

/** How the room is shared. Room that a part does not need goes to the others. */
export const SHARES = { system: 0.1, summary: 0.2, recent: 0.5, current: 0.2 } as const;
/** Of the rules and the question together; the rest is for what comes of them, or the question could not be worked on. */
export const QUESTION_SHARE_MAX = 0.9;
/** One answer of a tool. */
export const RESULT_SHARE_MAX = 0.25;
/** A conversation of more messages than this is summarized where it is too long; a shorter one is only shortened. */
export const SUMMARY_MESSAGES_MIN = 20;
/** The kept length of an old answer of a tool, or of the arguments of an old call, that is shortened. */
export const RESULT_TOKENS_KEPT = 150;

/** Roles and separators around a message or a call. */
const FRAME_TOKENS = 8;
/** How often the last means is tried, and how much less each time: what it costs is an estimate. */
const SQUEEZE_TRIES = 4;
const TIGHTER = 0.6;
const NO_CALLS: { calls: ToolCall[]; thoughts?: readonly Thought[] | undefined } = { calls: [] };

/** The estimated length of a request, in tokens. */
export function measure(messages: readonly KernelMessage[], tools: readonly ToolDefinition[]): number {
  const ofTools = tools.length === 0 ? 0 : estimateTokens(JSON.stringify(tools));
  return messages.reduce((sum, message) => sum + tokensIn(message), ofTools);
}

function tokensIn(message: KernelMessage): number {
  const { calls, thoughts = [] } = message.role === "assistant" ? message : NO_CALLS;
  const ofMedia = message.role === "user" ? (message.media?.length ?? 0) * MEDIA_TOKENS : 0;
  const parts = [
    ...thoughts.map(({ text, vendor }) => `${text}${wrote(vendor)}`),
    ...calls.map(({ id, name, arguments: input, vendor }) => `${id}${name}${input}${wrote(vendor)}`),
  ];
  return parts.reduce(
    (sum, part) => sum + FRAME_TOKENS + estimateTokens(part),
    FRAME_TOKENS + estimateTokens(message.content) + ofMedia,
  );
}

function wrote(vendor: VendorData | undefined): string {
  return vendor === undefined ? "" : JSON.stringify(vendor);
}

/** The size of a message in the form in which the model gets it. */
export type MessageCost = (message: KernelMessage) => number;

export function total(messages: readonly KernelMessage[], cost: MessageCost): number {
  return messages.reduce((sum, message) => sum + cost(message), 0);
}

/** The parts of a conversation; `prompt` and `summary` are made for the room that there is. */
export interface ConversationParts {
  /** The rules and the question, with as much around it as fits into `tokensMax` tokens. */
  prompt: (tokensMax: number) => readonly KernelMessage[];
  /** The messages after it, calls followed by their results. */
  turns: readonly KernelMessage[];
  /** How many of `turns` the summary stands for already. */
  cut: number;
  /** The summary of the first `cut` turns in at most `tokensMax` tokens; null where nothing was cut. */
  summary: (cut: number, tokensMax: number) => KernelMessage | null;
}

export interface Fitted {
  messages: KernelMessage[];
  /** How many of the turns the summary stands for. */
  cut: number;
}

/**
 * The conversation in `room` tokens; longer only where even the least of it has no room.
 * @param mustCut it is summarized even if it is short: the model has found it too long.
 */
export function fitConversation(parts: ConversationParts, room: number, cost: MessageCost, mustCut = false): Fitted {
  const { turns } = parts;
  const restShare = SHARES.summary + SHARES.recent;
  const summaryMax = (left: number) => (left * SHARES.summary) / restShare;
  const shown = (cut: number, left: number) => {
    const summary = parts.summary(cut, summaryMax(left));
    return summary === null ? turns.slice(cut) : [summary, ...turns.slice(cut)];
  };
  const needed = total(shown(parts.cut, room * restShare), cost);
  const prompt = parts.prompt(room - Math.min(needed, room * restShare));
  const left = room - total(prompt, cost);
  const compress = () => Math.max(parts.cut, cutPoint(turns, (left * SHARES.recent) / restShare, cost));

  let cut = parts.cut;
  const isOver = total(shown(cut, left), cost) > left;
  if (isOver && (mustCut || turns.length > SUMMARY_MESSAGES_MIN)) cut = compress();
  let rest = shortenOld(shown(cut, left), left, cost);
  if (total(rest, cost) > left && cut === parts.cut) {
    cut = compress();
    rest = shortenOld(shown(cut, left), left, cost);
  }
  const messages = [...prompt, ...rest];
  return { messages: total(messages, cost) > room ? squeeze(messages, prompt.length - 1, room, cost) : messages, cut };
}

/** The first of the newest turns that fit into `max`: never a result without its call, and at least the newest answer. */
export function cutPoint(turns: readonly KernelMessage[], max: number, cost: MessageCost): number {
  let left = max;
  let cut = turns.length;
  let hasAnswer = false;
  for (let i = turns.length - 1; i >= 0; i--) {
    const turn = turns[i];
    if (turn === undefined) break;
    left -= cost(turn);
    if (left < 0 && hasAnswer) break;
    if (turn.role !== "tool") cut = i;
    if (turn.role === "assistant") hasAnswer = true;
  }
  return cut;
}

/** Shortens what tools answered and what they were called with, the oldest first, until it fits. */
function shortenOld(messages: readonly KernelMessage[], max: number, cost: MessageCost): KernelMessage[] {
  const fitted = [...messages];
  let excess = total(fitted, cost) - max;
  const newest = newestAnswer(fitted);
  for (const [i, message] of fitted.entries()) {
    if (excess <= 0) break;
    if (message.role !== "assistant" && message.role !== "tool") continue;
    const shorter = shortenTo(message, RESULT_TOKENS_KEPT, i === newest);
    excess -= cost(message) - cost(shorter);
    fitted[i] = shorter;
  }
  return fitted;
}

/**
 * The least that is left: everything but the rules gets its fair share, and the question is the last to lose.
 * @param questionAt the place of the question: behind the rules and the conversation before.
 */
function squeeze(
  messages: readonly KernelMessage[],
  questionAt: number,
  room: number,
  cost: MessageCost,
): KernelMessage[] {
  let squeezed = [...messages];
  const newest = newestAnswer(messages);
  const isTalk = ({ role }: KernelMessage, i: number) => role !== "system" && i < questionAt;
  const isWords = ({ role }: KernelMessage, i: number) => role === "user" && i > questionAt;
  for (const isDue of [isTalk, isWork, isWords, ({ role }: KernelMessage) => role === "user"]) {
    for (let tries = 0; tries < SQUEEZE_TRIES; tries++) {
      const excess = total(squeezed, cost) - room;
      if (excess <= 0) return squeezed;
      const costs = squeezed.map((message, i) => (isDue(message, i) ? cost(message) : 0));
      const shares = shareOut(costs, Math.max(0, sum(costs) - excess));
      squeezed = squeezed.map((message, i) => {
        const [before, share] = [costs[i] ?? 0, shares[i] ?? 0];
        if (!isDue(message, i) || share >= before) return message;
        return shortenTo(message, Math.floor(share * TIGHTER ** tries), i === newest);
      });
    }
  }
  return squeezed;
}

const isWork = ({ role }: KernelMessage) => role === "assistant" || role === "tool";

function newestAnswer(messages: readonly KernelMessage[]): number {
  return messages.findLastIndex(({ role }) => role === "assistant");
}

/**
 * A message of some `max` tokens. An answer of a tool keeps the names of the tool, of the call and of the artifact.
 * @param keepsThoughts a signed thought cannot be shortened: it stays whole, as the newest must, or goes.
 */
export function shortenTo(message: KernelMessage, max: number, keepsThoughts = false): KernelMessage {
  if (message.role === "assistant") {
    const { thoughts, ...rest } = message;
    const room = Math.floor(max / (message.calls.length + 1));
    const content = shortenQuoted(message.content, room);
    const calls = message.calls.map((call) => shortenCall(call, room));
    return { ...rest, content, calls, ...(keepsThoughts && { thoughts }) };
  }
  if (message.role !== "tool")
    return message.role === "system" ? message : { ...message, content: shortenQuoted(message.content, max) };
  const { tool, callId, artifact } = message;
  const where = artifact === undefined ? "" : `; all of it: ${artifact}`;
  if (estimateTokens(message.content) <= max) return message;
  const note = `[shortened: ${tool}, call ${callId}${where}]\n`;
  const text = message.content.startsWith(note) ? message.content.slice(note.length) : message.content;
  return { ...message, content: note + shortenQuoted(text, max - estimateTokens(note)) };
}

/** Arguments stay JSON: endpoints that parse what they are sent choke on torn JSON. Other arguments were not signed. */
function shortenCall({ vendor, ...call }: ToolCall, max: number): ToolCall {
  if (estimateTokens(call.arguments) <= max) return { ...call, vendor };
  const shortened = shorten(call.arguments, max, (char, before) =>
    countTokens(JSON.stringify(char).slice(1, -1), before),
  );
  return { ...call, arguments: JSON.stringify({ shortened }) };
}

/** A text that is quoted where it is shown: each line is indented, and its tags are disarmed. */
function shortenQuoted(text: string, max: number): string {
  if (estimateTokens(text) <= max) return text;
  return shorten(text, max, (char, before) =>
    countTokens(char === "\n" ? "\n    " : char === "<" ? "&lt;" : char, before),
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0);
}
