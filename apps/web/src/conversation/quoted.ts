/** The message that the draft replies to; it survives a reload, as the draft does. */
import { effect, signal } from "@preact/signals";

const KEY = "mimikit.draft.quote";

/** Its id. */
export const quoted = signal(localStorage.getItem(KEY) ?? undefined);

effect(() => {
  if (quoted.value === undefined) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, quoted.value);
});

/** The draft replies to nothing any more. @returns what it replied to. */
export function takeQuoted(): string | undefined {
  const id = quoted.value;
  quoted.value = undefined;
  return id;
}
