/** The message that the draft replies to; it survives a reload, as the draft does. */
import { effect, signal } from "@preact/signals";
import { store } from "../storage/storage.ts";

const KEY = "mimikit.draft.quote";

/** Its id. */
export const quoted = signal(localStorage.getItem(KEY) ?? undefined);

effect(() => {
  store(KEY, quoted.value);
});

/** The draft replies to nothing any more. */
export function dropQuoted(): void {
  quoted.value = undefined;
}
