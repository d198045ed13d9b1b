/** Waiting with an end. */
import { setTimeout as wait } from "node:timers/promises";

/** Calls `look` until it returns something, at most for `ms`. @returns null when the time is over. */
export async function waitUntil<T>(ms: number, everyMs: number, look: () => Promise<T | null>): Promise<T | null> {
  const deadline = performance.now() + ms;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (performance.now() > deadline) return null;
    await wait(everyMs);
  }
}
