/** The decisions of the reader about the first steps; they are kept in this browser only. */
import { signal } from "@preact/signals";
import { store } from "./storage.ts";

const KEY = "mimikit.first-steps";

/** A step that was passed over, or all of it hidden. */
export type FirstStep = "model" | "autonomy" | "ask" | "notifications" | "phone" | "hidden";

export const decided = signal<ReadonlySet<string>>(new Set(localStorage.getItem(KEY)?.split(" ")));
/** How often they were asked for since the last message was sent: while it is not 0, they stand below the conversation. */
export const timesAsked = signal(0);

/** Keeps the decision, or takes it back. */
export function decide(what: FirstStep, isSo: boolean): void {
  const next = new Set(decided.value);
  if (isSo) next.add(what);
  else next.delete(what);
  decided.value = next;
  store(KEY, [...next].join(" "));
}

/** Shows them, wherever the conversation is. */
export function showFirstSteps(): void {
  decide("hidden", false);
  timesAsked.value++;
}

/** Takes them away from an empty page for good, or from below the conversation. */
export function hideFirstSteps(): void {
  decide("hidden", true);
  timesAsked.value = 0;
}
