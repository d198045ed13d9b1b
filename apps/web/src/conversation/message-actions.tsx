/** The actions on a message: reply to it, copy it, and with the last ones have it answered again. Seen where the pointer or the focus is. */
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { useSignal } from "@preact/signals";
import { words } from "../i18n/words.ts";
import { COPIED_SHOWN_MS, copy } from "../ui/copy.ts";
import { Copy, Pen, Redo, Reply } from "../ui/icons.tsx";
import { answerAnew, changing, lastOwn, lastReply } from "./anew/second-thoughts.ts";
import { takeAnswerer } from "./answerer-switch.tsx";
import { writeDraft } from "./composer.tsx";
import { quoted } from "./quoted.ts";

interface MessageActionsProps {
  id: string;
  text: string;
}

export function MessageActions({ id, text }: MessageActionsProps) {
  const said = useSignal<string | undefined>(undefined);
  const copyText = async () => {
    said.value = (await copy(text)) ? words.copied : words.copyFailed;
    setTimeout(() => {
      said.value = undefined;
    }, COPIED_SHOWN_MS);
  };
  return (
    <span class="actions">
      <button
        type="button"
        class="plain small"
        aria-label={words.replyTo(beginningOf(text, 40))}
        title={words.reply}
        onClick={() => {
          quoted.value = id;
          document.getElementById("message")?.focus();
        }}
      >
        <Reply />
      </button>
      <button
        type="button"
        class="plain small"
        aria-label={words.copyMessage}
        title={words.copy}
        onClick={() => void copyText()}
      >
        <Copy />
      </button>
      {lastReply.value?.id === id && (
        <button
          type="button"
          class="plain small"
          aria-label={words.answerAnew}
          title={words.answerAnew}
          onClick={() => void answerAnew(id, takeAnswerer())}
        >
          <Redo />
        </button>
      )}
      {lastOwn.value?.id === id && (
        <button
          type="button"
          class="plain small"
          aria-label={words.change}
          title={words.change}
          onClick={() => {
            changing.value = id;
            writeDraft(text);
          }}
        >
          <Pen />
        </button>
      )}
      <span role="status">{said.value}</span>
    </span>
  );
}
