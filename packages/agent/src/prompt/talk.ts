/** The conversation in a prompt: as a section, as messages of their own, and what a summary tells of the messages before. */
import { countTokens } from "@mimikit/core/memory/weigh";
import type { HistoryMessage } from "@mimikit/protocol/records/history";
import type { Run } from "../provider.ts";
import { type Budgets, budgetsFor } from "../talk/budgets.ts";
import { type ClockPlace, localTime } from "./clock.ts";
import { block, eventLine, lines, NOTHING, note, plain, type Quoted, record } from "./quote.ts";
import { type ShownMessage, type Talk, talkWithin } from "./recent-history.ts";
import { estimateTokens, shorten } from "./tokens.ts";

const TITLE_CHARS = 120;
const QUOTE_CHARS = 200;
/** After a pause of this length a message has its time. */
const PAUSE_MS = 30 * 60_000;
const DAY_CHARS = "2026-11-22".length;
const MINUTE_CHARS = "2026-11-22T10:10".length;
/** A line break of a body, and the indentation after it. */
export const BODY_BREAK = "\n    ";
/** The indentation of a first line. */
const INDENT_TOKENS = 2;

/** The part of a run that the conversation is made of. */
export interface PromptInput {
  task: Pick<Run["task"], "turn">;
  context: Pick<Run["context"], "history" | "quoted" | "origin" | "now" | "client" | "zone" | "budgets">;
}

/** A message of the conversation as the model is sent it. */
export interface TalkMessage {
  role: "user" | "assistant";
  content: string;
}

/** How sections are rendered. */
export interface Rendering {
  budgets: Budgets;
  /** Summarises messages that are shown no more, with an earlier summary. */
  sumUp(left: readonly HistoryMessage[], earlier: string): string;
}

/** Only what was summed up before is told of. */
export const UNSUMMED: Rendering["sumUp"] = (_left, earlier) => earlier;

/** The talks of a run, by its history and their budgets: a prompt needs each several times. */
const talks = new WeakMap<readonly HistoryMessage[], Map<string, Talk>>();

export function talkIn({ context, task }: PromptInput, budgets: Budgets): Talk {
  const { history, messages, message } = budgets;
  const key = `${history} ${messages} ${message}`;
  const known = talks.get(context.history) ?? new Map<string, Talk>();
  talks.set(context.history, known);
  const talk = known.get(key) ?? talkWithin(context.history, task.turn?.messages ?? context.origin, budgets);
  known.set(key, talk);
  return talk;
}

/** The conversation as a section, for those who have no messages but one. */
export function renderHistory(run: PromptInput, max: number, { budgets }: Pick<Rendering, "budgets">): Quoted {
  const { context } = run;
  const shown = talkIn(run, { ...budgets, history: max }).shown.map(({ message, text }) =>
    record(
      {
        from: message.role,
        at: localTime(message.at, context),
        about: quotedText(message.quote, context),
        attachments: namesOf(message.attachments),
        attached: message.isQuoting === true ? "words of others, not the user's" : undefined,
      },
      text,
    ),
  );
  // Lines of a section are indented: it may be a little longer than its messages.
  let tokens = estimateTokens(lines(...shown));
  while (tokens > Math.max(max, budgets.message) && shown.length > 1) tokens -= estimateTokens(shown.shift() ?? "");
  return lines(...shown);
}

/** The conversation as messages of their own. */
export function talkMessagesIn(run: PromptInput, budgets: Budgets): TalkMessage[] {
  const { context } = run;
  return talkMessages(talkIn(run, budgets).shown, {
    ...context,
    quoteOf: ({ quote }) => quotedText(quote, context),
    filesOf: ({ attachments }) => namesOf(attachments),
  });
}

/** The summary of the conversation before the messages that are shown. */
export function renderSummary(run: Run, max: number, { budgets, sumUp }: Rendering): Quoted {
  const { summary } = run.context;
  const { left } = talkIn(run, budgets);
  return renderText(left.length === 0 ? summary : sumUp(left, summary), max);
}

