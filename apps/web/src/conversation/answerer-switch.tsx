/** The provider of the messages written here: its name stands below the message field, and opens a choice of others. */
import type { AnswerBy } from "@mimikit/protocol/records/inbox";
import { signal, useSignal } from "@preact/signals";
import { answererTitle } from "../i18n/answerer-of.ts";
import { words } from "../i18n/words.ts";
import { clear } from "../model/connection.ts";
import { beginning, messages, status } from "../model/state.ts";
import { lazily } from "../ui/lazily.tsx";

const AnswererChoice = lazily(async () => (await import("../connect/answerer-choice.tsx")).AnswererChoice);

const SHEET_ID = "answerer";

/** The provider of the next message, and only that. */
export const nextAnswerer = signal<AnswerBy | undefined>(undefined);

/** @returns who answers the message that is sent now; the one after it goes its usual way. */
export function takeAnswerer(): AnswerBy | undefined {
  const chosen = nextAnswerer.value;
  nextAnswerer.value = undefined;
  return chosen;
}

export function AnswererSwitch() {
  const isOpen = useSignal(false);
  const now = status.value;
  const next = nextAnswerer.value;
  if (now === undefined) return null;
  return (
    <>
      <p class="facts hint">
        <button type="button" class="fact" popovertarget={SHEET_ID} title={words.whoAnswers}>
          {next === undefined
            ? answererTitle(now.providers.teller, now.models.teller)
            : words.answersNext(answererTitle(next.provider, next.model))}
        </button>
        {messages.value.length > beginning.value && (
          <button type="button" class="fact" title={words.command("clear")} onClick={clear}>
            {words.beginAnew}
          </button>
        )}
      </p>
      <section
        id={SHEET_ID}
        class="sheet"
        popover="auto"
        aria-label={words.whoAnswers}
        onBeforeToggle={(event) => {
          isOpen.value = event.newState === "open";
        }}
      >
        {isOpen.value && (
          <AnswererChoice next={nextAnswerer} close={() => document.getElementById(SHEET_ID)?.hidePopover()} />
        )}
      </section>
    </>
  );
}
