/** A change requested by a view: the command is accepted first, and carried out a moment later. */

import { viewWords } from "../i18n/view-words.ts";
import { call } from "./call.ts";
import { notice } from "./state.ts";

/** It is carried out within milliseconds; one that waits for a firing before it takes longer. */
const LOOKS_MAX = 20;
const LOOK_EVERY_MS = 250;

/**
 * Sends a command and looks until `look` sees something else than before, or long enough.
 * @returns whether it was accepted; where nothing was seen of it until then, the notice says so, and else the notice says why.
 */
export async function sendCommand(path: string, body: unknown, look: () => Promise<unknown>): Promise<boolean> {
  const before = JSON.stringify(await look());
  if ((await call("POST", path, body)) === undefined) return false;
  for (let looks = 0; looks < LOOKS_MAX; looks++) {
    if (JSON.stringify(await look()) !== before) return true;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  notice.value = viewWords.acceptedSoon;
  return true;
}
