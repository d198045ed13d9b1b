/** Coming firings as a picture: a row for each trigger, and in it how often it fires in each slice of the time. */

/** Slices in a row; with a short title it fits a terminal of 80 columns. */
export const SLICES = 56;

/** `·` for none, `●` for one, then a digit, and `#` for ten or more. @param moments milliseconds, in any order. */
export function timelineRow(moments: readonly number[], fromMs: number, toMs: number): string {
  const counts = new Array<number>(SLICES).fill(0);
  for (const ms of moments) {
    const slice = sliceOf(ms, fromMs, toMs);
    counts[slice] = (counts[slice] ?? 0) + 1;
  }
  return counts.map(signOf).join("");
}

/** The line above the rows: the labels for which there is room, each over its own slice. @param labels oldest first. */
export function timelineScale(labels: readonly { ms: number; text: string }[], fromMs: number, toMs: number): string {
  let line = "";
  for (const { ms, text } of labels) {
    const column = sliceOf(ms, fromMs, toMs);
    const isFree = line === "" || column > line.length;
    if (isFree && column + text.length <= SLICES) line = line.padEnd(column) + text;
  }
  return line;
}

function sliceOf(ms: number, fromMs: number, toMs: number): number {
  return Math.min(SLICES - 1, Math.max(0, Math.floor(((ms - fromMs) / (toMs - fromMs)) * SLICES)));
}

function signOf(count: number): string {
  if (count === 0) return "·";
  if (count === 1) return "●";
  return count < 10 ? String(count) : "#";
}
