/** The time, once a second, for what counts up or down on the page. Only what reads it is drawn again. */
import { signal } from "@preact/signals";

const TICK_MS = 1_000;

export const nowMs = signal(Date.now());

/** Starts the clock. */
export function startClock(): void {
  setInterval(() => {
    nowMs.value = Date.now();
  }, TICK_MS);
}
