/** Leads to a message that something names: a quote, or the address `#/said/ID` of a citation. */
import { words } from "../i18n/words.ts";
import { notice } from "../model/state.ts";
import { bringMessage } from "./long/earlier-messages.ts";
import { showMessage } from "./show-message.ts";

const SAID = /^#\/said\/([a-z0-9._-]+)$/;

/** Leads to a message; what is further up than the page reaches is brought first. */
export async function leadTo(id: string): Promise<void> {
  if (await bringMessage(id)) showMessage(id);
  else notice.value = words.quotedNotFound;
}

// No view has such an address: whichever was open, the conversation is seen.
addEventListener("popstate", () => {
  const id = SAID.exec(location.hash)?.[1];
  if (id === undefined) return;
  history.replaceState(null, "", location.pathname + location.search);
  void leadTo(id);
});
