/** What can be done with a message: reply to it, copy it. Seen where the pointer or the focus is. */
import { useSignal } from "@preact/signals";
import { words } from "../i18n/words.ts";
import { COPIED_SHOWN_MS, copy } from "../ui/copy.ts";
import { Copy, Reply } from "../ui/icons.tsx";
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
        aria-label={words.replyTo(text.slice(0, 40))}
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
      <span role="status">{said.value}</span>
    </span>
  );
}
