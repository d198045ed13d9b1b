/** How long a text is to a model: a CJK character costs 0.75 tokens, and 3.7 others cost one (measured; SPEC F4). */

export const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff00-\uffef]/u;
export const CJK_RUNS = new RegExp(`${CJK.source}+`, "gu");
export const TOKENS_PER_CJK = 0.75;
export const CHARS_PER_TOKEN = 3.7;

/** The characters of `text`, each of CJK counted as those that cost as many tokens: for bounds that hold in any script. */
export function weigh(text: string): number {
  let weight = text.length;
  for (const [run] of text.matchAll(CJK_RUNS))
    weight += [...run].length * TOKENS_PER_CJK * CHARS_PER_TOKEN - run.length;
  return weight;
}
