/** A page of the history as tools show it: so many messages, each cut to a length that a model can take in. */
import type { SaidMessage } from "@mimikit/memory/search/said-entry";
import { shorten } from "../prompt/tokens.ts";

export const PAGE_MESSAGES_MAX = 20;
const MESSAGE_CHARS_MAX = 2_000;

export function shownMessage({ id, role, at, text }: SaidMessage): Omit<SaidMessage, "marker"> {
  return { id, role, at, text: shorten(text, MESSAGE_CHARS_MAX, () => 1) };
}
