/** Leads the reader to a message, wherever it is in the conversation. */
import { signal } from "@preact/signals";
import { beginning, messages } from "../model/state.ts";
import { following } from "./long/following.ts";
import { sought } from "./long/sought.ts";

/** The new beginning before which everything is shown; the next one folds it again. */
export const unfolded = signal<string | undefined>(undefined);

/** Leads to a message, also to one that is folded, and points it out. */
export function showMessage(id: string): void {
  const at = messages.value.findIndex((message) => message.id === id);
  if (at < beginning.value - 1) unfolded.value = messages.value[beginning.value - 1]?.id;
  sought.value = id;
  // After it has been drawn, and after what covered it is gone.
  requestAnimationFrame(() => {
    const item = document.querySelector<HTMLElement>(`.message[data-id="${CSS.escape(id)}"]`);
    if (item === null) return;
    item.tabIndex = -1;
    item.scrollIntoView({ block: "center" });
    following.value = false;
    item.focus();
    item.classList.add("pointed-out");
    item.addEventListener("blur", () => item.classList.remove("pointed-out"), { once: true });
  });
}
