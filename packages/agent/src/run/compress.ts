/**
 * Summarises the conversation before a turn that must be compressed: the Teller's own words, or a summary by rule (SPEC
 * F3). It is made once, by the run, and is then part of the turn.
 */

import { CONVERSATION_SUMMARY_CHARS_MAX, EFFECTS_MAX, type Effect } from "@mimikit/protocol/records/effect";
import type { HistoryMessage } from "@mimikit/protocol/records/history";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { HISTORY_MESSAGES_MIN } from "../prompt/recent-history.ts";
import { shorten } from "../prompt/tokens.ts";
import type { SessionLine } from "../session/session.ts";
import { NO_SUMMARY, showSummary, summarize } from "../session/summary.ts";
import type { Context } from "../tools/context.ts";

/** The most that an earlier summary keeps in the next one. */
const EARLIER_CHARS_MAX = 1_500;
const SUMMARY_TOKENS_MAX = 1_024;
/** Of a long talk so much is looked through: a summary has few items, and the newest count. */
const MESSAGES_LOOKED_AT = 200;
const MESSAGE_CHARS_LOOKED_AT = 2_000;

type Talk = Pick<Context, "history" | "summary">;

/**
 * The effects of a turn, with a summary in each that wants one. If the model could not take all that it was shown, and
 * it is not compressed, that is done now: so it happens once, and again only when as much has been said again.
 */
export function compress(effects: readonly Effect[], talk: Talk, wasTooLong: boolean): Effect[] {
  const isWanted = effects.some(({ type }) => type === "compress_context");
  // In a turn that says nothing there is no place where the conversation could start over.
  const isSaid = effects.some(({ type }) => type === "reply");
  const isLong = talk.history.length > HISTORY_MESSAGES_MIN;
  const isDue = wasTooLong && !isWanted && isSaid && isLong && effects.length < EFFECTS_MAX;
  const all: Effect[] = isDue ? [...effects, { type: "compress_context" }] : [...effects];
  return all.map((effect) => {
    if (effect.type !== "compress_context" || effect.summary !== undefined) return effect;
    const summary = summarizeTalk(talk);
    return summary === "" ? effect : { type: "compress_context", summary };
  });
}

/** Summarises the talk by rule, in at most CONVERSATION_SUMMARY_CHARS_MAX characters; empty if there was none. */
export function summarizeTalk({ history, summary: earlier }: Talk): string {
  const goal = history.find(({ role }) => role === "user")?.text ?? "";
  const said = summarize(history.slice(-MESSAGES_LOOKED_AT).flatMap(turnOf), NO_SUMMARY, goal);
  const parts = showSummary(said, SUMMARY_TOKENS_MAX).map(({ title, text }) => `${title}:\n${text}`);
  const whole = [shortenChars(earlier, EARLIER_CHARS_MAX), ...parts].filter((part) => part !== "").join("\n\n");
  return shortenChars(whole, CONVERSATION_SUMMARY_CHARS_MAX);
}

function turnOf({ id, role, at, text: whole }: HistoryMessage): SessionLine[] {
  const text = beginningOf(whole, MESSAGE_CHARS_LOOKED_AT);
  if (role === "user") return [{ type: "steer", id, at, text }];
  return role === "assistant" ? [{ type: "assistant", text, calls: [] }] : [];
}

/** Characters as they are counted where they are stored. */
function shortenChars(text: string, max: number): string {
  return shorten(text, max, (char) => char.length);
}
