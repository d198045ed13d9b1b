/**
 * How many tokens the parts of a prompt may take, as shares of the model's window (docs/decisions/0074). At 16k and below they are
 * the numbers of SPEC F1; above, the shares of it, and the owner's settings bound what each request costs.
 */
import type { SectionName } from "../roles/index.ts";

/** Windows up to this size have the fixed numbers. */
export const SMALL_WINDOW_TOKENS = 16_384;
/** The window of a provider that does not say how much it takes: an agent CLI. */
const UNKNOWN_WINDOW_TOKENS = 200_000;

/** Shares of a window above 16k. */
const HISTORY_SHARE = 0.5;
const MEMORY_SHARE = 0.125;
const SUMMARY_SHARE = 0.2;
const DOCUMENTS_SHARE = 0.25;
/** The part of a window, of any size, up to which one message is whole. */
export const MESSAGE_SHARE = 0.25;

const SMALL = { history: 4_096, memory: 2_048, summary: 3_072 } as const;
/** A summary of more is no summary. */
const SUMMARY_TOKENS_MAX = 8_192;
const DOCUMENTS_TOKENS_MAX = 32_768;
/** A larger window shows as many as it has tokens for. */
const SMALL_MESSAGES_MAX = 20;

/** The settings `context.historyTokens` and `context.memoryTokens`. */
export interface BudgetSettings {
  historyTokens: number;
  memoryTokens: number;
}
/** docs/decisions/0074 has the reasons. */
export const DEFAULT_BUDGETS: BudgetSettings = { historyTokens: 32_768, memoryTokens: 4_096 };

export interface Budgets {
  /** Tokens of the conversation. */
  history: number;
  /** Messages of it that are shown if there are tokens for them, and up to a quarter more; Infinity where only tokens count. */
  messages: number;
  memory: number;
  summary: number;
  documents: number;
  /** Tokens up to which one message is whole. */
  message: number;
}

/** @param tokensMax what a request may have: the window without what is kept for the answer. */
export function budgetsFor(tokensMax: number, settings: BudgetSettings = DEFAULT_BUDGETS): Budgets {
  const tokens = Number.isFinite(tokensMax) ? tokensMax : UNKNOWN_WINDOW_TOKENS;
  const message = Math.floor(tokens * MESSAGE_SHARE);
  if (tokens <= SMALL_WINDOW_TOKENS)
    return {
      history: Math.min(SMALL.history, settings.historyTokens),
      messages: SMALL_MESSAGES_MAX,
      memory: Math.min(SMALL.memory, settings.memoryTokens),
      summary: SMALL.summary,
      documents: 0,
      message,
    };
  const share = (of: number, max: number) => Math.floor(Math.min(tokens * of, max));
  return {
    history: share(HISTORY_SHARE, settings.historyTokens),
    messages: Number.POSITIVE_INFINITY,
    memory: share(MEMORY_SHARE, settings.memoryTokens),
    summary: share(SUMMARY_SHARE, SUMMARY_TOKENS_MAX),
    documents: share(DOCUMENTS_SHARE, DOCUMENTS_TOKENS_MAX),
    message,
  };
}

/** The bound of a section. @param small the bound at 16k and below. */
export function boundOf(name: SectionName, small: number, budgets: Budgets): number {
  switch (name) {
    case "history":
      return budgets.history;
    case "memory":
      return budgets.memory;
    case "summary":
      return budgets.summary;
    case "documents":
      return Math.max(small, budgets.documents);
    case "inputs":
      return Math.max(small, 2 * budgets.message);
    default:
      return small;
  }
}
