/** Who answers, what today has cost and what may be spent: one word in the top line, and all of it behind that word. */
import { useSignal } from "@preact/signals";
import { answererOf } from "./answerer-of.ts";
import { lazily } from "./lazily.tsx";
import { status } from "./state.ts";
import { words } from "./words.ts";

const OverviewSheet = lazily(async () => (await import("./views/overview-sheet.tsx")).OverviewSheet);

/** Names who answers the user; opens the rest. */
export function OverviewButton() {
  const now = status.value;
  if (!now) return null;
  return (
    <button
      type="button"
      class="fact provider"
      popovertarget="overview"
      data-provider={now.providers.teller}
      title={words.overview}
    >
      {answererOf(now.providers.teller, now.answered.teller)}
    </button>
  );
}

export function Overview() {
  const isOpen = useSignal(false);
  return (
    <section
      id="overview"
      class="sheet overview"
      popover="auto"
      aria-label={words.overview}
      onToggle={(event) => {
        isOpen.value = event.newState === "open";
      }}
    >
      {isOpen.value && <OverviewSheet />}
    </section>
  );
}
