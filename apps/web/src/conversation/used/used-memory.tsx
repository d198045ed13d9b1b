/** The memories that a reply has used: folded below it, and fetched when it is opened. */

import type { UsedMemory as Used, UsedAnswer } from "@mimikit/protocol/wire/used-memory";
import { useSignal } from "@preact/signals";
import { usedWords } from "../../i18n/card-words.ts";
import { dayText, words } from "../../i18n/words.ts";
import { nowMs } from "../../model/clock.ts";
import { addressOf } from "../../model/place.ts";
import { useAnswer } from "../../model/use-answer.ts";
import { entryDetail } from "../../views/memory/entry-detail.ts";
import "./used-memory.css";

interface UsedMemoryProps {
  /** Of the reply. */
  id: string;
  count: number;
}

export function UsedMemory({ id, count }: UsedMemoryProps) {
  const isOpen = useSignal(false);
  const { answer, isLooking } = useAnswer<UsedAnswer>(isOpen.value ? `api/messages/${id}/used` : undefined);
  return (
    <details
      class="used"
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open;
      }}
    >
      <summary>{usedWords.used(count)}</summary>
      {answer === undefined && <p class="quiet">{isLooking ? words.looking : usedWords.gone}</p>}
      {answer !== undefined && (
        <ul>
          {answer.used.map((used) => (
            <li key={`${used.source} ${used.message} ${used.text}`}>
              <p class="used-text">{used.text}</p>
              <Facts used={used} />
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}

function Facts({ used: { source, message, at, always, isAsShown, entry } }: { used: Used }) {
  return (
    <p class="used-facts">
      {source !== undefined && (
        <a href={addressOf("memory", entryDetail(source, entry))} title={usedWords.inFile(source)}>
          <code>{source}</code>
        </a>
      )}
      {message !== undefined && (
        <a href={`#/said/${message}`}>{source === undefined ? usedWords.inConversation : usedWords.fromConversation}</a>
      )}
      {at !== undefined && <time dateTime={at}>{dayText(at, nowMs.value)}</time>}
      {always && <span>{usedWords.always}</span>}
      {!isAsShown && <strong>{usedWords.changed}</strong>}
    </p>
  );
}
