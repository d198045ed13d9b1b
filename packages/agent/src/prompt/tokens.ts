/** How long a text is to a model, and how it is made to fit: bounds are kept by an estimate, not by a tokenizer. */
import { CHARS_PER_TOKEN, CJK, CJK_RUNS, TOKENS_PER_CJK } from "@mimikit/core/memory/weigh";

/** Of a text that is too long, this much of what remains is its beginning. */
const HEAD_SHARE = 0.5;
const NOTE_CHARS_MAX = 48;

/** The tokens of `text`: `0.75·CJK characters + others/3.7` (SPEC F4). */
export function estimateTokens(text: string): number {
  let cjk = 0;
  let units = 0;
  for (const [run] of text.matchAll(CJK_RUNS)) {
    cjk += [...run].length;
    units += run.length;
  }
  return Math.ceil(cjk * TOKENS_PER_CJK + (text.length - units) / CHARS_PER_TOKEN);
}

/** The tokens that one character adds, unrounded; of a text without CJK characters, what it adds as a whole. */
export function tokensOf(char: string): number {
  return CJK.test(char) ? TOKENS_PER_CJK : char.length / CHARS_PER_TOKEN;
}

/**
 * `text` with its middle left out, and a note in its place, where it costs more than `max`. Its end stays: that is
 * where the question is. Less than a note never remains.
 */
export function shorten(text: string, max: number, costOf: (char: string) => number = tokensOf): string {
  const chars = [...text];
  const costs = chars.map(costOf);
  if (sum(costs) <= max) return text;
  const room = Math.max(0, max - NOTE_CHARS_MAX * costOf("x"));
  let head = 0;
  let spent = 0;
  for (; spent + (costs[head] ?? 0) <= room * HEAD_SHARE; head++) spent += costs[head] ?? 0;
  let tail = chars.length;
  for (; spent + (costs[tail - 1] ?? 0) <= room; tail--) spent += costs[tail - 1] ?? 0;
  const note = ` [… ${tail - head} characters left out …] `;
  return `${chars.slice(0, head).join("")}${note}${chars.slice(tail).join("")}`;
}

/** Fair shares of `total`: what costs less than its share leaves the rest to the others. */
export function shareOut(costs: readonly number[], total: number): number[] {
  const shares = costs.map(() => 0);
  let left = total;
  let waiting = costs.length;
  for (const [i, cost] of [...costs.entries()].sort(([, a], [, b]) => a - b)) {
    const share = Math.min(cost, left / waiting--);
    shares[i] = share;
    left -= share;
  }
  return shares;
}

/** As many of `lines`, from the first on, as cost no more than `max` tokens. */
export function takeWithin<Line extends string>(lines: readonly Line[], max: number): Line[] {
  let left = max;
  const end = lines.findIndex((line) => {
    left -= estimateTokens(line) + 1;
    return left < 0;
  });
  return end < 0 ? [...lines] : lines.slice(0, end);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
