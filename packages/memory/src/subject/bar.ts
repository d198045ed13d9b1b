/** The bar that a text must clear to be recalled: whether it has enough of what a message is about. */
import type { Subject } from "./subject.ts";

/** The share of the weight of a message's words that a text must have. */
const SHARE_MIN = 0.5;
/** A long message is about several things: of its words no more count than two that only one text has. */
const RARE_WORDS_MAX = 1.5;

/** Says whether a text clears the bar, by the bits of the words that it has, and that it has together with its neighbours. */
export type Bar = (own: number, around: number) => boolean;

/** How rare a word is among texts; a word that none of them has counts as one that a single text has. */
export function rarityOf(holders: number, texts: number): number {
  const count = Math.max(1, holders);
  return Math.log(1 + Math.max(0, texts - count + 0.5) / (count + 0.5));
}

/**
 * @param subject whose words are bits, from the lowest on; those of its topic follow.
 * @param holders of each word of the subject, how many texts have it.
 */
export function barFor({ words, topic }: Subject, holders: readonly number[], texts: number): Bar {
  const rarities = words.map((_, i) => rarityOf(holders[i] ?? 0, texts));
  const asked = words.reduce((sum, { isExtra }, i) => sum + (isExtra ? 0 : (rarities[i] ?? 0)), 0);
  const enough = SHARE_MIN * Math.min(asked, RARE_WORDS_MAX * rarityOf(1, texts));
  const bitsOf = (isMeant: (i: number) => boolean) =>
    words.reduce((bits, _, i) => (isMeant(i) ? bits | (1 << i) : bits), 0);
  const telling = topic === null ? bitsOf((i) => words[i]?.isCommon === false) : bitsOf(() => true);
  const ofTopic = (topic ?? []).reduce((bits, _, i) => bits | (1 << (words.length + i)), 0);
  return (own, around) => {
    if ((own & telling) === 0) return false;
    if (topic !== null && (around & ofTopic) === 0) return false;
    let share = 0;
    for (let i = 0; i < words.length; i++) if ((around & (1 << i)) !== 0) share += rarities[i] ?? 0;
    return share >= enough;
  };
}
