/**
 * For how long what conditions look at has stayed the same, as far as one process has looked. Nothing of it is on disk: a process
 * that begins anew waits once more, and no change is lost, because each is compared with a baseline that is.
 */
import type { QuietPath } from "./condition.ts";

/**
 * A file that never rests counts as settled after so many times as long as it was to rest: a log that grows every second
 * would otherwise never be acted upon.
 */
export const PATIENCE_FACTOR = 30;

interface Seen {
  /** null while it moves. */
  stamp: string | null;
  /** Since when it is as it is, milliseconds since the epoch. */
  sinceMs: number;
  /** Since when it has not rested for as long as it must. */
  restlessMs: number;
}

export class Rests {
  private seen = new Map<string, Seen>();

  /**
   * Notes what is there now, and forgets all that is not asked for any more.
   * @param isMoving whether a path is known to change, though its stamp is still the one of an earlier look.
   * @param nowMs wall clock; one that was set back begins the rest anew.
   * @returns whether what is at a path has settled.
   */
  look(
    asked: readonly QuietPath[],
    stamps: ReadonlyMap<string, string>,
    isMoving: (path: string) => boolean,
    nowMs: number,
  ): (path: string, settleSec: number) => boolean {
    const seen = new Map<string, Seen>();
    for (const { path, settleSec } of asked) {
      const key = keyOf(path, settleSec);
      const stamp = stamps.get(path);
      // It could not be read: the next sight of it counts as the first.
      if (stamp === undefined) continue;
      seen.set(key, next(this.seen.get(key), isMoving(path) ? null : stamp, settleSec * 1_000, nowMs));
    }
    this.seen = seen;
    return (path, settleSec) => {
      const found = seen.get(keyOf(path, settleSec));
      if (found === undefined) return false;
      const settleMs = settleSec * 1_000;
      return nowMs - found.sinceMs >= settleMs || nowMs - found.restlessMs >= PATIENCE_FACTOR * settleMs;
    };
  }
}

function next(before: Seen | undefined, stamp: string | null, settleMs: number, nowMs: number): Seen {
  if (before === undefined || nowMs < before.sinceMs) return { stamp, sinceMs: nowMs, restlessMs: nowMs };
  if (before.stamp === stamp && stamp !== null) return before;
  const hasRested = nowMs - before.sinceMs >= settleMs;
  return { stamp, sinceMs: nowMs, restlessMs: hasRested ? nowMs : before.restlessMs };
}

function keyOf(path: string, settleSec: number): string {
  return `${settleSec} ${path}`;
}
