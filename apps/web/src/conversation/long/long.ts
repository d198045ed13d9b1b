/** Loads what draws a long conversation, once there is one. */
import { effect, signal } from "@preact/signals";
import { loaded } from "../../markdown/loaded.ts";
import { messages } from "../../model/state.ts";

/** With fewer messages nothing is gained. */
const LONG_MESSAGES = 100;

/** The parts that draw a long conversation; undefined while it is short. */
export const long = signal<typeof import("./past.tsx") | undefined>(undefined);

/** Whether that will not come: the conversation is drawn as a short one, then. */
export const isShort = signal(false);

effect(() => {
  if (messages.value.length >= LONG_MESSAGES && long.value === undefined) void loadLong();
});

/** Loads it once; tries again with the next message where it could not be loaded. */
export async function loadLong(): Promise<void> {
  long.value ??= await loaded(() => import("./past.tsx"));
  isShort.value = long.value === undefined;
}
