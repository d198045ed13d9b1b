/** A small seeded generator (mulberry32): the same seed is the same run, on every machine. */
export type Random = () => number;

export function randomOf(seed: number): Random {
  let state = seed >>> 0 || 1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A whole number from 0 to `below - 1`. */
export function below(random: Random, limit: number): number {
  return Math.floor(random() * limit);
}
