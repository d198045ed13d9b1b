/** Names who answers the user in one word of the top line; all the rest is behind that word, and loaded with it. */
import { useSignal } from "@preact/signals";
import { answererOf } from "../i18n/answerer-of.ts";
import { words } from "../i18n/words.ts";
import { status } from "../model/state.ts";
import { lazily } from "../ui/lazily.tsx";

const Overview = lazily(async () => (await import("./overview.tsx")).Overview);

const SHEET_ID = "overview";

export function OverviewButton() {
  const now = status.value;
  if (!now) return null;
  return (
    <button
      type="button"
      class="fact provider"
      popovertarget={SHEET_ID}
      data-provider={now.providers.teller}
      title={words.overview}
    >
      {answererOf(now, "teller")}
    </button>
  );
}

/** The sheet that the button opens. */
export function OverviewSheet() {
  const isOpen = useSignal(false);
  return (
    <section
      id={SHEET_ID}
      class="sheet overview"
      popover="auto"
      aria-label={words.overview}
      onBeforeToggle={(event) => {
        isOpen.value = event.newState === "open";
      }}
    >
      {/* A view opened by a link of the sheet must not be beneath it. */}
      {isOpen.value && <Overview close={() => document.getElementById(SHEET_ID)?.hidePopover()} />}
    </section>
  );
}
