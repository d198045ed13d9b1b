/** Measured numbers by name, and the way in which those of several rounds become one cell of a table. */

/** The figures of one round, by their names, which say their units. */
export type Figures = Record<string, number>;

/** The value below which that share (0 to 1) of the values lies; NaN where there are none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** The figures of one thing that took a time each time, in milliseconds. */
export function latencies(what: string, times: readonly number[]): Figures {
  return { [`${what}, p50, ms`]: quantile(times, 0.5), [`${what}, p99, ms`]: quantile(times, 0.99) };
}

/** `3.9 (3.1–4.4)`: the median of the rounds, with the least and the most. */
export function rangeOf(values: readonly number[]): string {
  if (values.length === 0) return "–";
  const [middle, least, most] = [median(values), Math.min(...values), Math.max(...values)].map(numberText);
  return least === most ? `${middle}` : `${middle} (${least}–${most})`;
}

function numberText(value: number): string {
  const digits = Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0;
  return value.toLocaleString("en", { maximumFractionDigits: digits });
}
