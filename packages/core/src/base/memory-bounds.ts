/** How much of the conversation makes a note, and how long it may wait (SPEC E2). */

import { weigh } from "../memory/weigh.ts";
import type { TurnSaid } from "./snapshot.ts";
/** When a note is made, and when the window is cut. */
export interface MemoryBounds {
  /** A note ends with the turn that passes this many messages, or characters (`weigh`), or with this many turns. */
  noteMessages: number;
  noteChars: number;
  noteTurns: number;
  /** Nothing that was said stays out of memory for longer. */
  noteAfterSec: number;
  /** With this many messages the window is cut, so long after the last time. */
  windowMessages: number;
  flushEverySec: number;
  /** The part of it that is kept then. */
  windowKept: number;
}

export const MEMORY_BOUNDS: MemoryBounds = {
  noteMessages: 100,
  noteChars: 16_000,
  noteTurns: 100,
  noteAfterSec: 21_600,
  windowMessages: 800,
  flushEverySec: 3_600,
  windowKept: 400,
};

/** The turn with which there is enough for a note; null while there is not. */
export function fullAt(said: readonly TurnSaid[], bounds: MemoryBounds): number | null {
  let messages = 0;
  let chars = 0;
  for (const [i, { turn, messages: spoken }] of said.entries()) {
    messages += spoken.length;
    chars += spoken.reduce((sum, { text }) => sum + weigh(text), 0);
    if (messages > bounds.noteMessages || chars > bounds.noteChars || i + 1 >= bounds.noteTurns) return turn;
  }
  return null;
}

/** Is there enough for a note in what has been read? */
export function isFull(said: readonly TurnSaid[], bounds: MemoryBounds): boolean {
  return fullAt(said, bounds) !== null;
}
