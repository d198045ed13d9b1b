/** Where moments are on a line from one moment to another, and which of them are named below it. Pure. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const STEPS_MS = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE_MS),
  ...[1, 2, 3, 6, 12, 24].map((n) => n * HOUR_MS),
];
/** More names than this would run into each other on a phone. */
const TICKS_MAX = 5;
/** Events within so little time are given by how long after the beginning they were. */
const RELATIVE_MS_MAX = 10 * MINUTE_MS;

export interface Scale {
  fromMs: number;
  toMs: number;
  /** The ticks say how long after `fromMs`, and not what the clock says. */
  isRelative: boolean;
  ticks: number[];
}

/** @param offsetMs of the reader's clock from UTC, so that full hours are those of the reader. */
export function scaleOf(fromMs: number, untilMs: number, offsetMs: number): Scale {
  const toMs = Math.max(untilMs, fromMs + SECOND_MS);
  const isRelative = toMs - fromMs <= RELATIVE_MS_MAX;
  const step = STEPS_MS.find((ms) => (toMs - fromMs) / ms <= TICKS_MAX) ?? toMs - fromMs;
  const first = isRelative ? fromMs : Math.ceil((fromMs + offsetMs) / step) * step - offsetMs;
  const count = Math.floor((toMs - first) / step) + 1;
  return { fromMs, toMs, isRelative, ticks: Array.from({ length: count }, (_, i) => first + i * step) };
}

/** How far along a moment is, in percent; what is outside is at the end that is nearer. */
export function shareOf(atMs: number, { fromMs, toMs }: Scale): number {
  return Math.min(100, Math.max(0, ((atMs - fromMs) / (toMs - fromMs)) * 100));
}
