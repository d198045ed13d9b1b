/** A message of a conversation in less room: its beginning and its end, cut between paragraphs. */

import { countTokens } from "@mimikit/core/memory/weigh";
import { beginningOf, endOf } from "@mimikit/protocol/texts/whole-characters";

/** A cut that saves less is not made. */
export const SAVED_CHARS_MIN = 200;
/** Of what is left, this much is the beginning. */
const HEAD_SHARE = 0.6;
/** A border counts that keeps at least this part of the room. */
const BORDER_SHARE_MIN = 0.5;
const BORDERS = ["\n\n", "\n", " "];
const NOTE_CHARS = 40;
/** Tokens are told from so much of a text. */
const SAMPLE_CHARS = 8_000;

/** The tokens of a text, told from its beginning where it is long. */
export function sampleTokens(text: string): number {
  if (text.length <= SAMPLE_CHARS) return Math.ceil(countTokens(text));
  return Math.ceil((countTokens(text.slice(0, SAMPLE_CHARS)) * text.length) / SAMPLE_CHARS);
}

/** `text` in about `tokensMax` tokens. */
export function shortenToTokens(text: string, tokensMax: number): string {
  const tokens = sampleTokens(text);
  if (tokens <= tokensMax) return text;
  return shortenAtBorders(text, Math.floor((text.length * Math.max(0, tokensMax)) / tokens));
}

/** `text` in about `charsMax` characters; whole where that would save less than 200. */
export function shortenAtBorders(text: string, charsMax: number): string {
  if (text.length - charsMax < SAVED_CHARS_MIN) return text;
  const room = Math.max(0, charsMax - NOTE_CHARS);
  const head = beginning(text, Math.ceil(room * HEAD_SHARE));
  const tail = ending(text, room - head.length);
  const left = text.length - head.length - tail.length;
  return [head, `[… ${left} characters left out …]`, tail].filter((part) => part !== "").join("\n\n");
}

function beginning(text: string, max: number): string {
  const whole = beginningOf(text, max);
  const end = BORDERS.map((border) => whole.lastIndexOf(border)).find((at) => at >= max * BORDER_SHARE_MIN);
  return whole.slice(0, end).trimEnd();
}

function ending(text: string, max: number): string {
  const whole = endOf(text, max);
  const start = BORDERS.map((border) => whole.indexOf(border)).find((at) => at >= 0 && at <= max * BORDER_SHARE_MIN);
  return whole.slice(start ?? 0).trimStart();
}
