/** How long a text is to a model, and how it is made to fit: bounds are kept by an estimate, not by a tokenizer. */
import { countTokens } from "@mimikit/core/memory/weigh";

/** Of a text that is too long, this much of what remains is its beginning. */
const HEAD_SHARE = 0.5;

/** The tokens of `text`, estimated for the tokenizer that splits it most (SPEC F4). */
export function estimateTokens(text: string): number {
  return Math.ceil(countTokens(text));
}

/** The cost of a character. @param before the character before it; none at the beginning. */
export type CharCost = (char: string, before: string) => number;

/**
 * `text` with its middle left out, and a note in its place, where it costs more than `max`. Its end stays: that is
 * where the question is. Less than a note never remains.
 */
export function shorten(text: string, max: number, costOf: CharCost = countTokens): string {
  const chars = [...text];
  const costs = costsOf(chars, costOf);
  if (sum(costs) <= max) return text;
  const room = Math.max(0, max - sum(costsOf([...noteOf(chars.length)], costOf)) - costOf("x", ""));
  let head = 0;
  let spent = 0;
  for (; spent + (costs[head] ?? 0) <= room * HEAD_SHARE; head++) spent += costs[head] ?? 0;
  let tail = chars.length;
  for (; spent + (costs[tail - 1] ?? 0) <= room; tail--) spent += costs[tail - 1] ?? 0;
  return `${chars.slice(0, head).join("")}${noteOf(tail - head)}${chars.slice(tail).join("")}`;
}

function noteOf(left: number): string {
  return ` [… ${left} characters left out …] `;
}

function costsOf(chars: readonly string[], costOf: CharCost): number[] {
  return chars.map((char, i) => costOf(char, chars[i - 1] ?? ""));
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
