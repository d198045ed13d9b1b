/** Leads to what starts by itself, and says how much of it there is. */

import { words } from "../i18n/words.ts";
import { go, goHome, place } from "../model/place.ts";
import { status, triggers } from "../model/state.ts";
import { Clock } from "../ui/icons.tsx";

export function TriggersButton() {
  const count = Math.max(triggers.value.size, status.value?.counts.triggers ?? 0);
  const label = words.triggerCount(count);
  const isOpen = place.value.view === "triggers";
  return (
    <button
      type="button"
      class="plain counted"
      aria-label={label}
      aria-pressed={isOpen}
      title={label}
      onClick={() => (isOpen ? goHome() : go("triggers"))}
    >
      <Clock />
      {count > 0 && <b>{count}</b>}
    </button>
  );
}
