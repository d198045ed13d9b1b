/**
 * Summarises the conversation before a turn that must be compressed: the Teller's own words, or a summary by rule (SPEC
 * F3). It is made once, by the run, and is then part of the turn.
 */

import { EFFECTS_MAX, type Effect } from "@mimikit/protocol/records/effect";
import { HISTORY_MESSAGES_MIN } from "../prompt/recent-history.ts";
import { type SummedTalk, summarizeTalk } from "../session/summarize-talk.ts";

export { summarizeTalk };

/**
 * The effects of a turn, with a summary in each that wants one. If the model could not take all that it was shown, and
 * it is not compressed, that is done now: so it happens once, and again only when as much has been said again.
 */
export function compress(effects: readonly Effect[], talk: SummedTalk, wasTooLong: boolean): Effect[] {
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
