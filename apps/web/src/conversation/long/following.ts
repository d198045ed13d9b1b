import { signal } from "@preact/signals";

/** Whether the conversation stays at its end while it grows. */
export const following = signal(true);
