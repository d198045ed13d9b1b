/** The beginning of a message that another one replies to, on one line; it leads to that message. */

import { words } from "../i18n/words.ts";
import { messages, notice, questions } from "../model/state.ts";
import { bringMessage } from "./earlier-messages.ts";
import { showMessage } from "./show-message.ts";

/** More does not fit on a line. */
const SHOWN_CHARS_MAX = 200;

export function QuoteLine({ id }: { id: string }) {
  const said = messages.value.find((message) => message.id === id);
  const text = said?.text ?? questions.value.get(id)?.question;
  return (
    <button type="button" class="quote" title={words.showQuoted} onClick={() => void lead(id)}>
      <span class="unseen">{words.inReplyTo}: </span>
      {/* Nobody knows who wrote a message that is not here. */}
      {text !== undefined && <b>{said?.role === "user" ? words.you : words.assistant}</b>}{" "}
      {text === undefined ? words.earlierMessage : plain(text.slice(0, SHOWN_CHARS_MAX))}
    </button>
  );
}

/** What is further up than the page reaches is brought first. */
async function lead(id: string): Promise<void> {
  if (await bringMessage(id)) showMessage(id);
  else notice.value = words.quotedTooOld;
}

/** Without the signs of Markdown that are only noise where nothing is drawn by them. */
function plain(text: string): string {
  return text.replace(/\*\*|`+|^(?:#+|>) /gm, "");
}