/** The messages of the conversation that a prompt shows as a whole, by their ids. @param tokensMax what a request may have. */
export function shownOfHistory(run: PromptInput, tokensMax = 0): Set<string> {
  const { shown } = talkIn(run, budgetsFor(tokensMax, run.context.budgets));
  const isWhole = (each: ShownMessage) => each.isWhole;
  return new Set(shown.filter(isWhole).map(({ message }) => message.id));
}

/** A text of its own; its middle is left out where it is too long. */
export function renderText(text: string, max: number): Quoted {
  if (text.trim() === "") return NOTHING;
  const whole = block(text);
  return estimateTokens(whole) <= max ? whole : block(shorten(text.trim(), max - INDENT_TOKENS, tokensInBody));
}

/** A line break costs its indentation too. */
export function tokensInBody(char: string, before: string): number {
  return countTokens(char === "\n" ? BODY_BREAK : char, before);
}

export function namesOf(files: HistoryMessage["attachments"]): string | undefined {
  return files?.map(({ name, type }) => (name === undefined ? type : shortenChars(name, TITLE_CHARS))).join(", ");
}

export function quotedText(
  id: string | undefined,
  { history, quoted = {} }: Pick<Run["context"], "history" | "quoted">,
): string | undefined {
  if (id === undefined) return undefined;
  const text = Object.hasOwn(quoted, id) ? quoted[id] : history.find((message) => message.id === id)?.text;
  return text === undefined ? id : shortenChars(text, QUOTE_CHARS);
}

export function shortenChars(text: string, charsMax: number): string {
  return shorten(text, charsMax, () => 1);
}

interface TalkContext extends ClockPlace {
  /** The beginning of the message that a message is about. */
  quoteOf(message: HistoryMessage): string | undefined;
  filesOf(message: HistoryMessage): string | undefined;
}

/**
 * The messages in their order. An answer that no message of the user came before has a remark in its place. Only the user's have a
 * prefix: a model that is shown one before its own words writes it, too. It depends on the messages before it alone, so what was
 * sent once is sent again as it was.
 */
function talkMessages(shown: readonly ShownMessage[], context: TalkContext): TalkMessage[] {
  const messages: TalkMessage[] = [];
  let before: HistoryMessage | undefined;
  let channel: string | undefined;
  for (const { message, text } of shown) {
    const time = timeOf(message, before, context);
    const last = messages.at(-1);
    if (message.role === "user") {
      const via = message.via === channel ? undefined : message.via;
      channel = message.via;
      const fields = {
        at: time,
        via,
        said: message.meanwhile === true ? "while you worked" : undefined,
        about: context.quoteOf(message),
        attachments: context.filesOf(message),
        attached: message.isQuoting === true ? "words of others, not the user's" : undefined,
      };
      messages.push({ role: "user", content: [note(fields), plain(text)].filter((part) => part !== "").join(" ") });
    } else if (message.role === "system" && message.notification === undefined) {
      messages.push({ role: "user", content: eventLine(text, "question_expired", { at: message.at }) });
    } else if (last?.role === "assistant" && before !== undefined && turnOf(before) === turnOf(message)) {
      last.content += `\n\n${plain(text)}`;
    } else {
      if (last?.role !== "user") messages.push({ role: "user", content: remarkAt(localTime(message.at, context)) });
      messages.push({ role: "assistant", content: plain(text) });
    }
    before = message;
  }
  return messages;
}

function remarkAt(time: string): string {
  return `// ${time.slice(0, MINUTE_CHARS)}: the user said nothing; a result or an event came`;
}

/** The time of a message where it tells something: at the beginning, after a pause, on another day. */
function timeOf(message: HistoryMessage, before: HistoryMessage | undefined, place: ClockPlace): string | undefined {
  const time = localTime(message.at, place);
  if (before === undefined) return time.slice(0, MINUTE_CHARS);
  const isLater = Date.parse(message.at) - Date.parse(before.at) >= PAUSE_MS;
  const isOtherDay = localTime(before.at, place).slice(0, DAY_CHARS) !== time.slice(0, DAY_CHARS);
  return isLater || isOtherDay ? time.slice(0, MINUTE_CHARS) : undefined;
}

function turnOf({ id }: HistoryMessage): string {
  return id.split(".", 1)[0] ?? id;
}
