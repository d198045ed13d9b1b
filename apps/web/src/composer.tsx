/** Where the user writes. A draft survives a reload; Enter sends it, Shift+Enter starts a new line. */
import { effect, signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { sendMessage } from "./connection.ts";
import { ArrowUp } from "./icons.tsx";
import { fitsFrame } from "./outbox.ts";
import { words } from "./words.ts";

const DRAFT_KEY = "mimikit.draft";
const HEIGHT_PX_MAX = 240;
const FIELD_ID = "message";

const draft = signal(localStorage.getItem(DRAFT_KEY) ?? "");

effect(() => {
  if (draft.value === "") localStorage.removeItem(DRAFT_KEY);
  else localStorage.setItem(DRAFT_KEY, draft.value);
});

/** Puts `text` into the message field, for the user to change or send. */
export function writeDraft(text: string): void {
  draft.value = text;
  document.getElementById(FIELD_ID)?.focus();
}

export function Composer() {
  const field = useRef<HTMLTextAreaElement>(null);
  const text = draft.value;
  const tooLong = !fitsFrame(text);
  const ready = text.trim() !== "" && !tooLong;

  useEffect(() => {
    // On a touch screen, focus would open the keyboard over half of the page.
    if (matchMedia("(hover: hover)").matches) field.current?.focus();
  }, []);
  useLayoutEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.height = "auto";
    element.style.height = `${Math.min(element.scrollHeight, HEIGHT_PX_MAX)}px`;
  }, [text]);

  const submit = () => {
    if (!ready) return;
    sendMessage(text.trim());
    draft.value = "";
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter also ends a composition (Chinese, Japanese…): that one belongs to the input method.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    submit();
  };

  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
        field.current?.focus();
      }}
    >
      <div class="box">
        <label class="unseen" for={FIELD_ID}>
          {words.message}
        </label>
        <textarea
          id={FIELD_ID}
          ref={field}
          rows={1}
          placeholder={words.placeholder}
          value={text}
          aria-invalid={tooLong}
          aria-describedby="composer-hint"
          onKeyDown={onKeyDown}
          onInput={(event) => {
            draft.value = event.currentTarget.value;
          }}
        />
        <button type="submit" class="send" disabled={!ready} aria-label={words.send} title={words.send}>
          <ArrowUp />
        </button>
      </div>
      <p id="composer-hint" class="hint" data-problem={tooLong}>
        {tooLong ? words.tooLong : words.composerHint}
      </p>
    </form>
  );
}
