/** What a view wants changed: a wish is accepted first, and carried out a moment later. */
import { call } from "../call.ts";

/** It is carried out within milliseconds; one that waits for a firing before it takes longer. */
const LOOKS_MAX = 20;
const LOOK_EVERY_MS = 250;

/**
 * Sends a wish and looks until `look` sees something else than before, or long enough.
 * @returns whether it was accepted; else the notice says why.
 */
export async function wish(path: string, body: unknown, look: () => Promise<unknown>): Promise<boolean> {
  const before = JSON.stringify(await look());
  if ((await call("POST", path, body)) === undefined) return false;
  for (let looks = 0; looks < LOOKS_MAX; looks++) {
    if (JSON.stringify(await look()) !== before) break;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  return true;
}
