import { signal } from "@preact/signals";

/** The message that its reader was led to: it is drawn wherever it is. */
export const sought = signal<string | undefined>(undefined);
