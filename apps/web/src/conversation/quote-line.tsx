/** The beginning of a message that another one replies to, on one line; it leads to that message. */

import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { words } from "../i18n/words.ts";
import { messages, questions } from "../model/state.ts";
import { plainText } from "../ui/plain-text.ts";
import { leadTo } from "./cited-message.ts";

/** More does not fit on a line. */
const SHOWN_CHARS_MAX = 200;

export function QuoteLine({ id }: { id: string }) {
  const said = messages.value.find((message) => message.id === id);
  const text = said?.text ?? questions.value.get(id)?.question;
  return (
    <button type="button" class="quote" title={words.showQuoted} onClick={() => void leadTo(id)}>
      <span class="unseen">{words.inReplyTo}: </span>
      {/* The author of a message that is not here is unknown. */}
      {text !== undefined && <b>{said?.role === "user" ? words.you : words.assistant}</b>}{" "}
      {text === undefined ? words.earlierMessage : plainText(beginningOf(text, SHOWN_CHARS_MAX))}
    </button>
  );
}
