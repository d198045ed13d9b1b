/** A message of which there are several versions: the newest is shown, and the earlier ones can be leafed through. */
import type { HistoryMessage } from "@mimikit/protocol/records/history";
import type { ChatMessage } from "@mimikit/protocol/wire/api";
import { useSignal } from "@preact/signals";
import type { ComponentChild } from "preact";
import { words } from "../../i18n/words.ts";

/** The version that its reader has chosen, and the way to the others; null where there are none. */
export interface Versions {
  version: HistoryMessage;
  pager: ComponentChild;
}

/** The newest, also where it comes while an earlier one is shown, until its reader chooses. */
export function useVersions(message: ChatMessage): Versions {
  const all: HistoryMessage[] = [...(message.versions ?? []), message];
  const chosen = useSignal<number | undefined>(undefined);
  const i = Math.min(chosen.value ?? all.length, all.length - 1);
  const step = (by: 1 | -1, sign: string, name: string) => (
    <button
      type="button"
      class="plain small"
      aria-label={name}
      title={name}
      disabled={all[i + by] === undefined}
      onClick={() => {
        chosen.value = i + by;
      }}
    >
      {sign}
    </button>
  );
  const pager = all.length > 1 && (
    <fieldset class="versions" aria-label={words.versions}>
      {step(-1, "‹", words.earlierVersion)}
      <span role="status">{`${i + 1}/${all.length}`}</span>
      {step(1, "›", words.laterVersion)}
    </fieldset>
  );
  return { version: all[i] ?? message, pager: pager || null };
}
