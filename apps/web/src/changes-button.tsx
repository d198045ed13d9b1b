/** Leads to what was changed lately, and can be taken back. */
import { Back } from "./icons.tsx";
import { go, goHome, place } from "./place.ts";
import { words } from "./words.ts";

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
