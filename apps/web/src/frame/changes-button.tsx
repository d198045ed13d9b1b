/** Leads to what was changed lately, and can be taken back. */

import { words } from "../i18n/words.ts";
import { go, goHome, place } from "../model/place.ts";
import { Back } from "../ui/icons.tsx";

export function ChangesButton() {
  const isOpen = place.value.view === "changes";
  return (
    <button
      type="button"
      class="plain roomy"
      aria-label={words.views.changes}
      aria-pressed={isOpen}
      title={words.views.changes}
      onClick={() => (isOpen ? goHome() : go("changes"))}
    >
      <Back />
    </button>
  );
}
