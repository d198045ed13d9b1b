/** Leads to what was changed lately, and can be taken back. */

import { viewTitle } from "../i18n/view-names.ts";
import { go, goHome, place } from "../model/place.ts";
import { Back } from "../ui/icons.tsx";

export function ChangesButton() {
  const isOpen = place.value.view === "changes";
  return (
    <button
      type="button"
      class="plain roomy"
      aria-label={viewTitle("changes")}
      aria-pressed={isOpen}
      title={viewTitle("changes")}
      onClick={() => (isOpen ? goHome() : go("changes"))}
    >
      <Back />
    </button>
  );
}
