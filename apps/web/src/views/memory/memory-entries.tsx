/** A document of memory entry by entry: where each comes from, and ways to change and to forget it. */

import { entriesOf, entryName, type MemoryEntry, rememberedIn } from "@mimikit/protocol/records/memory-entry";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import type { MemoryEditBody, MemoryText } from "@mimikit/protocol/wire/api";
import { useSignal } from "@preact/signals";
import { bringMessage } from "../../conversation/long/earlier-messages.ts";
import { showMessage } from "../../conversation/show-message.ts";
import { memoryWords } from "../../i18n/view-words.ts";
import { call } from "../../model/call.ts";
import { connection } from "../../model/connection.ts";
import { goHome } from "../../model/place.ts";
import { sendCommand } from "../../model/send-command.ts";
import { lookForChanges } from "../changes.tsx";

/** The gateway's limit. */
const ENTRY_CHARS_MAX = 2_000;
const NAMED_CHARS_MAX = 60;
const BY_HAND = /^(memory|entry)-/;

interface Props {
  name: string;
  text: string;
  /** Where its text is asked for. */
  path: string;
  /** How the entry begins that is pointed out. */
  sought: string | undefined;
  onChanged: () => void;
}

export function MemoryEntries({ name, text, path, sought, onChanged }: Props) {
  const isAtWork = useSignal(false);
  const edit = async (entry: MemoryEntry, to?: string) => {
    isAtWork.value = true;
    try {
      const body: MemoryEditBody = { document: name, entry: entryName(entry), ...(to !== undefined && { to }) };
      await sendCommand("api/memory/edit", body, async () => (await call<MemoryText>("GET", path))?.text);
      onChanged();
      await lookForChanges();
    } finally {
      isAtWork.value = false;
    }
  };
  const entries = entriesOf(text);
  const meant = sought === undefined ? undefined : entries.find((entry) => entry.text.startsWith(sought));
  return (
    <ul class="entries" aria-busy={isAtWork.value}>
      {entries.map((entry) => (
        <li key={`${entry.line} ${entry.text}`} ref={entry === meant ? pointOut : null}>
          <Entry entry={entry} isLocked={isAtWork.value || connection.value.state !== "connected"} edit={edit} />
        </li>
      ))}
    </ul>
  );
}

/** Leads to it when it is first drawn. */
function pointOut(item: HTMLLIElement | null): void {
  if (item === null || item.classList.contains("pointed-out")) return;
  item.tabIndex = -1;
  item.scrollIntoView({ block: "center" });
  item.focus();
  item.classList.add("pointed-out");
}

interface EntryProps {
  entry: MemoryEntry;
  isLocked: boolean;
  edit: (entry: MemoryEntry, to?: string) => Promise<void>;
}

function Entry({ entry, isLocked, edit }: EntryProps) {
  const typed = useSignal<string | undefined>(undefined);
  const named = beginningOf(entry.text, NAMED_CHARS_MAX);
  if (typed.value !== undefined) {
    const to = typed.value.trim();
    return (
      <form
        class="kept-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (to !== "" && !isLocked) void edit(entry, to);
        }}
      >
        <textarea
          rows={3}
          aria-label={memoryWords.entry}
          maxLength={ENTRY_CHARS_MAX}
          value={typed.value}
          ref={(field) => field?.focus()}
          onInput={(event) => {
            typed.value = event.currentTarget.value;
          }}
        />
        <button type="submit" class="primary" disabled={isLocked || to === ""}>
          {memoryWords.save}
        </button>
        <button
          type="button"
          class="secondary"
          onClick={() => {
            typed.value = undefined;
          }}
        >
          {memoryWords.cancel}
        </button>
      </form>
    );
  }
  return (
    <>
      <p class="entry-text">{entry.text}</p>
      <p class="entry-facts">
        <Origin edits={entry.edits} />
        {entry.text.length <= ENTRY_CHARS_MAX && (
          <button
            type="button"
            class="link"
            disabled={isLocked}
            aria-label={memoryWords.changeOf(named)}
            onClick={() => {
              typed.value = entry.text;
            }}
          >
            {memoryWords.change}
          </button>
        )}
        <button
          type="button"
          class="link"
          disabled={isLocked}
          aria-label={memoryWords.forgetOf(named)}
          onClick={() => void edit(entry)}
        >
          {memoryWords.forget}
        </button>
      </p>
    </>
  );
}

/** Where an entry comes from: a turn of the conversation, a form of the page, an editor. */
function Origin({ edits }: Pick<MemoryEntry, "edits">) {
  const isMissing = useSignal(false);
  const turn = rememberedIn({ edits });
  if (turn !== undefined) {
    const reply = `${turn}.reply`;
    const show = async () => {
      isMissing.value = !(await bringMessage(reply));
      if (isMissing.value) return;
      goHome();
      showMessage(reply);
    };
    return (
      <>
        {isMissing.value ? (
          <span role="alert">{memoryWords.tooOld}</span>
        ) : (
          <button type="button" class="link" onClick={() => void show()}>
            {memoryWords.fromConversation}
          </button>
        )}
        {edits.some((id) => id.startsWith("entry-")) && <span>{memoryWords.changedSince}</span>}
      </>
    );
  }
  return <span>{edits.some((id) => BY_HAND.test(id)) ? memoryWords.byHand : memoryWords.byEditor}</span>;
}
