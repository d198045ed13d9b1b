/** Redeems pairing codes: the one that came with the address, and those that are typed on the pairing screen. */
import { signal } from "@preact/signals";
import { pairAndConnect } from "./connection.ts";
import type { PairOutcome } from "./session.ts";

export const busy = signal(false);
/** Why the last code was of no use. */
export const problem = signal<Exclude<PairOutcome, "paired"> | undefined>(undefined);
export const typed = signal("");

/** Redeems a code; what came of it is shown on the pairing screen. Returns whether the browser is paired now. */
export async function redeem(code: string): Promise<boolean> {
  busy.value = true;
  problem.value = undefined;
  const outcome = await pairAndConnect(code);
  busy.value = false;
  if (outcome === "paired") typed.value = "";
  else problem.value = outcome;
  return outcome === "paired";
}
